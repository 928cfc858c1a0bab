//! What runs have spent is kept, whatever happens to the runs.

use std::path::Path;

use plait_core::id::RunId;
use plait_core::origin::Origins;
use plait_journal::{Event, EventRef, Journal, RunEvent, Spending};
use plait_llm::models::{Cost, TokenUsage};
use plait_store::doctor;
use plait_store::{GuardedDocument, Store};
use plait_testing::bought_reply;

use crate::support::{copy, entry, flush, journal_path, run_id, started};

const COST: u64 = 700;

fn replied(reused: Option<EventRef>) -> Event {
    bought_reply(COST, reused)
}

/// Stores a run with these replies that has ended.
fn store_run(store: &Store, run: &RunId, replies: Vec<Event>) {
    let end =
        Event::Run(RunEvent::Finished { origins: Origins::NONE, outputs: std::collections::BTreeMap::new() });
    let mut journal = store.journal(run).expect("journal");
    for (seq, event) in (0..).zip([started(run)].into_iter().chain(replies).chain([end])) {
        journal.append(&[entry(seq, event)]).expect("appended");
    }
    flush(&mut journal);
}

fn spent(store: &Store) -> Spending {
    let runs = store.spending().expect("summed");
    runs.iter().flat_map(|run| run.spent.values()).flat_map(|models| models.values()).copied().sum()
}

fn calls(count: u64) -> Spending {
    let tokens = TokenUsage::new(10 * count, 5 * count);
    Spending { calls: count, tokens, cost: Cost { nano_usd: COST * count, unpriced: 0 } }
}

#[test]
fn removed_run_stays_in_the_ledger() {
    let home = tempfile::tempdir().expect("folder");
    let (first, second, third) = (run_id(1), run_id(2), run_id(3));
    let store = Store::open(home.path()).expect("opened");
    store_run(&store, &first, vec![replied(None), replied(None)]);
    store_run(&store, &second, vec![replied(None)]);
    assert_eq!(spent(&store), calls(3));
    store.remove_run(&first).expect("removed");
    assert_eq!(spent(&store), calls(3));
    // As after a crash right behind the removal.
    let crashed = copy(home.path());
    for home in [crashed.path(), home.path()] {
        assert_eq!(spent(&Store::open_for_reading(home).expect("opened")), calls(3));
    }
    drop(store);
    std::fs::remove_dir_all(home.path().join("index")).expect("removed");
    let store = Store::open(home.path()).expect("opened");
    assert_eq!(spent(&store), calls(3));
    store_run(&store, &third, vec![replied(None)]);
    store.remove_run(&second).expect("removed");
    store.remove_run(&third).expect("removed");
    drop(store);
    assert_eq!(spent(&Store::open(home.path()).expect("opened")), calls(4));
}

#[test]
fn reused_reply_counts_once_also_without_the_run_that_bought_it() {
    let home = tempfile::tempdir().expect("folder");
    let (bought, fork) = (run_id(1), run_id(2));
    let store = Store::open(home.path()).expect("opened");
    store_run(&store, &bought, vec![replied(None)]);
    store_run(&store, &fork, vec![replied(Some(EventRef { run: bought.clone(), seq: 1 })), replied(None)]);
    assert_eq!(spent(&store), calls(2));
    store.remove_run(&bought).expect("removed");
    assert_eq!(spent(&store), calls(2));
    store.remove_run(&fork).expect("removed");
    assert_eq!(spent(&store), calls(2));
}

/// A journal that was deleted by hand, and an index that does not know of it any more.
#[test]
fn run_without_its_file_stays_in_the_ledger() {
    let home = tempfile::tempdir().expect("folder");
    let run = run_id(1);
    store_run(&Store::open(home.path()).expect("opened"), &run, vec![replied(None)]);
    std::fs::remove_file(journal_path(home.path(), &run)).expect("removed");
    std::fs::remove_dir_all(home.path().join("index")).expect("removed");
    assert_eq!(spent(&Store::open(home.path()).expect("opened")), calls(1));
}

#[test]
fn damaged_ledger_is_filled_again_from_the_runs_that_are_there() {
    let home = tempfile::tempdir().expect("folder");
    let (kept, removed) = (run_id(1), run_id(2));
    let store = Store::open(home.path()).expect("opened");
    store_run(&store, &kept, vec![replied(None)]);
    store_run(&store, &removed, vec![replied(None)]);
    store.remove_run(&removed).expect("removed");
    drop(store);
    let path = home.path().join("spending.log");
    let whole = std::fs::read(&path).expect("read");
    let is_lost = |salvage| {
        let report = doctor::check(home.path(), salvage, &mut |_, _| ()).expect("checked");
        report.findings.iter().any(|finding| finding.is_loss && finding.path == path)
    };
    // In the record of the run that is there, and in that of the other one.
    for (place, remaining) in [(80, 2), (whole.len() - 10, 1)] {
        let mut bytes = whole.clone();
        bytes[place] ^= 1;
        std::fs::write(&path, bytes).expect("written");
        assert_eq!(spent(&Store::open(home.path()).expect("opened")), calls(remaining), "byte {place}");
        assert_eq!(is_lost(false), remaining < 2, "byte {place}");
    }
    assert!(is_lost(true), "what is salvaged was lost");
    assert_eq!(Store::open(home.path()).expect("opened").check_ledger(), Ok(()), "Plait itself wrote it");
    assert!(!is_lost(false));
    assert_eq!(spent(&Store::open(home.path()).expect("opened")), calls(1));
}

