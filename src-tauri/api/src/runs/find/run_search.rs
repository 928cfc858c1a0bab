//! Asks one run, or the runs of the sub-flow that is asked about.

use std::collections::BTreeSet;
use std::sync::Arc;

use plait_core::config::{ConfigValues, with_settings};
use plait_core::error::Fault;
use plait_core::expression::evaluation::Evaluator;
use plait_core::id::{NodeId, RunId};
use plait_journal::{ChildEvent, Entry, Event, InputOverrides, RunEvent};
use plait_llm::models::TreeSpending;
use plait_run::breakpoint::{BreakpointQuestion, BreakpointReplay, ReachedPlace};
use plait_run::node::Registry;
use plait_run::plan::Plan;
use plait_store::record::RunRecord;
use plait_store::{JournalEntries, Store};

use super::{FoundPlace, UnreadableRun};
use crate::ErrorReply;
use crate::flows::text::recorded_flow;
use crate::runs::launch::{no_start, plan_to_run, recorded_config};

/// How many places of a run are listed.
const MAX_PLACES: usize = 5;
/// How many plans are kept: runs of one flow mostly have the same.
const MAX_KEPT_PLANS: usize = 8;

/// What one run says.
#[derive(Default)]
pub(super) struct RunFinding {
    /// Whether the flow has the node, as far as it can be read.
    pub has_node: bool,
    pub stops: u64,
    pub errors: u64,
    pub places: Vec<FoundPlace>,
    pub first_error: Option<FoundPlace>,
    pub unreadable: Option<UnreadableRun>,
}

/// What a plan is made of.
#[derive(PartialEq)]
struct PlanSource {
    flow_hash: String,
    config: ConfigValues,
    to: Option<NodeId>,
    overrides: InputOverrides,
}

/// What each run is asked, and what that takes.
pub(super) struct SearchSetup {
    pub store: Store,
    pub registry: Arc<Registry>,
    pub evaluator: Arc<dyn Evaluator>,
    pub question: BreakpointQuestion,
}

/// A run that is being read.
struct Reading {
    run: RunId,
    /// The first entry that the answer depends on, until it is taken.
    first: Option<Entry>,
    entries: JournalEntries,
    replay: BreakpointReplay,
}

/// Asks one run after another.
pub(super) struct RunSearch<'s> {
    setup: &'s SearchSetup,
    plans: Vec<(PlanSource, Arc<Plan>)>,
}

impl<'s> RunSearch<'s> {
    pub(super) fn new(setup: &'s SearchSetup) -> Self {
        Self { setup, plans: Vec::new() }
    }

    /// Asks a run and the runs of sub-flows below it that the path leads to. A question about every node is for all runs below these as
    /// well.
    pub(super) async fn ask(&mut self, record: &RunRecord) -> RunFinding {
        let mut finding = RunFinding::default();
        let spending = TreeSpending::default();
        let mut next = vec![(record.run.clone(), 0)];
        while let Some((run, depth)) = next.pop() {
            let asked = match self.setup.question.path().get(depth) {
                Some(node) => self.find_children(&run, node, &mut finding).map(|children| {
                    // The last one is taken first.
                    next.extend(children.into_iter().rev().map(|child| (child, depth + 1)));
                }),
                None => self.ask_tree(&run, &spending, &mut finding).await,
            };
            if let Err(error) = asked {
                finding.add_unreadable(run, error);
            }
        }
        finding
    }

    /// Asks a run and, if the question is about every node, the runs below it, each where it begins.
    async fn ask_tree(
        &mut self,
        run: &RunId,
        spending: &TreeSpending,
        finding: &mut RunFinding,
    ) -> Result<(), ErrorReply> {
        let SearchSetup { store, question, evaluator, .. } = self.setup;
        let mut seen = BTreeSet::from([run.clone()]);
        let Some(first) = self.open(run, spending)? else { return Ok(()) };
        finding.has_node = true;
        let mut open = vec![first];
        while let Some(reading) = open.last_mut() {
            match reading.next(question, &**evaluator).await {
                Ok(None) => {
                    open.pop();
                }
                Ok(Some((entry, places))) => {
                    let run = reading.run.clone();
                    for place in places {
                        finding.add(FoundPlace { run: run.clone(), place });
                    }
                    if let Event::Child(_, ChildEvent::Started { run: child }) = entry.event
                        && question.is_of_tree()
                        && seen.insert(child.clone())
                        && store.run(&child).is_ok()
                    {
                        match self.open(&child, spending) {
                            Ok(reading) => open.extend(reading),
                            Err(error) => finding.add_unreadable(child, error),
                        }
                    }
                }
                Err(fault) => {
                    let run = reading.run.clone();
                    open.pop();
                    finding.add_unreadable(run, fault.into());
                }
            }
        }
        Ok(())
    }

