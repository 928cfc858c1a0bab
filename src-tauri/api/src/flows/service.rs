//! What the commands on flows work with.

use std::sync::Arc;

use plait_adapters::KeyStore;
use plait_formats::foreign::Importer;
use plait_run::host::Clock;
use plait_run::node::Registry;
use plait_store::Store;

use super::installed::InstalledSources;

/// Flow files, drafts and recent flows.
pub struct FlowService {
    pub(super) store: Store,
    pub(super) registry: Arc<Registry>,
    pub(super) clock: Arc<dyn Clock>,
    pub(super) keys: KeyStore,
    pub(super) installed: InstalledSources,
    pub(super) importer: Arc<dyn Importer>,
}

impl FlowService {
    pub(crate) fn new(
        store: &Store,
        registry: &Arc<Registry>,
        clock: &Arc<dyn Clock>,
        keys: &KeyStore,
        installed: InstalledSources,
        importer: Arc<dyn Importer>,
    ) -> Self {
        Self {
            store: store.clone(),
            registry: Arc::clone(registry),
            clock: Arc::clone(clock),
            keys: keys.clone(),
            installed,
            importer,
        }
    }
}
