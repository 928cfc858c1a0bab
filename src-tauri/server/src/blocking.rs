//! Work that waits for files, beside the threads that serve requests.

use plait_api::ErrorReply;

use crate::codes;

/// Does what waits for files on a thread that may wait.
pub(crate) async fn blocking<T: Send + 'static>(
    work: impl FnOnce() -> Result<T, ErrorReply> + Send + 'static,
) -> Result<T, ErrorReply> {
    tokio::task::spawn_blocking(work).await.map_err(|error| {
        ErrorReply::new(codes::COMMAND_REPLY, format!("The host could not finish the request: {error}."))
    })?
}
