//! A place to run what recurses as deep as its input says: parsers of small languages, on text from a flow file. Running
//! out of stack would end the whole process; here there is more of it than a bounded text can use up.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::thread;

use tokio::sync::oneshot;

/// Only touched pages of it are real.
const STACK: usize = 256 << 20;

/// What `work` gives, run elsewhere on a large stack while this future waits; nothing if it panicked or the system has no
/// thread to give. Dropping the future does not stop the work: that must be bounded, or watch for cancellation.
pub(super) async fn run_on_deep_stack<R: Send + 'static>(
    work: impl FnOnce() -> R + Send + 'static,
) -> Option<R> {
    let (done, result) = oneshot::channel();
    let guarded = move || {
        // Whoever waited may be gone.
        let _ = done.send(catch_unwind(AssertUnwindSafe(work)).ok());
    };
    thread::Builder::new().name("deep-stack".to_owned()).stack_size(STACK).spawn(guarded).ok()?;
    result.await.ok().flatten()
}

/// What `work` gives, run on a large stack; nothing if it panicked or the system has no thread to give.
pub(super) fn on_deep_stack<R: Send>(work: impl FnOnce() -> R + Send) -> Option<R> {
    thread::scope(|scope| {
        let guarded = || catch_unwind(AssertUnwindSafe(work)).ok();
        let worker = thread::Builder::new()
            .name("deep-stack".to_owned())
            .stack_size(STACK)
            .spawn_scoped(scope, guarded);
        worker.ok()?.join().ok().flatten()
    })
}
