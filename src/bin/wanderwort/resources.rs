//! Memory and processor time that processes have used.

use std::fs;
use std::time::Duration;

/// The largest resident size of this process so far, in bytes; known on Linux.
pub fn peak_memory() -> Option<u64> {
    status_field("self", "VmHWM:")
}

/// The same of another process.
pub fn peak_memory_of(process: u32) -> Option<u64> {
    status_field(&process.to_string(), "VmHWM:")
}

/// The resident size of this process now, in bytes; known on Linux.
pub fn memory() -> Option<u64> {
    status_field("self", "VmRSS:")
}

fn status_field(process: &str, name: &str) -> Option<u64> {
    let status = fs::read_to_string(format!("/proc/{process}/status")).ok()?;
    let kibibytes = status.lines().find_map(|line| line.strip_prefix(name))?.split_whitespace().next()?;
    Some(kibibytes.parse::<u64>().ok()? * 1024)
}

/// Processor time of all threads of this process so far. On a busy machine it says more about a program than wall-clock
/// time does.
pub fn processor_time() -> Option<Duration> {
    #[cfg(unix)]
    {
        let time = rustix::time::clock_gettime(rustix::time::ClockId::ProcessCPUTime);
        Some(Duration::new(time.tv_sec.try_into().ok()?, time.tv_nsec.try_into().ok()?))
    }
    #[cfg(not(unix))]
    None
}
