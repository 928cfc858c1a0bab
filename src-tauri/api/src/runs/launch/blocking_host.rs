//! A host whose files and evaluations are waited for in place: a rehearsal ends when nothing goes on, so nothing may go on elsewhere.

use std::sync::Arc;

use async_trait::async_trait;
use futures::future::BoxFuture;
use plait_core::attachment::AttachmentStore;
use plait_core::error::Fault;
use plait_core::expression::evaluation::{Evaluation, Evaluator};
use plait_core::id::AttachmentHash;
use plait_run::host::Host;
use serde_json::Value;
use tokio::runtime::Handle;

/// The same host, for a thread that may block.
pub(super) fn blocking_host(host: Host) -> Host {
    let handle = Handle::current();
    Host {
        evaluator: Arc::new(Blocking(host.evaluator, handle.clone())),
        attachments: Arc::new(Blocking(host.attachments, handle)),
        ..host
    }
}

struct Blocking<T: ?Sized>(Arc<T>, Handle);

impl Evaluator for Blocking<dyn Evaluator> {
    fn evaluate(&self, evaluation: Evaluation) -> BoxFuture<'static, Result<Value, Fault>> {
        let (evaluator, handle) = (Arc::clone(&self.0), self.1.clone());
        Box::pin(async move { handle.block_on(evaluator.evaluate(evaluation)) })
    }
}

#[async_trait]
impl AttachmentStore for Blocking<dyn AttachmentStore> {
    /// Keeps nothing: what is stored by a rehearsal belongs to no run.
    async fn put(&self, _: &AttachmentHash, _: Arc<[u8]>) -> Result<(), Fault> {
        Ok(())
    }

    async fn get(&self, hash: &AttachmentHash) -> Result<Arc<[u8]>, Fault> {
        self.1.block_on(self.0.get(hash))
    }
}