    /// Begins to read a run. None if its flow does not have what is asked about.
    fn open(&mut self, run: &RunId, spending: &TreeSpending) -> Result<Option<Reading>, ErrorReply> {
        let SearchSetup { store, question, .. } = self.setup;
        let mut is_wanted = |line: &[u8]| question.needs(line);
        let mut entries = store.read_journal(run, 0)?;
        let first = entries.next_where(&mut is_wanted).transpose()?;
        let plan = self.plan(run, first.as_ref())?;
        let Some(replay) = BreakpointReplay::new(question, plan, spending.clone()) else { return Ok(None) };
        Ok(Some(Reading { run: run.clone(), first, entries, replay }))
    }

    /// The child runs that a node started, in order.
    fn find_children(
        &mut self,
        run: &RunId,
        node: &NodeId,
        finding: &mut RunFinding,
    ) -> Result<Vec<RunId>, ErrorReply> {
        let mut entries = self.setup.store.read_journal(run, 0)?;
        let mut is_wanted = |line: &[u8]| {
            [&b"\"child.started\""[..], b"\"run."]
                .iter()
                .any(|text| line.windows(text.len()).any(|at| at == *text))
        };
        let first = entries.next_where(&mut is_wanted).transpose()?;
        if self.plan(run, first.as_ref())?.find(node).is_none() {
            return Ok(Vec::new());
        }
        let (mut seen, mut children) = (BTreeSet::new(), Vec::new());
        while let Some(entry) = entries.next_where(&mut is_wanted).transpose()? {
            if let Event::Child(at, ChildEvent::Started { run }) = entry.event
                && at.node == *node
                && seen.insert(run.clone())
            {
                children.push(run);
            }
        }
        // Without a child run, nothing tells whether the sub-flow has the node.
        finding.has_node |= children.is_empty();
        Ok(children)
    }

    /// The plan of a run, given its first entry.
    fn plan(&mut self, run: &RunId, first: Option<&Entry>) -> Result<Arc<Plan>, ErrorReply> {
        let Some(Event::Run(RunEvent::Started { flow, to, set, models, config, .. })) =
            first.map(|entry| &entry.event)
        else {
            return Err(no_start(run));
        };
        let source = PlanSource {
            flow_hash: flow.hash.clone(),
            config: recorded_config(config, models).into_owned(),
            to: to.clone(),
            overrides: InputOverrides::clone(set),
        };
        if let Some((_, plan)) = self.plans.iter().find(|(known, _)| *known == source) {
            return Ok(Arc::clone(plan));
        }
        let flow = recorded_flow(&self.setup.store, &source.flow_hash)?;
        let flow = with_settings(&flow, &source.config);
        let plan = plan_to_run(&flow, &self.setup.registry, source.to.as_ref(), &source.overrides);
        let plan = Arc::new(plan?);
        if self.plans.len() >= MAX_KEPT_PLANS {
            self.plans.remove(0);
        }
        self.plans.push((source, Arc::clone(&plan)));
        Ok(plan)
    }
}

impl Reading {
    /// The next entry that the answer depends on, and the places that the run reached with it. None at the end.
    async fn next(
        &mut self,
        question: &BreakpointQuestion,
        evaluator: &dyn Evaluator,
    ) -> Result<Option<(Entry, Vec<ReachedPlace>)>, Fault> {
        let entry = match self.first.take() {
            Some(first) => Some(first),
            None => self.entries.next_where(&mut |line: &[u8]| question.needs(line)).transpose()?,
        };
        let Some(entry) = entry else { return Ok(None) };
        let places = self.replay.apply(&entry, evaluator).await?;
        Ok(Some((entry, places)))
    }
}

impl RunFinding {
    fn add_unreadable(&mut self, run: RunId, error: ErrorReply) {
        // Nothing says whether it has the node: it was asked.
        self.has_node = true;
        self.unreadable.get_or_insert(UnreadableRun { run, error });
    }

    fn add(&mut self, place: FoundPlace) {
        self.stops += 1;
        if place.place.error.is_some() {
            self.errors += 1;
            self.first_error.get_or_insert_with(|| place.clone());
        }
        if self.places.len() < MAX_PLACES {
            self.places.push(place);
        }
    }
}
