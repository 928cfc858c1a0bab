//! Events and runs to store.

use plait_adapters::Store;
use plait_engine::id::{Activation, Epoch, RunId};
use plait_engine::journal::{Entry, Event, FinishMetadata, FlowRef, Journal, NodeEvent, RunEvent};
use serde_json::json;
use std::sync::Arc;

/// A run's id; larger numbers are later runs.
pub(crate) fn run_id(number: u64) -> RunId {
    let timestamp = uuid::Timestamp::from_unix(uuid::NoContext, 1_700_000_000 + number, 0);
    uuid::Uuid::new_v7(timestamp).to_string().into()
}

pub(crate) fn started(run: &RunId) -> Event {
    started_as(run, FlowRef { name: "Flow".into(), path: None, hash: "0".repeat(64) })
}

pub(crate) fn started_as(run: &RunId, flow: FlowRef) -> Event {
    let (to, input, set, parent_run_id) = (None, None, std::collections::BTreeMap::new(), None);
    Event::Run(RunEvent::Started {
        run: run.clone(),
        flow,
        to,
        input,
        set,
        parent_run_id,
        conversation: None,
        models: std::sync::Arc::default(),
    })
}

/// A node that finished with `text` on its output.
pub(crate) fn finished(node: &str, text: &str) -> Event {
    Event::Node(
        Activation { node: node.into(), epoch: Epoch::root() },
        NodeEvent::Finished {
            outputs: [("out".into(), Arc::new(json!(text)))].into(),
            messages: std::collections::BTreeMap::new(),
            metadata: FinishMetadata::default(),
        },
    )
}

pub(crate) fn entry(seq: u64, event: Event) -> Entry {
    Entry { seq: Some(seq), at: 1_700_000_000_000 + seq, event }
}

/// A journal's entries: the first, then `texts` as finished nodes.
pub(crate) fn entries(run: &RunId, texts: impl IntoIterator<Item = String>) -> Vec<Entry> {
    std::iter::once(started(run))
        .chain(texts.into_iter().map(|text| finished("n", &text)))
        .zip(0..)
        .map(|(event, seq)| entry(seq, event))
        .collect()
}

pub(crate) fn read(store: &Store, run: &RunId) -> Vec<Entry> {
    store.read_journal(run, 0).expect("opened").collect::<Result<_, _>>().expect("whole")
}

pub(crate) fn flush(journal: &mut impl Journal) {
    futures::executor::block_on(journal.flush()).expect("flushed");
}

/// The database itself, once the store that had it is closed: it lets go of its lock a little later.
pub(crate) fn database(home: &std::path::Path) -> sled::Db {
    for _ in 0..500 {
        let config = sled::Config::new().path(home.join("db")).segment_size(256 << 10).use_compression(true);
        if let Ok(db) = config.open() {
            return db;
        }
        std::thread::sleep(std::time::Duration::from_millis(10));
    }
    panic!("the database does not open");
}
