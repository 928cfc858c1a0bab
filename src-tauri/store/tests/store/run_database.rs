//! Runs with their truth in a database: it has the bytes of the files, and another data directory goes on from there.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use parking_lot::Mutex;
use plait_core::attachment::AttachmentStore as _;
use plait_core::error::Fault;
use plait_core::hash::content_hash;
use plait_core::id::{AttachmentHash, RunId};
use plait_core::origin::Origins;
use plait_journal::{Event, Journal, RunEvent};
use plait_store::{RunDatabase, Store, TreeRecord, codes};
use proptest::prelude::*;

use crate::support::{entries, entry, finished, flush, journal_path, read, run_id, started};

/// A database in memory. It hands out no leases: a test says when the writer is another one.
#[derive(Default)]
struct MemoryDatabase {
    trees: Mutex<BTreeMap<RunId, Vec<u8>>>,
    flows: Mutex<BTreeMap<String, String>>,
    attachments: Mutex<BTreeMap<String, Vec<u8>>>,
    is_superseded: AtomicBool,
}

impl RunDatabase for MemoryDatabase {
    fn append(&self, root: &RunId, records: &[TreeRecord<'_>]) -> Result<(), Fault> {
        if self.is_superseded.load(Ordering::SeqCst) {
            return Err(Fault::new(codes::RUN_SUPERSEDED, "Another process drives the run."));
        }
        let mut trees = self.trees.lock();
        let tree = trees.entry(root.clone()).or_default();
        for record in records {
            assert_eq!(tree.len() as u64, record.position, "records follow each other");
            tree.extend_from_slice(record.bytes);
        }
        Ok(())
    }

    fn put_flow(&self, hash: &str, text: &str) -> Result<(), Fault> {
        self.flows.lock().insert(hash.to_owned(), text.to_owned());
        Ok(())
    }

    fn flow(&self, hash: &str) -> Result<Option<String>, Fault> {
        Ok(self.flows.lock().get(hash).cloned())
    }

    fn put_attachment(&self, hash: &AttachmentHash, bytes: &[u8]) -> Result<(), Fault> {
        self.attachments.lock().insert(hash.as_str().to_owned(), bytes.to_vec());
        Ok(())
    }

    fn attachment(&self, hash: &AttachmentHash) -> Result<Option<Vec<u8>>, Fault> {
        Ok(self.attachments.lock().get(hash.as_str()).cloned())
    }
}

/// A data directory whose runs have their truth in the database.
fn open(database: &Arc<MemoryDatabase>) -> (tempfile::TempDir, Store) {
    let home = tempfile::tempdir().expect("folder");
    let database = Arc::clone(database) as Arc<dyn RunDatabase>;
    let store = Store::open_with_database(home.path(), database, &mut |_, _| ()).expect("opened");
    (home, store)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 16, ..ProptestConfig::default() })]

    #[test]
    fn database_has_the_bytes_of_the_file(
        pieces in prop::collection::vec((prop::collection::vec(prop_oneof![
            8 => "\\PC{0,40}",
            1 => (5_000usize..60_000).prop_map(|length| "plait ".repeat(length / 6)),
        ], 1..5), any::<bool>(), prop::bool::weighted(0.2)), 1..12),
    ) {
        let database = Arc::new(MemoryDatabase::default());
        let (mut home, mut store) = open(&database);
        let plain_home = tempfile::tempdir().expect("folder");
        let plain = Store::open(plain_home.path()).expect("opened");
        let run = run_id(1);
        let mut model = vec![entry(0, started(&run))];
        let mut journal = store.journal(&run).expect("journal");
        let mut plain_journal = plain.journal(&run).expect("journal");
        journal.append(&model).expect("appended");
        plain_journal.append(&model).expect("appended");
        for (texts, flushes, moves) in pieces {
            let more: Vec<_> = texts.iter().zip(model.len() as u64..).map(|(text, seq)| entry(seq, finished("n", text))).collect();
            journal.append(&more).expect("appended");
            plain_journal.append(&more).expect("appended");
            model.extend(more);
            if flushes || moves {
                flush(&mut journal);
                let stored = database.trees.lock()[&run].clone();
                prop_assert!(stored == std::fs::read(journal_path(home.path(), &run)).expect("file"));
                flush(&mut plain_journal);
                prop_assert!(stored == std::fs::read(journal_path(plain_home.path(), &run)).expect("file"));
            }
            if moves {
                let stored = database.trees.lock()[&run].clone();
                drop((journal, store));
                (home, store) = open(&database);
                store.put_tree(&run, &stored).expect("put");
                journal = store.journal(&run).expect("journal");
            }
            prop_assert_eq!(&read(&store, &run), &model);
        }
    }
}

