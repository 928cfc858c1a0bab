//! A store of attachments in memory.

use std::collections::BTreeMap;
use std::sync::Arc;

use async_trait::async_trait;
use parking_lot::Mutex;

use crate::attachment::{AttachmentStore, missing};
use crate::error::Fault;
use crate::id::AttachmentHash;

/// A PNG of one white pixel.
pub const PIXEL: &[u8] = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\0\x01\0\0\0\x01\x08\x04\0\0\0\xb5\x1c\x0c\x02\0\0\0\x0bIDATx\xdac\xfc\xff\x1f\0\x03\x03\x02\0\xef\xa2\xa7[\0\0\0\0IEND\xaeB`\x82";

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
