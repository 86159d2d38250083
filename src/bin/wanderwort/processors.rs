//! The processors of this machine: which of them this process may use, how they share cores and memory, and pinning a process to some.
//!
//! Linux tells all this, through `sched_getaffinity` and the files under `/sys/devices/system`. A process that stays on the processors of
//! one NUMA node has its memory there too: Linux takes a page from the node of the processor that touches it first, and a process here is
//! pinned before it loads its model or starts a thread.

use std::collections::{BTreeMap, BTreeSet};
use std::io;
use std::path::Path;
use thiserror::Error;

/// Why processes cannot be pinned as was asked.
#[derive(Debug, Error)]
pub enum ProcessorError {
    /// Not Linux.
    #[cfg_attr(target_os = "linux", expect(dead_code, reason = "other platforms say it"))]
    #[error(
        "only Linux says which processors share a core and lets a process stay on some; leave out --pin and --physical"
    )]
    NotHere,
    /// More threads than processors.
    #[error(
        "{processes} process(es) of {threads} thread(s) need {} processors to themselves, and this program may use {found} {kind}; \
         take fewer --processes or --threads, or leave out --pin", processes.saturating_mul(*threads)
    )]
    TooFew {
        /// Processes asked for.
        processes: usize,
        /// Threads of each.
        threads: usize,
        /// Processors available.
        found: usize,
        /// What they are: processors or physical cores.
        kind: &'static str,
    },
    /// The system refuses.
    #[error("cannot {what}: {error}")]
    System {
        /// What was tried.
        what: String,
        /// What the system said.
        error: io::Error,
    },
}

/// One hardware thread.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Processor {
    /// The memory next to it.
    node: usize,
    /// Socket, and core in it.
    core: (usize, usize),
    /// Its number.
    id: usize,
}

/// The processors that this process may use, by node and core.
#[derive(Clone, Debug)]
pub struct Machine {
    processors: Vec<Processor>,
    is_physical: bool,
}

impl Machine {
    /// The processors that this process may use.
    pub fn here() -> Result<Self, ProcessorError> {
        #[cfg(target_os = "linux")]
        {
            let set = rustix::thread::sched_getaffinity(None).map_err(|error| ProcessorError::System {
                what: "ask for the processors".into(),
                error: error.into(),
            })?;
            let allowed: Vec<usize> = (0..rustix::thread::CpuSet::MAX_CPU).filter(|&id| set.is_set(id)).collect();
            Ok(Self::read(Path::new("/sys/devices/system"), &allowed))
        }
        #[cfg(not(target_os = "linux"))]
        Err(ProcessorError::NotHere)
    }

    /// The processors with these numbers, as the files in `system` describe them. One that they leave out is a core of its own on the first node.
    #[cfg_attr(not(target_os = "linux"), expect(dead_code, reason = "only Linux has these files"))]
    fn read(system: &Path, allowed: &[usize]) -> Self {
        let mut nodes = BTreeMap::new();
        for entry in std::fs::read_dir(system.join("node")).into_iter().flatten().flatten() {
            let name = entry.file_name();
            let number = name.to_str().and_then(|name| name.strip_prefix("node")?.parse::<usize>().ok());
            if let (Some(node), Ok(list)) = (number, std::fs::read_to_string(entry.path().join("cpulist"))) {
                nodes.extend(numbers(&list).into_iter().map(|id| (id, node)));
            }
        }
        let number = |id: usize, name: &str| -> Option<usize> {
            let path = system.join(format!("cpu/cpu{id}/topology/{name}"));
            std::fs::read_to_string(path).ok()?.trim().parse().ok()
        };
        let processor = |&id: &usize| Processor {
            node: nodes.get(&id).copied().unwrap_or(0),
            core: (number(id, "physical_package_id").unwrap_or(0), number(id, "core_id").unwrap_or(id)),
            id,
        };
        let mut processors: Vec<Processor> = allowed.iter().map(processor).collect();
        processors.sort();
        Self { processors, is_physical: false }
    }

    /// The first hardware thread of each core.
    pub fn physical(self) -> Self {
        let mut seen = BTreeSet::new();
        let processors = self.processors.into_iter().filter(|processor| seen.insert(processor.core)).collect();
        Self { processors, is_physical: true }
    }

    /// How many processors there are.
    pub fn len(&self) -> usize {
        self.processors.len()
    }

    /// For each process, the numbers of its processors, as many as it has threads. They are all on one node if a node has that many left, and
    /// processes are spread evenly over the nodes. As long as there are enough cores, no two threads share one.
    pub fn share_out(&self, processes: usize, threads: usize) -> Result<Vec<Vec<usize>>, ProcessorError> {
        let needed = processes.saturating_mul(threads);
        if needed > self.len() {
            let kind = if self.is_physical { "physical cores" } else { "processors" };
            return Err(ProcessorError::TooFew { processes, threads, found: self.len(), kind });
        }
        let cores = self.clone().physical();
        let from = if needed <= cores.len() { &cores } else { self };
        let mut left: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
        // Back to front, so that the first is at the end.
        for processor in from.processors.iter().rev() {
            left.entry(processor.node).or_default().push(processor.id);
        }
        let mut sets = Vec::new();
        for _ in 0..processes {
            let mut set = Vec::new();
            while set.len() < threads {
                // The node with the most left, the first if there are several; a process that no node can hold continues on the next.
                let Some(node) = left.values_mut().rev().max_by_key(|node| node.len()) else { break };
                let count = (threads - set.len()).min(node.len());
                set.extend(node.split_off(node.len() - count).into_iter().rev());
            }
            sets.push(set);
        }
        Ok(sets)
    }
}

