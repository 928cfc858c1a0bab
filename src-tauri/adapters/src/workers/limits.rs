//! The limits a worker sets for itself before it evaluates anything, and before each job.

use std::time::Duration;

/// Memory that an evaluation may use, in bytes, beyond the memory of the process at its start and the stack.
const MAX_MEMORY_BYTES: u64 = 400 << 20;

/// Limits the address space of this process and turns off core dumps. An allocation beyond the limit ends the process.
///
/// Only where the system can: on others, the time limit alone bounds an evaluation.
#[cfg(target_os = "linux")]
pub(super) fn apply(stack_bytes: usize) {
    use rustix::process::{Resource, Rlimit, setrlimit};

    let limit = |resource, bytes| {
        // A stricter limit that the process already has is as good.
        let _ = setrlimit(resource, Rlimit { current: Some(bytes), maximum: Some(bytes) });
    };
    limit(Resource::Core, 0);
    if let Some(used) = address_space_bytes() {
        limit(Resource::As, used + stack_bytes as u64 + MAX_MEMORY_BYTES);
    }
}

#[cfg(not(target_os = "linux"))]
pub(super) fn apply(_stack_bytes: usize) {}

/// How much longer than its processor time a job may take by the clock, where the system can limit processor time: on a busy machine a
/// worker gets a part of a processor. Where it can't, the clock alone ends a job.
pub(super) const CLOCK_FACTOR: u32 = if cfg!(unix) { 10 } else { 1 };

/// Ends this process when it has computed for this long from now on, rounded up to a second. The load of the machine
/// makes no difference.
#[cfg(unix)]
pub(super) fn limit_processor_time(time: Duration) {
    use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
    use rustix::time::{ClockId, clock_gettime};

    let used = clock_gettime(ClockId::ProcessCPUTime);
    let used = Duration::new(used.tv_sec.unsigned_abs(), used.tv_nsec.try_into().unwrap_or_default());
    let seconds = (used + time).as_secs_f64().ceil();
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a small number of seconds")]
    let limit = Rlimit { current: Some(seconds as u64), ..getrlimit(Resource::Cpu) };
    // A stricter limit that the process already has is as good.
    let _ = setrlimit(Resource::Cpu, limit);
}

#[cfg(not(unix))]
pub(super) fn limit_processor_time(_time: Duration) {}

/// Whether a process was ended because it has used up its processor time.
#[cfg(unix)]
pub(super) fn has_used_up_its_time(status: std::process::ExitStatus) -> bool {
    use std::os::unix::process::ExitStatusExt as _;

    status.signal() == Some(rustix::process::Signal::XCPU.as_raw())
}

#[cfg(not(unix))]
pub(super) fn has_used_up_its_time(_status: std::process::ExitStatus) -> bool {
    false
}

/// The size of the address space of this process: the first number of `/proc/self/statm`, in pages.
#[cfg(target_os = "linux")]
fn address_space_bytes() -> Option<u64> {
    let statm = std::fs::read_to_string("/proc/self/statm").ok()?;
    let pages: u64 = statm.split_whitespace().next()?.parse().ok()?;
    Some(pages * rustix::param::page_size() as u64)
}
