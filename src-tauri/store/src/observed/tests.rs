use futures::executor::block_on;
use plait_core::id::RunId;
use plait_journal::view::RunStatus;
use plait_journal::{Entry, Event, Journal as _, JournalLines as _};
use plait_testing::{RunStart, bought_reply};

use super::*;
use crate::Store;

fn entry(seq: u64, event: impl Into<Event>) -> Entry {
    Entry { seq: Some(seq), at: seq, event: event.into(), interrupted_ms: 0 }
}

fn entries(run: &RunId) -> Vec<Entry> {
    vec![entry(0, RunStart::new(run.clone())), entry(1, bought_reply(700, None))]
}

fn run() -> RunId {
    RunId::from("01890000-0000-7000-8000-000000000001")
}

#[test]
fn observed_run_is_read_like_any_other_and_leaves_nothing_on_disk() {
    let home = tempfile::tempdir().unwrap();
    let store = Store::open(home.path()).unwrap();
    let (run, of_run) = (run(), entries(&run()));
    store.observe_run(&run, &of_run, "{}".to_owned()).unwrap();
    let listed = store.runs(&RunFilter { limit: Some(1), ..RunFilter::default() }).unwrap();
    assert_eq!(listed.iter().map(|record| (&record.run, record.events)).collect::<Vec<_>>(), [(&run, 2)]);
    assert_eq!(store.run(&run).unwrap().status, RunStatus::Running);
    assert_eq!(store.find_run("0189").unwrap(), run);
    let read = |from: u64| store.read_journal(&run, from).unwrap().map(Result::unwrap).collect::<Vec<_>>();
    assert_eq!((read(0), read(1)), (of_run.clone(), of_run[1..].to_vec()));
    let lines = store.journal_lines(&run).unwrap();
    assert_eq!((lines.count(), lines.entry(1)), (2, Some(of_run[1].clone())));
    assert_eq!(store.flow(&content_hash(b"{}")).unwrap(), "{}");
    for refused in [store.journal(&run).err(), store.remove_run(&run).err()] {
        assert_eq!(refused.unwrap().code, codes::RUN_BUSY);
    }
    drop(store);
    assert!(Store::open(home.path()).unwrap().runs(&RunFilter::default()).unwrap().is_empty());
}

#[test]
fn entries_grow_or_are_replaced() {
    let home = tempfile::tempdir().unwrap();
    let store = Store::open(home.path()).unwrap();
    let (run, of_run) = (run(), entries(&run()));
    let observe = |entries: &[Entry]| store.observe_run(&run, entries, "{}".to_owned()).unwrap();
    assert_eq!(observe(&of_run[..1]), ObservedChange::Grown(1));
    assert_eq!(observe(&of_run), ObservedChange::Grown(1));
    assert_eq!(observe(&of_run), ObservedChange::Grown(0));
    assert_eq!(observe(&of_run[..1]), ObservedChange::Replaced);
    // What is kept of it takes its place.
    store.forget_observed(&run).unwrap();
    store.journal(&run).unwrap().append(&of_run).unwrap();
    block_on(store.flush()).unwrap();
    assert_eq!(store.read_journal(&run, 0).unwrap().count(), 2);
}
