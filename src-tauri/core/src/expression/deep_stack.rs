//! Threads with a large stack, for parsers and evaluators that recurse as deep as their input nests.
//!
//! A stack overflow would end the whole process. The stack here is larger than any input within the size limits can use.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::thread;

use tokio::sync::oneshot;

/// The stack that evaluating needs, in bytes. Only the pages that are touched take memory.
pub const STACK_BYTES: usize = 256 << 20;

/// Runs `work` on a large stack while this future waits. `None` if it panicked or no thread could be started.
///
/// Dropping the future does not stop the work, so the work must be bounded or watch for cancellation.
pub(super) async fn run_on_deep_stack<R: Send + 'static>(
    work: impl FnOnce() -> R + Send + 'static,
) -> Option<R> {
    let (sender, receiver) = oneshot::channel();
    let guarded = move || {
        // The receiver may be gone.
        let _ = sender.send(catch_unwind(AssertUnwindSafe(work)).ok());
    };
    thread::Builder::new().name("deep-stack".to_owned()).stack_size(STACK_BYTES).spawn(guarded).ok()?;
    receiver.await.ok().flatten()
}

/// Runs `work` on a large stack and blocks until it is done. `None` if it panicked or no thread could be started.
pub(super) fn block_on_deep_stack<R: Send>(work: impl FnOnce() -> R + Send) -> Option<R> {
    thread::scope(|scope| {
        let guarded = || catch_unwind(AssertUnwindSafe(work)).ok();
        let worker = thread::Builder::new()
            .name("deep-stack".to_owned())
            .stack_size(STACK_BYTES)
            .spawn_scoped(scope, guarded);
        worker.ok()?.join().ok().flatten()
    })
}
