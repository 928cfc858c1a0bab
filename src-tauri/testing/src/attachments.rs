//! A store of attachments in memory.

use std::collections::BTreeMap;
use std::sync::Arc;

use async_trait::async_trait;
use parking_lot::Mutex;

use plait_core::attachment::{AttachmentStore, missing};
use plait_core::error::Fault;
use plait_core::id::AttachmentHash;

/// A PNG of one white pixel.
pub const PIXEL: &[u8] = include_bytes!("../../../tests/fixtures/pixel.png");

/// Keeps attachments in memory.
#[derive(Default)]
pub struct FakeAttachmentStore {
    pub stored: Mutex<BTreeMap<AttachmentHash, Arc<[u8]>>>,
}

#[async_trait]
impl AttachmentStore for FakeAttachmentStore {
    async fn put(&self, hash: &AttachmentHash, bytes: Arc<[u8]>) -> Result<(), Fault> {
        self.stored.lock().insert(hash.clone(), bytes);
        Ok(())
    }

    async fn get(&self, hash: &AttachmentHash) -> Result<Arc<[u8]>, Fault> {
        self.stored.lock().get(hash).cloned().ok_or_else(|| missing(hash))
    }
}
