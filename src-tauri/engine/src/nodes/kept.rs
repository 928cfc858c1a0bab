//! What was compiled before: an editor checks a whole flow at each change, and all but one of its texts are the same.

use std::sync::{Mutex, PoisonError};

use rustc_hash::{FxBuildHasher, FxHashMap};

/// So many make a half.
const MOST: usize = 256;

/// Values by the text they were made from. What has not been used for long is forgotten.
pub(super) struct Kept<V>(Mutex<Halves<V>>);

/// What was used lately, and what was used before that. When the first is full it takes the place of the second, so that
/// what is in use is never forgotten and nothing has to be kept of when it was.
struct Halves<V> {
    lately: FxHashMap<String, V>,
    before: FxHashMap<String, V>,
}

impl<V: Clone> Kept<V> {
    /// Nothing yet.
    pub(super) const fn new() -> Self {
        Self(Mutex::new(Halves {
            lately: FxHashMap::with_hasher(FxBuildHasher),
            before: FxHashMap::with_hasher(FxBuildHasher),
        }))
    }

    /// What was made from `source` before, or what `make` gives now.
    pub(super) fn get_or_make(&self, source: &str, make: impl FnOnce() -> V) -> V {
        let kept = || self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(value) = kept().get(source) {
            return value;
        }
        // Made without holding the lock: it may take long.
        let value = make();
        kept().keep(source.to_owned(), value.clone());
        value
    }
}

impl<V: Clone> Halves<V> {
    fn get(&mut self, source: &str) -> Option<V> {
        if let Some(value) = self.lately.get(source) {
            return Some(value.clone());
        }
        let (source, value) = self.before.remove_entry(source)?;
        self.keep(source, value.clone());
        Some(value)
    }

    fn keep(&mut self, source: String, value: V) {
        if self.lately.len() >= MOST {
            self.before = std::mem::take(&mut self.lately);
        }
        self.lately.insert(source, value);
    }
}

#[cfg(test)]
mod tests;
