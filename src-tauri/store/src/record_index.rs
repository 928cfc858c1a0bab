//! A list in memory: the latest record of each run, or of each conversation. What changes goes to the derived index too, from
//! which the list is loaded when the store opens the next time. Refuses to know what a record says.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::index::{Index, List};
use crate::log_file::Key;

/// Records by key.
pub(crate) struct RecordIndex<V> {
    list: List,
    records: BTreeMap<Key, V>,
    index: Arc<Index>,
}

impl<V: Serialize + DeserializeOwned> RecordIndex<V> {
    /// A list of what was stored. Another version of Plait may have written a record that can't be read: it is taken from the files
    /// again.
    pub(crate) fn new(list: List, stored: BTreeMap<Key, Vec<u8>>, index: Arc<Index>) -> Self {
        let records =
            stored.into_iter().filter_map(|(key, text)| Some((key, serde_json::from_slice(&text).ok()?)));
        Self { list, records: records.collect(), index }
    }

    pub(crate) fn records(&self) -> &BTreeMap<Key, V> {
        &self.records
    }

    pub(crate) fn get(&self, key: &Key) -> Option<&V> {
        self.records.get(key)
    }

    pub(crate) fn put(&mut self, key: Key, record: V) {
        if let Ok(text) = serde_json::to_vec(&record) {
            self.index.put(self.list, &key, text);
        }
        self.records.insert(key, record);
    }

    /// Replaces a record in memory alone: the index need not know yet.
    pub(crate) fn put_unwritten(&mut self, key: Key, record: V) {
        self.records.insert(key, record);
    }

    pub(crate) fn remove(&mut self, key: &Key) {
        if self.records.remove(key).is_some() {
            self.index.remove(self.list, key);
        }
    }
}
