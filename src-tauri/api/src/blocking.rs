//! Blocking work (the store, files, long computations) off the async threads.

use crate::ErrorReply;
use crate::codes;

/// Runs blocking work on a thread of its own. `app.internal` when it panics.
pub(crate) async fn run_blocking<T: Send + 'static>(
    work: impl FnOnce() -> Result<T, ErrorReply> + Send + 'static,
) -> Result<T, ErrorReply> {
    tokio::task::spawn_blocking(work).await.unwrap_or_else(|error| {
        Err(ErrorReply::new(codes::APP_INTERNAL, format!("A background task failed: {error}."))
            .hint("This is a bug in Plait. No data was lost; please report it."))
    })
}
