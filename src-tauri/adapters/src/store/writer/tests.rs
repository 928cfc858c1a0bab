//! A database that fails: what is reported, what is lost, and how the store recovers.

use std::sync::atomic::{AtomicUsize, Ordering};

use futures::executor::block_on;
use parking_lot::Mutex;
use plait_engine::id::RunId;
use plait_engine::journal::{Entry, Event, FlowRef, Journal, RunEvent};

use super::*;
use crate::store::database::Database;
use crate::store::store_core::StoreCore;
use crate::store::{Store, open};

/// What fails next.
#[derive(Clone, Copy, PartialEq)]
enum Fails {
    Nothing,
    Apply,
    Flush,
    FlushAndReopen,
    Panics,
}

/// The real database, which fails on request.
struct Failing {
    database: Arc<Database>,
    fails: Mutex<Fails>,
    flushes: AtomicUsize,
}

impl Failing {
    fn fail_with(&self, fails: Fails) {
        *self.fails.lock() = fails;
    }

    fn check(&self, when: &[Fails]) -> Result<(), Fault> {
        let fails = *self.fails.lock();
        if when.contains(&fails) {
            return Err(fault::of_io(
                "write to the store",
                &std::io::Error::from(std::io::ErrorKind::StorageFull),
            ));
        }
        Ok(())
    }
}

impl Backend for Failing {
    fn apply(&self, batch: sled::Batch) -> Result<(), Fault> {
        assert!(*self.fails.lock() != Fails::Panics, "as the database does");
        self.check(&[Fails::Apply])?;
        self.database.apply(batch)
    }

    fn apply_alone(&self, batch: sled::Batch) -> Result<(), Fault> {
        self.check(&[Fails::Apply])?;
        self.database.apply_alone(batch)
    }

    fn segments(&self, range: JournalRange) -> Result<Vec<(sled::IVec, sled::IVec)>, Fault> {
        self.database.segments(range)
    }

    fn flush(&self) -> Result<(), Fault> {
        self.flushes.fetch_add(1, Ordering::Relaxed);
        self.check(&[Fails::Flush, Fails::FlushAndReopen])?;
        self.database.flush()
    }

    fn reopen(&self) -> Result<(), Fault> {
        self.check(&[Fails::FlushAndReopen])?;
        self.database.reopen()
    }
}

fn failing(home: &std::path::Path) -> (Store, Arc<Failing>) {
    let lock = open::lock(home).expect("locked");
    let database = Database::open(home.join("db")).expect("opened");
    let failing = Arc::new(Failing {
        database: Arc::clone(&database),
        fails: Mutex::new(Fails::Nothing),
        flushes: AtomicUsize::new(0),
    });
    let backend: Arc<dyn Backend> = Arc::<Failing>::clone(&failing);
    (Store(StoreCore::with(home, lock, database, backend).expect("started")), failing)
}

fn run() -> RunId {
    "0193e2a1-7c3b-7d52-9a41-3f2f7c6f1a10".into()
}

fn entry(seq: u64) -> Entry {
    let event = if seq == 0 {
        let flow = FlowRef { name: "F".into(), path: None, hash: "0".repeat(64) };
        let (to, input, set, parent_run_id) = (None, None, std::collections::BTreeMap::new(), None);
        Event::Run(RunEvent::Started {
            run: run(),
            flow,
            to,
            input,
            set,
            parent_run_id,
            conversation: None,
            models: std::sync::Arc::default(),
        })
    } else {
        Event::Run(RunEvent::Waiting { on: Vec::new(), more: 0 })
    };
    Entry { seq: Some(seq), at: seq, event }
}

fn append(journal: &mut impl Journal, seq: u64) -> Result<(), Fault> {
    journal.append(&[entry(seq)])?;
    block_on(journal.flush())
}

fn kept(store: &Store) -> usize {
    let entries: Result<Vec<_>, _> = store.read_journal(&run(), 0).expect("opened").collect();
    entries.expect("whole").len()
}

#[test]
fn error_is_reported_and_the_store_continues_from_disk() {
    for fails in [Fails::Apply, Fails::Flush, Fails::Panics] {
        let home = tempfile::tempdir().expect("folder");
        let (store, failing) = failing(home.path());
        let mut journal = store.journal(&run()).expect("journal");
        append(&mut journal, 0).expect("kept");
        failing.fail_with(fails);
        let fault = append(&mut journal, 1).expect_err("reported");
        assert_eq!(fault.code, if fails == Fails::Panics { "store.io" } else { "store.full" });
        // There is room again. What this journal had appended may be lost, so it takes no more.
        failing.fail_with(Fails::Nothing);
        assert_eq!(append(&mut journal, 2).expect_err("refused").code, fault.code);
        assert_eq!(block_on(journal.flush()).expect_err("refused").code, fault.code);
        drop(journal);
        let mut journal = store.journal(&run()).expect("journal");
        let next = journal.next_seq();
        assert_eq!(kept(&store) as u64, next);
        assert!(next >= 1, "nothing flushed is lost");
        append(&mut journal, next).expect("kept");
        assert_eq!(kept(&store) as u64, next + 1);
        assert_eq!(store.run(&run()).expect("record").events, next + 1);
    }
}

#[test]
fn full_disk_is_reported_at_every_write() {
    let home = tempfile::tempdir().expect("folder");
    let (store, failing) = failing(home.path());
    let mut journal = store.journal(&run()).expect("journal");
    append(&mut journal, 0).expect("kept");
    failing.fail_with(Fails::FlushAndReopen);
    append(&mut journal, 1).expect_err("reported");
    drop(journal);
    for _ in 0..3 {
        assert_eq!(store.journal(&run()).err().expect("refused").code, "store.full");
        assert_eq!(store.put_settings(&serde_json::Map::new()).expect_err("refused").code, "store.full");
    }
    failing.fail_with(Fails::Nothing);
    assert!(store.put_settings(&serde_json::Map::new()).is_ok());
    assert!(store.journal(&run()).expect("journal").next_seq() >= 1);
}

#[test]
fn one_flush_serves_all_who_wait() {
    let home = tempfile::tempdir().expect("folder");
    let (store, failing) = failing(home.path());
    let mut journal = store.journal(&run()).expect("journal");
    append(&mut journal, 0).expect("kept");
    let before = failing.flushes.load(Ordering::Relaxed);
    // The disk is busy with the first flush until all of them wait.
    let busy = failing.fails.lock();
    let waits: Vec<_> = (0..100).map(|_| store.flush()).collect();
    drop(busy);
    for wait in waits {
        block_on(wait).expect("flushed");
    }
    let flushes = failing.flushes.load(Ordering::Relaxed) - before;
    assert!((1..=2).contains(&flushes), "{flushes} flushes for 100 waiters");
}
