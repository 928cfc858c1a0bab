//! The derived index says what the files say, whatever happened to the store before.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use plait_core::id::{Activation, Epoch, ReplyKey, RunId};
use plait_core::origin::Origins;
use plait_journal::{CallEvent, Event, Journal, RunEvent};
use plait_llm::provider::ModelReply;
use plait_store::Store;
use plait_store::{RunFilter, RunJournal, doctor};

use crate::support::{copy, entries, entry, finished, flush, journal_path, run_id, started};

const KEYS: [&str; 4] = ["a", "ab", "b", "c"];

fn replied(key: &str, reused: bool) -> Event {
    let mut event = CallEvent::ModelReplied {
        origins: Origins::NONE,
        step: 0,
        reply: Box::new(ModelReply::default()),
        account: None,
        key: Some(key.into()),
        sampling: None,
        reused: None,
        bought: None,
    };
    if let (true, CallEvent::ModelReplied { reused, .. }) = (reused, &mut event) {
        *reused = Some(plait_journal::EventRef { run: run_id(0), seq: 0 });
    }
    Event::Call(Activation { node: "chat".into(), epoch: Epoch::root() }, event)
}

fn ended() -> Event {
    Event::Run(RunEvent::Finished { origins: Origins::NONE, outputs: BTreeMap::new() })
}

/// What was done to a store, recorded beside it.
#[derive(Default)]
struct Recorded {
    runs: Vec<RecordedRun>,
    /// The places of bought replies, by key.
    replies: BTreeMap<&'static str, BTreeSet<(RunId, u64)>>,
}

struct RecordedRun {
    id: RunId,
    parent: Option<usize>,
    events: u64,
    has_ended: bool,
    is_removed: bool,
}

impl Recorded {
    fn is_within(&self, run: usize, root: usize) -> bool {
        run == root || self.runs[run].parent.is_some_and(|parent| self.is_within(parent, root))
    }

    fn begin(&mut self, parent: Option<usize>) -> (usize, Event) {
        let id = run_id(self.runs.len() as u64 + 1);
        let mut first = started(&id);
        if let Event::Run(RunEvent::Started { parent_run_id, .. }) = &mut first {
            *parent_run_id = parent.map(|parent| self.runs[parent].id.clone());
        }
        self.runs.push(RecordedRun { id, parent, events: 0, has_ended: false, is_removed: false });
        (self.runs.len() - 1, first)
    }

    fn remove(&mut self, root: usize) {
        for run in 0..self.runs.len() {
            if self.is_within(run, root) {
                self.runs[run].is_removed = true;
                let id = &self.runs[run].id;
                self.replies.values_mut().for_each(|places| places.retain(|(run, _)| run != id));
            }
        }
    }

    fn assert_of(&self, store: &Store, context: &str) {
        let listed: BTreeMap<RunId, u64> = store
            .runs(&RunFilter::default())
            .expect("listed")
            .into_iter()
            .map(|record| (record.run, record.events))
            .collect();
        let recorded = self.runs.iter().filter(|run| !run.is_removed);
        assert_eq!(listed, recorded.map(|run| (run.id.clone(), run.events)).collect(), "{context}");
        for key in KEYS {
            let recorded: Vec<_> = self.replies.get(key).into_iter().flatten().cloned().collect();
            assert_eq!(store.find_replies(&ReplyKey::from(key)), recorded, "{context}: replies of {key}");
        }
    }
}

/// Appends to a run, and tells of it. The journal is closed again.
fn append(store: &Store, recorded: &mut Recorded, run: usize, events: Vec<Event>) {
    let mut journal: RunJournal = store.journal(&recorded.runs[run].id).expect("journal");
    for event in events {
        let seq = recorded.runs[run].events;
        if let Event::Call(_, CallEvent::ModelReplied { key: Some(key), reused: None, .. }) = &event {
            let key = KEYS.into_iter().find(|known| *known == key.as_str()).expect("known");
            recorded.replies.entry(key).or_default().insert((recorded.runs[run].id.clone(), seq));
        }
        recorded.runs[run].has_ended |= matches!(event, Event::Run(RunEvent::Finished { .. }));
        journal.append(&[entry(seq, event)]).expect("appended");
        recorded.runs[run].events += 1;
    }
    flush(&mut journal);
}

