//! Runs as files: the journals of a run and of its child runs, which can be put into a data directory.

use std::collections::BTreeMap;
use std::path::Path;

use plait_core::id::RunId;
use plait_journal::{ChildEvent, Entry, Event, Journal, NodeEvent, RunEvent};
use plait_store::Store;
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// A run, with its child runs, as some version of Plait recorded it.
#[derive(Deserialize, Serialize)]
pub struct RecordedRun {
    pub flows: BTreeMap<String, String>,
    /// The journals; the first is the run's own.
    pub journals: Vec<Vec<Value>>,
}

impl RecordedRun {
    /// The run and its child runs in a data directory that is not open.
    pub fn from_store(home: &Path, run: &RunId) -> Self {
        let store = Store::open(home).unwrap();
        let mut recorded = Self { flows: BTreeMap::new(), journals: Vec::new() };
        let mut left = vec![run.clone()];
        while let Some(run) = left.pop() {
            let entries: Vec<Entry> = store.read_journal(&run, 0).unwrap().map(Result::unwrap).collect();
            let hash = store.run(&run).unwrap().flow.hash;
            recorded.flows.insert(hash.clone(), store.flow(&hash).unwrap());
            recorded
                .journals
                .push(entries.iter().map(|entry| serde_json::to_value(entry).unwrap()).collect());
            left.extend(store.children(&run).unwrap().into_iter().map(|child| child.run));
        }
        recorded
    }

    /// The id of the run itself.
    pub fn run(&self) -> RunId {
        run_of(&self.entries())
    }

    /// The ids of the run and of its child runs.
    pub fn runs(&self) -> Vec<RunId> {
        self.journals.iter().map(|journal| run_of(&entries(journal))).collect()
    }

    /// The entries of the run itself.
    pub fn entries(&self) -> Vec<Entry> {
        entries(&self.journals[0])
    }

    /// Puts the beginning of the run into a data directory, with the child runs that it had started, in whole.
    pub fn write_prefix(&self, home: &Path, length: usize) -> RunId {
        let store = Store::open(home).unwrap();
        for (hash, text) in &self.flows {
            assert_eq!(store.put_flow(text).unwrap(), *hash);
        }
        let prefix = &self.entries()[..length];
        // A tree that has ended is sealed as soon as nobody has a journal of it.
        let mut journals = vec![write(&store, prefix)];
        let mut started: Vec<RunId> = children(prefix).collect();
        for journal in &self.journals[1..] {
            let journal = entries(journal);
            if started.contains(&run_of(&journal)) {
                started.extend(children(&journal));
                journals.push(write(&store, &journal));
            }
        }
        run_of(prefix)
    }

    /// How many answers the run and its child runs had got when its journal had this length.
    pub fn answers_in(&self, length: usize) -> usize {
        let prefix = &self.entries()[..length];
        let started: Vec<RunId> = children(prefix).collect();
        let of_children = self.journals[1..].iter().map(|journal| entries(journal));
        let known = of_children.filter(|journal| started.contains(&run_of(journal))).flatten();
        let answered = |entry: &Entry| matches!(entry.event, Event::Node(_, NodeEvent::Answered { .. }));
        prefix.iter().cloned().chain(known).filter(answered).count()
    }
}

fn entries(journal: &[Value]) -> Vec<Entry> {
    journal.iter().map(|entry| serde_json::from_value(entry.clone()).unwrap()).collect()
}

fn write(store: &Store, entries: &[Entry]) -> impl Journal + use<> {
    let mut journal = store.journal(&run_of(entries)).unwrap();
    journal.append(entries).unwrap();
    futures::executor::block_on(journal.flush()).unwrap();
    journal
}

fn run_of(entries: &[Entry]) -> RunId {
    let Event::Run(RunEvent::Started { run, .. }) = &entries[0].event else { panic!("{:?}", entries[0]) };
    run.clone()
}

fn children(entries: &[Entry]) -> impl Iterator<Item = RunId> {
    entries.iter().filter_map(|entry| match &entry.event {
        Event::Child(_, ChildEvent::Started { run }) => Some(run.clone()),
        _ => None,
    })
}
