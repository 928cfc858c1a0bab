//! The limits a worker sets for itself before it evaluates anything.

/// Memory an evaluation may use, in bytes, in addition to what the process has when it starts and to the stack.
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

/// The size of the address space of this process: the first number of `/proc/self/statm`, in pages.
#[cfg(target_os = "linux")]
fn address_space_bytes() -> Option<u64> {
    let statm = std::fs::read_to_string("/proc/self/statm").ok()?;
    let pages: u64 = statm.split_whitespace().next()?.parse().ok()?;
    Some(pages * rustix::param::page_size() as u64)
}
