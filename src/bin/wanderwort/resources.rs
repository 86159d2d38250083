//! Memory and processor time that this process has used.

use std::fs;
use std::time::Duration;

/// The largest resident size of this process so far, in bytes; known on Linux.
pub fn peak_memory() -> Option<u64> {
    status_field("VmHWM:")
}

/// The resident size of this process now, in bytes; known on Linux.
pub fn memory() -> Option<u64> {
    status_field("VmRSS:")
}

fn status_field(name: &str) -> Option<u64> {
    let status = fs::read_to_string("/proc/self/status").ok()?;
    let kibibytes = status.lines().find_map(|line| line.strip_prefix(name))?.split_whitespace().next()?;
    Some(kibibytes.parse::<u64>().ok()? * 1024)
}

/// Processor time of all threads of this process so far. On a busy machine it says more about a program than the time
/// on the wall does.
pub fn processor_time() -> Option<Duration> {
    #[cfg(unix)]
    {
        let time = rustix::time::clock_gettime(rustix::time::ClockId::ProcessCPUTime);
        Some(Duration::new(time.tv_sec.try_into().ok()?, time.tv_nsec.try_into().ok()?))
    }
    #[cfg(not(unix))]
    None
}
