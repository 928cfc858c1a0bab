//! The outputs of a loop that the scheduler and the driver read.

/// The output of a test: whether there is another iteration.
pub const CONTINUE: &str = "continue";
/// The output of a test before which the history of the loop was to be summarized: how that ended.
pub const SUMMARY: &str = "summary";
