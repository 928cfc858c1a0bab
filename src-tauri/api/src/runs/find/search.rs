//! Asks many runs at once. Keeps counts and the newest findings, never a journal.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use plait_run::breakpoint::BreakpointQuestion;
use plait_store::record::RunRecord;

use super::run_search::{RunFinding, RunSearch, SearchSetup};
use super::{FoundPlace, FoundRun, FoundRuns, UnreadableRun};
use crate::ErrorReply;
use crate::blocking::run_blocking;
use crate::runs::RunParts;

/// How many runs are listed.
const MAX_FOUND_RUNS: usize = 100;
/// How many unreadable runs are listed.
const MAX_UNREADABLE_RUNS: usize = 10;
/// How many threads read journals.
const THREADS: usize = 2;

/// A question, and the runs that are asked.
pub(super) struct Search {
    setup: SearchSetup,
    /// Newest first.
    records: Vec<RunRecord>,
    /// The next run to ask.
    next: AtomicUsize,
}

/// Ends a search that nobody waits for any more.
struct EndWhenDropped(Arc<Search>);

impl Drop for EndWhenDropped {
    fn drop(&mut self) {
        self.0.next.store(self.0.records.len(), Ordering::Relaxed);
    }
}

/// What one thread found. Lists are by the place of the run among all.
#[derive(Default)]
struct Findings {
    counts: FoundRuns,
    found: BTreeMap<usize, FoundRun>,
    unreadable: BTreeMap<usize, UnreadableRun>,
    first_error: Option<(usize, FoundPlace)>,
}

impl Search {
    pub(super) fn new(parts: &RunParts, question: BreakpointQuestion, records: Vec<RunRecord>) -> Self {
        let setup = SearchSetup {
            store: parts.store.clone(),
            registry: Arc::clone(&parts.registry),
            evaluator: Arc::clone(&parts.evaluator),
            question,
        };
        Self { setup, records, next: AtomicUsize::new(0) }
    }

    /// Asks all runs. `debug.unknown_node` if there are runs and none has the node.
    pub(super) async fn run(self) -> Result<FoundRuns, ErrorReply> {
        let search = Arc::new(self);
        let _end = EndWhenDropped(Arc::clone(&search));
        let threads = (0..THREADS).map(|_| {
            let search = Arc::clone(&search);
            let runtime = tokio::runtime::Handle::current();
            run_blocking(move || Ok(runtime.block_on(search.ask_next_runs())))
        });
        let mut all = Findings::default();
        for findings in futures::future::try_join_all(threads).await? {
            all.merge(findings);
        }
        let found = all.into_reply();
        if found.runs == 0 && found.without_node > 0 {
            let node = search.setup.question.path().first();
            return Err(search.setup.question.unknown_node(node, found.without_node).into());
        }
        Ok(found)
    }

    /// Asks one run after another until none is left.
    async fn ask_next_runs(&self) -> Findings {
        let mut findings = Findings::default();
        let mut run_search = RunSearch::new(&self.setup);
        loop {
            let index = self.next.fetch_add(1, Ordering::Relaxed);
            let Some(record) = self.records.get(index) else { return findings };
            let finding = run_search.ask(record).await;
            findings.add(index, record, finding);
        }
    }
}

impl Findings {
    fn add(&mut self, index: usize, record: &RunRecord, finding: RunFinding) {
        let RunFinding { has_node, stops, errors, places, first_error, unreadable } = finding;
        let counts = &mut self.counts;
        *(if has_node { &mut counts.runs } else { &mut counts.without_node }) += 1;
        counts.stops += stops;
        counts.errors += errors;
        counts.stopped_runs += u32::from(stops > 0);
        counts.unreadable_runs += u32::from(unreadable.is_some());
        // A thread asks newer runs first.
        if stops > 0 && self.found.len() < MAX_FOUND_RUNS {
            let (run, flow_name) = (record.run.clone(), record.flow.name.clone());
            let found = FoundRun { run, flow_name, started_at: record.started_at, stops, places };
            self.found.insert(index, found);
        }
        if let Some(unreadable) = unreadable
            && self.unreadable.len() < MAX_UNREADABLE_RUNS
        {
            self.unreadable.insert(index, unreadable);
        }
        if self.first_error.is_none() {
            self.first_error = first_error.map(|place| (index, place));
        }
    }

    fn merge(&mut self, other: Self) {
        let Self { counts, found, unreadable, first_error } = other;
        self.counts.runs += counts.runs;
        self.counts.without_node += counts.without_node;
        self.counts.stopped_runs += counts.stopped_runs;
        self.counts.stops += counts.stops;
        self.counts.errors += counts.errors;
        self.counts.unreadable_runs += counts.unreadable_runs;
        self.found.extend(found);
        self.unreadable.extend(unreadable);
        let both = self.first_error.take().into_iter().chain(first_error);
        self.first_error = both.min_by_key(|(index, _)| *index);
    }

    fn into_reply(self) -> FoundRuns {
        FoundRuns {
            first_error: self.first_error.map(|(_, place)| place),
            found: self.found.into_values().take(MAX_FOUND_RUNS).collect(),
            unreadable: self.unreadable.into_values().take(MAX_UNREADABLE_RUNS).collect(),
            ..self.counts
        }
    }
}
