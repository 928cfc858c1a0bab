//! What runs know of models beyond the tables: what a person has set, and what runs teach of Plait's counts, carried
//! from one run to the next.
//!
//! A run takes what is known when it starts and keeps to it; what its calls teach is for the runs after it.

use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use plait_adapters::Store;
use plait_engine::models::{Correction, ModelOverride, ModelOverrides};
use plait_engine::run::{Entry, Event};

/// What is known of counts, by `provider/model`.
pub(crate) struct TokenCalibration {
    store: Store,
    known: Mutex<BTreeMap<String, Correction>>,
    notes: Mutex<BTreeMap<String, ModelOverride>>,
}

impl TokenCalibration {
    /// Goes on from what earlier runs have taught.
    pub(crate) fn new(
        store: Store,
        known: BTreeMap<String, Correction>,
        notes: BTreeMap<String, ModelOverride>,
    ) -> Self {
        Self { store, known: Mutex::new(known), notes: Mutex::new(notes) }
    }

    /// What a run that begins now knows of models.
    pub(crate) fn book(&self) -> ModelOverrides {
        let notes = self.notes.lock().unwrap_or_else(PoisonError::into_inner).clone();
        ModelOverrides { notes, corrections: self.lock().clone() }
    }

    /// What a person has set of models from now on.
    pub(crate) fn set_notes(&self, notes: BTreeMap<String, ModelOverride>) {
        *self.notes.lock().unwrap_or_else(PoisonError::into_inner) = notes;
    }

    /// Hears what happens in a run, once.
    pub(crate) fn hear(&self, entries: &[Entry]) {
        for entry in entries {
            let Event::ModelReplied { reply, account: Some(account), .. } = &entry.event else { continue };
            let Some(learned) = reply.usage.and_then(|usage| account.learned(usage)) else { continue };
            let mut known = self.lock();
            let correction = known.entry(learned.model).or_default();
            *correction = correction.plus(learned.correction);
            // A store that takes no more writes says so to the run itself; here it only means to learn anew.
            let _ = self.store.put_corrections(&known);
        }
    }

    fn lock(&self) -> MutexGuard<'_, BTreeMap<String, Correction>> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
