//! What was compiled before: an editor checks a whole flow at each change, and all but one of its texts are the same.

use std::sync::{Mutex, PoisonError};

use rustc_hash::{FxBuildHasher, FxHashMap};

/// At most so many are kept; then all are forgotten.
const MOST: usize = 256;

/// Values by the text they were made from.
pub(super) struct Kept<V>(Mutex<FxHashMap<String, V>>);

impl<V: Clone> Kept<V> {
    /// Nothing yet.
    pub(super) const fn new() -> Self {
        Self(Mutex::new(FxHashMap::with_hasher(FxBuildHasher)))
    }

    /// What was made from `source` before, or what `make` gives now.
    pub(super) fn get_or_make(&self, source: &str, make: impl FnOnce() -> V) -> V {
        let kept = || self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(value) = kept().get(source) {
            return value.clone();
        }
        // Made without holding the lock: it may take long.
        let value = make();
        let mut kept = kept();
        if kept.len() >= MOST {
            kept.clear();
        }
        kept.insert(source.to_owned(), value.clone());
        value
    }
}
