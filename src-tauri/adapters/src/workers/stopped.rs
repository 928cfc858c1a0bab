//! Why a worker was ended before its job was done.

/// Why a job has no result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Stopped {
    /// Its input does not fit into a message.
    InputTooLarge,
    /// It reached its time limit.
    Time,
    /// The worker ended, which is what an allocation beyond its limit does.
    Memory,
}
