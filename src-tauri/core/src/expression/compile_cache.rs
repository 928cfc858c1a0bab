//! A cache of compiled expressions: the editor checks a whole flow at each change, and all but one of its texts are the
//! same as before.

use std::num::NonZeroUsize;

use lru::LruCache;
use parking_lot::Mutex;

/// How many compiled expressions a cache holds. The compiler evaluates the `unwrap`: it cannot panic at run time.
const MAX_ENTRIES: NonZeroUsize = NonZeroUsize::new(512).unwrap();

/// Compiled values by source text. The least recently used are dropped.
pub(super) struct CompileCache<V>(Mutex<LruCache<String, V>>);

impl<V: Clone> CompileCache<V> {
    pub(super) fn new() -> Self {
        Self(Mutex::new(LruCache::new(MAX_ENTRIES)))
    }

    /// The cached value for `source`, or else the result of `compile`.
    pub(super) fn get_or_compile(&self, source: &str, compile: impl FnOnce() -> V) -> V {
        if let Some(value) = self.0.lock().get(source) {
            return value.clone();
        }
        // Compile without holding the lock: it may take long.
        let value = compile();
        self.0.lock().put(source.to_owned(), value.clone());
        value
    }
}

#[cfg(test)]
mod tests;