/// Pins this process to some processors. Threads that it starts from now on stay there too.
pub fn pin(processors: &[usize]) -> Result<(), ProcessorError> {
    #[cfg(target_os = "linux")]
    {
        let mut set = rustix::thread::CpuSet::new();
        processors.iter().filter(|&&id| id < rustix::thread::CpuSet::MAX_CPU).for_each(|&id| set.set(id));
        rustix::thread::sched_setaffinity(None, &set).map_err(|error| ProcessorError::System {
            what: format!("stay on the processors {}", list(processors)),
            error: error.into(),
        })
    }
    #[cfg(not(target_os = "linux"))]
    {
        let _ = processors;
        Err(ProcessorError::NotHere)
    }
}

/// The numbers in a list such as `0-3,8`.
pub fn numbers(list: &str) -> Vec<usize> {
    let range = |range: &str| {
        let (first, last) = range.split_once('-').unwrap_or((range, range));
        Some(first.parse::<usize>().ok()?..=last.parse::<usize>().ok()?)
    };
    list.trim().split(',').filter_map(range).flatten().collect()
}

/// Numbers as a list separated by commas.
pub fn list(numbers: &[usize]) -> String {
    numbers.iter().map(usize::to_string).collect::<Vec<_>>().join(",")
}

#[cfg(test)]
mod tests {
    use super::{Machine, ProcessorError, list, numbers};
    use std::fs;

    /// Two sockets of two cores of two threads, numbered as Intel's are: 0 to 3 are the cores, 4 to 7 their second threads.
    fn two_sockets(allowed: &[usize]) -> Machine {
        let system = tempfile::tempdir().expect("a folder");
        for (node, list) in [(0, "0-1,4-5\n"), (1, "2-3,6-7\n")] {
            let folder = system.path().join(format!("node/node{node}"));
            fs::create_dir_all(&folder).expect("a folder");
            fs::write(folder.join("cpulist"), list).expect("room");
        }
        for id in 0..8 {
            let folder = system.path().join(format!("cpu/cpu{id}/topology"));
            fs::create_dir_all(&folder).expect("a folder");
            fs::write(folder.join("physical_package_id"), format!("{}\n", id / 2 % 2)).expect("room");
            fs::write(folder.join("core_id"), format!("{}\n", id % 2)).expect("room");
        }
        Machine::read(system.path(), allowed)
    }

    #[test]
    fn processes_stay_on_nodes_and_share_no_core_without_need() {
        let machine = two_sockets(&[0, 1, 2, 3, 4, 5, 6, 7]);
        let share_out = |processes, threads| machine.share_out(processes, threads).expect("enough");
        assert_eq!(share_out(2, 2), [[0, 1], [2, 3]]);
        assert_eq!(share_out(4, 1), [[0], [2], [1], [3]]);
        // All threads: a process has both of a core.
        assert_eq!(share_out(4, 2), [[0, 4], [2, 6], [1, 5], [3, 7]]);
        assert_eq!(share_out(2, 4), [[0, 4, 1, 5], [2, 6, 3, 7]]);
        assert_eq!(share_out(1, 3), [[0, 1, 2]]);
    }

    #[test]
    fn physical_cores_and_what_may_be_used() {
        let machine = two_sockets(&[0, 1, 2, 3, 4, 5, 6, 7]).physical();
        assert_eq!(machine.len(), 4);
        let error = machine.share_out(3, 2).expect_err("too many");
        assert!(matches!(error, ProcessorError::TooFew { processes: 3, threads: 2, found: 4, .. }));
        assert!(
            error.to_string().contains("need 6 processors") && error.to_string().contains("4 physical cores"),
            "{error}"
        );
        assert_eq!(two_sockets(&[1, 5, 6]).share_out(3, 1).expect("enough"), [[1], [5], [6]]);
        assert_eq!(two_sockets(&[1, 5, 6]).physical().len(), 2);
        // Nothing is known: each is a core.
        let unknown = Machine::read("/does/not/exist".as_ref(), &[3, 4]);
        assert_eq!(unknown.physical().share_out(2, 1).expect("enough"), [[3], [4]]);
    }

    #[test]
    fn lists_of_numbers() {
        assert_eq!(numbers("0-3,8,10-11\n"), [0, 1, 2, 3, 8, 10, 11]);
        assert!(numbers("").is_empty());
        assert_eq!(numbers(&list(&[4, 2])), [4, 2]);
    }
}
