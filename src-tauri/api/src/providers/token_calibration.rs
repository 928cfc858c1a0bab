//! What runs know of models beyond the built-in tables: the overrides of the settings, and how far Plait's token counts
//! were off in earlier calls.
//!
//! A run takes a copy when it starts and keeps it. What its calls teach applies to later runs.

use std::collections::BTreeMap;

use parking_lot::Mutex;
use plait_journal::{CallEvent, Entry, Event};
use plait_llm::models::{Correction, ModelOverride, ModelOverrides};
use plait_store::Store;

/// Corrections and overrides, each by `provider/model`.
pub(crate) struct TokenCalibration {
    store: Store,
    corrections: Mutex<BTreeMap<String, Correction>>,
    overrides: Mutex<BTreeMap<String, ModelOverride>>,
}

impl TokenCalibration {
    /// Continues from the corrections that the store has.
    pub(crate) fn new(
        store: Store,
        corrections: BTreeMap<String, Correction>,
        overrides: BTreeMap<String, ModelOverride>,
    ) -> Self {
        Self { store, corrections: Mutex::new(corrections), overrides: Mutex::new(overrides) }
    }

    /// What a run that starts now knows of models.
    pub(crate) fn current(&self) -> ModelOverrides {
        ModelOverrides {
            notes: self.overrides.lock().clone(),
            corrections: self.corrections.lock().clone(),
            ..ModelOverrides::default()
        }
    }

    /// Replaces what the settings say of models.
    pub(crate) fn set_overrides(&self, overrides: BTreeMap<String, ModelOverride>) {
        *self.overrides.lock() = overrides;
    }

    /// Learns from the model calls among the events of a run. Each event must be passed once.
    pub(crate) fn record_events(&self, entries: &[Entry]) {
        for entry in entries {
            let Event::Call(_, CallEvent::ModelReplied { reply, account: Some(account), reused: None, .. }) =
                &entry.event
            else {
                continue;
            };
            let Some(sample) = reply.usage.and_then(|usage| account.learned(usage)) else { continue };
            let mut corrections = self.corrections.lock();
            let correction = corrections.entry(sample.model).or_default();
            *correction = correction.plus(sample.correction);
            // A failed write also fails the run itself. All that is lost here is this sample after a restart.
            let _ = self.store.put_corrections(&corrections);
        }
    }
}