/// What something else does to the ledger.
#[derive(Clone, Copy, Debug)]
enum Change {
    Remove,
    Cut(u64),
    /// As long as it was.
    Rewrite,
}

impl Change {
    fn apply(self, path: &Path) {
        match self {
            Self::Remove => std::fs::remove_file(path),
            Self::Cut(length) => {
                std::fs::OpenOptions::new().write(true).open(path).expect("opened").set_len(length)
            }
            Self::Rewrite => std::fs::write(path, rewritten(&std::fs::read(path).expect("read"))),
        }
        .expect("changed");
    }
}

/// The ledger of a run that was cheaper, with the checksums of its records.
fn rewritten(ledger: &[u8]) -> Vec<u8> {
    let home = tempfile::tempdir().expect("folder");
    let store = Store::open(home.path()).expect("opened");
    store_run(&store, &run_id(1), vec![bought_reply(COST - 1, None)]);
    drop(store);
    let other = std::fs::read(home.path().join("spending.log")).expect("read");
    assert_eq!(other.len(), ledger.len());
    other
}

#[test]
fn ledger_that_was_changed_is_reported_until_a_person_accepts_it() {
    for change in [Change::Remove, Change::Cut(0), Change::Cut(100), Change::Rewrite] {
        let home = tempfile::tempdir().expect("folder");
        let store = Store::open(home.path()).expect("opened");
        let removed = run_id(1);
        store_run(&store, &removed, vec![replied(None)]);
        store.remove_run(&removed).expect("removed");
        assert_eq!(store.check_ledger(), Ok(()));
        drop(store);
        let path = home.path().join("spending.log");
        change.apply(&path);
        let code = |store: &Store| store.check_ledger().map_err(|fault| fault.code.to_string());
        let changed = Err("store.changed_outside".to_owned());
        assert_eq!(code(&Store::open_for_reading(home.path()).expect("opened")), changed, "{change:?}");
        let store = Store::open(home.path()).expect("opened");
        // What is entered meanwhile must not hide what is missing.
        let others: Vec<_> = (2..12).map(run_id).collect();
        for run in &others {
            store_run(&store, run, vec![replied(None)]);
        }
        store.remove_run(&others[0]).expect("removed");
        drop(store);
        let store = Store::open(home.path()).expect("opened");
        assert_eq!(code(&store), changed, "{change:?}");
        drop(store);
        let report = doctor::check(home.path(), false, &mut |_, _| ()).expect("checked");
        assert!(report.findings.iter().any(|finding| finding.path == path && !finding.is_loss), "{change:?}");
        assert_eq!(doctor::accept_edits(home.path()).expect("accepted"), [path]);
        assert_eq!(Store::open(home.path()).expect("opened").check_ledger(), Ok(()), "{change:?}");
    }
}

#[test]
fn ledger_that_was_changed_is_accepted_by_its_content() {
    let home = tempfile::tempdir().expect("folder");
    let store = Store::open(home.path()).expect("opened");
    let removed = run_id(1);
    store_run(&store, &removed, vec![replied(None)]);
    store.remove_run(&removed).expect("removed");
    drop(store);
    let store = Store::open(home.path()).expect("opened");
    let kept = run_id(2);
    store_run(&store, &kept, vec![replied(None)]);
    drop(store.journal(&kept));
    // The store is open, and has read the file before.
    Change::Remove.apply(&home.path().join("spending.log"));
    let fault = store.check_ledger().expect_err("removed");
    assert_eq!(fault.details["document"], "spending");
    store.accept(GuardedDocument::Spending, "17").expect_err("another content");
    let content = fault.details["hash"].as_str().expect("a hash");
    store.accept(GuardedDocument::Spending, content).expect("accepted");
    assert_eq!(store.check_ledger(), Ok(()));
    assert_eq!(spent(&store), calls(1), "of the run that is there");
    store.remove_run(&kept).expect("removed");
    drop(store);
    let store = Store::open(home.path()).expect("opened");
    assert_eq!((store.check_ledger(), spent(&store)), (Ok(()), calls(1)));
}

/// A process that is killed closes no journal.
#[test]
fn run_of_a_killed_process_stays_in_the_ledger() {
    let home = tempfile::tempdir().expect("folder");
    let run = run_id(1);
    let store = Store::open(home.path()).expect("opened");
    let mut journal = store.journal(&run).expect("journal");
    journal.append(&[entry(0, started(&run)), entry(1, replied(None))]).expect("appended");
    flush(&mut journal);
    let killed = copy(home.path());
    let store = Store::open(killed.path()).expect("opened");
    store.remove_run(&run).expect("removed");
    assert_eq!(spent(&store), calls(1));
    drop(store);
    assert_eq!(spent(&Store::open(killed.path()).expect("opened")), calls(1));
}
