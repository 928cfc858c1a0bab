//! Values that many owners share because they are equal.

use std::sync::Arc;

use parking_lot::Mutex;

/// How many different values are compared with a new one.
const MAX_RECENT: usize = 8;

/// The values that were shared last, the latest first.
pub(super) struct RecentValues<V>(Mutex<Vec<Arc<V>>>);

impl<V> Default for RecentValues<V> {
    fn default() -> Self {
        Self(Mutex::default())
    }
}

impl<V: PartialEq> RecentValues<V> {
    /// The same value as before if it is one of the latest, or else this one.
    pub(super) fn share(&self, value: V) -> Arc<V> {
        let mut recent = self.0.lock();
        let shared = match recent.iter().position(|known| **known == value) {
            Some(0) => return Arc::clone(&recent[0]),
            Some(at) => recent.remove(at),
            None => {
                recent.truncate(MAX_RECENT - 1);
                Arc::new(value)
            }
        };
        recent.insert(0, Arc::clone(&shared));
        shared
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_values_are_shared_while_they_are_recent() {
        let recent = RecentValues::default();
        let first = recent.share(0);
        for value in 1..MAX_RECENT {
            assert_eq!(*recent.share(value), value);
        }
        assert!(Arc::ptr_eq(&first, &recent.share(0)), "it is among the last eight");
        for value in 0..MAX_RECENT {
            recent.share(100 + value);
        }
        assert!(!Arc::ptr_eq(&first, &recent.share(0)), "eight others came after it");
    }
}