fn some_events(chance: &mut fastrand::Rng) -> Vec<Event> {
    (0..chance.usize(1..30))
        .map(|_| match chance.u8(0..4) {
            0 => replied(KEYS[chance.usize(0..KEYS.len())], false),
            1 => replied(KEYS[chance.usize(0..KEYS.len())], true),
            _ => finished("n", &"text ".repeat(chance.usize(0..400))),
        })
        .collect()
}

#[test]
fn rebuilding_the_index_gives_what_was_kept_step_by_step() {
    for seed in 0..12 {
        let mut chance = fastrand::Rng::with_seed(seed);
        let mut home = tempfile::tempdir().expect("folder");
        let mut store = Store::open(home.path()).expect("opened");
        let mut recorded = Recorded::default();
        for step in 0..40 {
            let context = format!("seed {seed}, step {step}");
            let open: Vec<usize> = (0..recorded.runs.len())
                .filter(|run| !recorded.runs[*run].is_removed && !recorded.runs[*run].has_ended)
                .collect();
            match (chance.u8(0..10), chance.choice(&open).copied()) {
                (0..3, parent) => {
                    let (run, first) = recorded.begin(parent.filter(|_| chance.bool()));
                    append(&store, &mut recorded, run, vec![first]);
                }
                (3..6, Some(run)) => append(&store, &mut recorded, run, some_events(&mut chance)),
                (6, Some(run)) => append(&store, &mut recorded, run, vec![ended()]),
                (7, Some(run)) => {
                    store
                        .remove_run(&recorded.runs[run].id)
                        .unwrap_or_else(|fault| panic!("{context}: {fault}"));
                    recorded.remove(run);
                }
                (8, _) => {
                    drop(store);
                    store = Store::open(home.path()).expect("opened");
                }
                // As after a crash: the files as they are while the index is being written.
                (9, _) => {
                    let crashed = copy(home.path());
                    drop(store);
                    home = crashed;
                    store = Store::open(home.path()).expect("opened");
                }
                _ => {}
            }
            recorded.assert_of(&store, &context);
        }
        let kept = store.runs(&RunFilter::default()).expect("listed");
        drop(store);
        std::fs::remove_dir_all(home.path().join("index")).expect("removed");
        let store = Store::open(home.path()).expect("opened");
        recorded.assert_of(&store, &format!("seed {seed}, rebuilt"));
        assert_eq!(store.runs(&RunFilter::default()).expect("listed"), kept, "seed {seed}");
    }
}

/// Without the index, the journal of a run that has ended need not be read to its end to list the run.
#[test]
fn reader_without_the_index_takes_the_summary_of_a_run_that_has_ended() {
    let home = tempfile::tempdir().expect("folder");
    let run = run_id(1);
    let texts = (0..5_000).map(|number: u32| format!("{number} {}", number.wrapping_mul(2_654_435_761)));
    let mut all = entries(&run, texts);
    all.push(entry(all.len() as u64, ended()));
    {
        let store = Store::open(home.path()).expect("opened");
        store.journal(&run).expect("journal").append(&all).expect("appended");
    }
    doctor::check(home.path(), false, &mut |_, _| ()).expect("checked");
    std::fs::remove_dir_all(home.path().join("index")).expect("removed");
    let path = journal_path(home.path(), &run);
    let whole = std::fs::read(&path).expect("read");
    std::fs::write(&path, &whole[..whole.len() / 2]).expect("written");
    let reader = Store::open_for_reading(home.path()).expect("opened");
    assert_eq!(reader.run(&run).expect("listed").events, all.len() as u64);
}

