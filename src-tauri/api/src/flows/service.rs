//! What the commands on flows work with.

use std::sync::Arc;

use plait_adapters::{KeyStore, Store};
use plait_engine::host::Clock;
use plait_engine::node::Registry;

/// Flow files, drafts and recent flows.
pub struct FlowService {
    pub(super) store: Store,
    pub(super) registry: Arc<Registry>,
    pub(super) clock: Arc<dyn Clock>,
    pub(super) keys: KeyStore,
}

impl FlowService {
    pub(crate) fn new(store: Store, registry: Arc<Registry>, clock: Arc<dyn Clock>, keys: KeyStore) -> Self {
        Self { store, registry, clock, keys }
    }
}
