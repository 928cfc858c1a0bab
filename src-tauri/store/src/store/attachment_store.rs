//! The attachments of messages, off the threads that drive runs.

use std::sync::Arc;

use async_trait::async_trait;
use plait_core::attachment::AttachmentStore;
use plait_core::error::Fault;
use plait_core::id::AttachmentHash;

use super::Store;
use crate::{attachments, codes};

#[async_trait]
impl AttachmentStore for Store {
    async fn put(&self, hash: &AttachmentHash, bytes: Arc<[u8]>) -> Result<(), Fault> {
        let (store, hash) = (self.clone(), hash.clone());
        blocking(move || attachments::put(&store.0, &hash, &bytes)).await
    }

    async fn get(&self, hash: &AttachmentHash) -> Result<Arc<[u8]>, Fault> {
        let (store, hash) = (self.clone(), hash.clone());
        blocking(move || attachments::get(&store.0, &hash).map(Arc::from)).await
    }
}

/// Reads or writes on a thread of its own: a file may have many megabytes.
async fn blocking<T: Send + 'static>(
    work: impl FnOnce() -> Result<T, Fault> + Send + 'static,
) -> Result<T, Fault> {
    let failed = |error| {
        Err(Fault::new(codes::APP_INTERNAL, format!("Reading or writing an attachment failed: {error}.")))
    };
    tokio::task::spawn_blocking(work).await.unwrap_or_else(failed)
}

#[cfg(test)]
mod tests;
