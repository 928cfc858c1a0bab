//! Work beside the threads that serve requests: what waits for files, and what goes on if a client is gone.

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

/// Executes what was begun to its end, also if the client is gone meanwhile.
pub(crate) async fn to_its_end<T: Send + 'static>(
    work: impl Future<Output = Result<T, ErrorReply>> + Send + 'static,
) -> Result<T, ErrorReply> {
    tokio::spawn(work).await.map_err(|error| {
        ErrorReply::new(codes::COMMAND_REPLY, format!("The host could not finish the request: {error}."))
    })?
}
