//! What the application's settings say of runs. A run keeps most of it, as it is when the run starts, in its first event.

use std::sync::Arc;

use parking_lot::RwLock;
use plait_core::config::{ConfigValues, run_values};

/// The values in force, by key.
#[derive(Clone, Default)]
pub(crate) struct RunConfig(Arc<RwLock<Arc<ConfigValues>>>);

impl RunConfig {
    /// Replaces the values.
    pub(crate) fn set(&self, values: ConfigValues) {
        *self.0.write() = Arc::new(values);
    }

    /// The values in force.
    pub(crate) fn current(&self) -> Arc<ConfigValues> {
        Arc::clone(&self.0.read())
    }

    pub(crate) fn kept_by_runs(&self) -> Arc<ConfigValues> {
        Arc::new(run_values(&self.current()))
    }
}