/// How many losses a check finds in journals. The flow of these runs was never stored.
fn count_lost_journals(home: &Path) -> usize {
    let report = doctor::check(home, false, &mut |_, _| ()).expect("checked");
    let is_journal = |path: &Path| path.extension().is_some_and(|extension| extension == "journal");
    report.findings.iter().filter(|finding| finding.is_loss && is_journal(&finding.path)).count()
}

fn listed(store: &Store) -> Vec<RunId> {
    store.runs(&RunFilter::default()).expect("listed").into_iter().map(|record| record.run).collect()
}

#[test]
fn reader_names_what_a_cut_or_missing_journal_has_lost() {
    let home = tempfile::tempdir().expect("folder");
    let (whole, cut, missing) = (run_id(1), run_id(2), run_id(3));
    let path = |run: &RunId| journal_path(home.path(), run);
    let mut border = 0;
    {
        let store = Store::open(home.path()).expect("opened");
        for run in [&whole, &missing, &cut] {
            let mut journal = store.journal(run).expect("journal");
            let all = entries(run, (0..20).map(|number: u32| number.to_string()));
            journal.append(&all[..10]).expect("appended");
            flush(&mut journal);
            border = std::fs::metadata(path(run)).expect("there").len();
            journal.append(&all[10..]).expect("appended");
            flush(&mut journal);
        }
    }
    let _writer = Store::open(home.path()).expect("opened");
    std::fs::OpenOptions::new().write(true).open(path(&cut)).expect("there").set_len(border).expect("cut");
    std::fs::remove_file(path(&missing)).expect("removed");
    let reader = Store::open_for_reading(home.path()).expect("opened");
    assert_eq!(listed(&reader), [&missing, &cut, &whole].map(Clone::clone));
    for (run, kept) in [(&whole, 21), (&cut, 10), (&missing, 0)] {
        let (read, faults): (Vec<_>, Vec<_>) =
            reader.read_journal(run, 0).expect("opened").partition(Result::is_ok);
        assert_eq!((read.len(), faults.len()), (kept, usize::from(kept < 21)), "{run}");
        assert!(faults.into_iter().filter_map(Result::err).all(|fault| fault.code == "journal.corrupt"));
    }
    assert_eq!(count_lost_journals(home.path()), 2);
}

/// The file has its other name before the index forgets the run.
#[test]
fn run_that_is_being_removed_is_not_listed() {
    let home = tempfile::tempdir().expect("folder");
    let (kept, removed) = (run_id(1), run_id(2));
    {
        let store = Store::open(home.path()).expect("opened");
        for run in [&kept, &removed] {
            store.journal(run).expect("journal").append(&entries(run, ["a".to_owned()])).expect("appended");
        }
    }
    let path = journal_path(home.path(), &removed);
    std::fs::rename(&path, path.with_extension("removed")).expect("renamed");
    assert_eq!(listed(&Store::open_for_reading(home.path()).expect("opened")), std::slice::from_ref(&kept));
    assert_eq!(listed(&Store::open(home.path()).expect("opened")), [kept]);
    assert!(!path.with_extension("removed").exists());
    assert_eq!(count_lost_journals(home.path()), 0);
}

#[test]
fn indexes_of_older_versions_are_removed() {
    let home = tempfile::tempdir().expect("folder");
    let old = ["runs/index.log", "conversations/index.log"].map(|name| home.path().join(name));
    for path in &old {
        std::fs::create_dir_all(path.parent().expect("a folder")).expect("made");
        std::fs::write(path, "PLAITLOG").expect("written");
    }
    drop(Store::open_for_reading(home.path()).expect("opened"));
    assert!(old.iter().all(|path| path.exists()), "a reader changes nothing");
    drop(Store::open(home.path()).expect("opened"));
    assert!(!old.iter().any(|path| path.exists()));
}