#[test]
fn superseded_writer_keeps_what_the_database_has() {
    let database = Arc::new(MemoryDatabase::default());
    let (home, store) = open(&database);
    let run = run_id(1);
    let all = entries(&run, (0..6).map(|number| number.to_string()));
    let mut journal = store.journal(&run).expect("journal");
    journal.append(&all[..3]).expect("appended");
    flush(&mut journal);
    let stored = database.trees.lock()[&run].clone();
    database.is_superseded.store(true, Ordering::SeqCst);
    journal.append(&all[3..5]).expect("buffered");
    let refused = futures::executor::block_on(journal.flush()).expect_err("superseded");
    assert_eq!(refused.code.as_str(), "run.superseded");
    assert_eq!(journal.append(&all[5..]).expect_err("failed").code.as_str(), "run.superseded");
    drop(journal);
    assert_eq!(database.trees.lock()[&run], stored);
    assert_eq!(std::fs::read(journal_path(home.path(), &run)).expect("file"), stored);
    // What the other process wrote takes its place.
    let (_home, other) = open(&Arc::new(MemoryDatabase::default()));
    other.put_tree(&run, &stored).expect("put");
    assert_eq!(read(&other, &run), all[..3]);
    let longer = tempfile::tempdir().expect("folder");
    let plain = Store::open(longer.path()).expect("opened");
    let mut journal = plain.journal(&run).expect("journal");
    journal.append(&all).expect("appended");
    flush(&mut journal);
    let longer = std::fs::read(journal_path(longer.path(), &run)).expect("file");
    store.put_tree(&run, &longer).expect("put");
    assert_eq!(read(&store, &run), all);
    store.put_tree(&run, &stored).expect("a shorter one is no damage");
    assert_eq!(read(&store, &run), all[..3]);
}

#[test]
fn tree_that_is_driven_is_not_replaced() {
    let database = Arc::new(MemoryDatabase::default());
    let (_home, store) = open(&database);
    let run = run_id(1);
    let mut journal = store.journal(&run).expect("journal");
    journal.append(&entries(&run, [])).expect("appended");
    flush(&mut journal);
    let stored = database.trees.lock()[&run].clone();
    assert_eq!(store.put_tree(&run, &stored).expect_err("busy").code.as_str(), "run.busy");
    assert_eq!(store.stored_tree(&run).expect_err("busy").code.as_str(), "run.busy");
    drop(journal);
    assert_eq!(store.stored_tree(&run).expect("at rest").bytes, stored);
}

#[test]
fn ended_tree_is_read_after_it_moved() {
    let home = tempfile::tempdir().expect("folder");
    let run = run_id(1);
    let mut all = entries(&run, (0..200).map(|number| format!("{number} {}", "wide ".repeat(1_200))));
    let end = RunEvent::Finished { origins: Origins::NONE, outputs: BTreeMap::new() };
    all.push(entry(all.len() as u64, Event::Run(end)));
    let store = Store::open(home.path()).expect("opened");
    let mut journal = store.journal(&run).expect("journal");
    journal.append(&all).expect("appended");
    flush(&mut journal);
    drop((journal, store));
    // Compressed by now.
    let store = Store::open(home.path()).expect("opened");
    let tree = store.stored_tree(&run).expect("at rest");
    let records = TreeRecord::split(&tree.root, 0, &tree.bytes).expect("whole");
    let joined: Vec<u8> = records.iter().flat_map(|record| record.bytes).copied().collect();
    assert_eq!(joined, tree.bytes);
    let torn = TreeRecord::split(&tree.root, 0, &tree.bytes[..tree.bytes.len() - 1]);
    assert_eq!(torn.expect_err("torn").code.as_str(), "journal.corrupt");
    let elsewhere = tempfile::tempdir().expect("folder");
    let other = Store::open(elsewhere.path()).expect("opened");
    other.put_tree(&run, &tree.bytes).expect("put");
    assert!(read(&other, &run) == all);
    assert_eq!(other.run(&run).expect("record").status, store.run(&run).expect("record").status);
}

#[test]
fn flows_and_attachments_are_found_in_the_database() {
    let database = Arc::new(MemoryDatabase::default());
    let (_first_home, first) = open(&database);
    let hash = first.put_flow("{}").expect("stored");
    let bytes: Arc<[u8]> = b"a picture".as_slice().into();
    let attachment: AttachmentHash = content_hash(&bytes).as_str().into();
    let runtime = tokio::runtime::Builder::new_current_thread().build().expect("runtime");
    runtime.block_on(first.put(&attachment, Arc::clone(&bytes))).expect("stored");
    let (_second_home, second) = open(&database);
    assert_eq!(second.flow(&hash).expect("found"), "{}");
    assert_eq!(runtime.block_on(second.get(&attachment)).expect("found"), bytes);
    database.flows.lock().insert(hash.clone(), "[]".to_owned());
    assert_eq!(second.flow(&hash).expect_err("another text").code.as_str(), "store.corrupt");
    database.flows.lock().clear();
    assert_eq!(second.flow(&hash).expect_err("unknown").code.as_str(), "flow.unknown");
}
