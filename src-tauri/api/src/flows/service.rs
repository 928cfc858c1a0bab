//! What the commands on flows work with.

use std::sync::Arc;

use plait_adapters::KeyStore;
use plait_run::host::Clock;
use plait_run::node::Registry;
use plait_store::Store;

use crate::providers::ProviderService;

/// Flow files, drafts and recent flows.
pub struct FlowService {
    pub(super) store: Store,
    pub(super) registry: Arc<Registry>,
    pub(super) clock: Arc<dyn Clock>,
    pub(super) keys: KeyStore,
    pub(super) providers: Arc<ProviderService>,
}

impl FlowService {
    pub(crate) fn new(
        store: &Store,
        registry: &Arc<Registry>,
        clock: &Arc<dyn Clock>,
        keys: &KeyStore,
        providers: &Arc<ProviderService>,
    ) -> Self {
        Self {
            store: store.clone(),
            registry: Arc::clone(registry),
            clock: Arc::clone(clock),
            keys: keys.clone(),
            providers: Arc::clone(providers),
        }
    }
}
