//! `suite.debug`: a failing case as a run that stands still at its first difference.

use plait_core::id::{Activation, Epoch, NodeId, RunId};
use plait_insight::comparison::{ActivationChange, ComparedActivation, RunDifference, differences};
use plait_journal::world_policy::{Misses, WorldPolicy};
use plait_journal::{Breakpoint, DebugVerb, Side};
use plait_suites::{CheckFailure, TestCase, Variant};
use serde::{Deserialize, Serialize};
use ts_rs::TS;

use super::evidence::{recorded_run, root_of, stored_run};
use super::file::SuiteFile;
use super::results::{by_case, of_case};
use super::service::SuiteService;
use crate::ErrorReply;
use crate::blocking::run_blocking;
use crate::codes;
use crate::command::Command;
use crate::recordings::Recording;
use crate::runs::{FindHeld, GoOn, HeldRun, RemoveRun, RerunRequest, RerunRun};

/// The name of the breakpoint at the difference.
const BREAKPOINT: &str = "test";

/// `suite.debug`: runs a failing case again up to the place where its prompt or output first departs from the recording, where it stands
/// still. A case that does what is recorded, and a live one, stop behind the node that the failed check is about. A live case is not
/// called again: its failed run is replayed. `suite.nothing_to_debug`, and the errors of `suite.run`.
#[derive(Debug, Serialize, Deserialize, TS)]
pub struct DebugTest {
    /// The suite, an absolute path.
    pub file: String,
    pub case: String,
    #[serde(default)]
    #[ts(optional, type = "Record<string, unknown>")]
    pub variant: Variant,
}

/// A run that stands still.
#[derive(Clone, Debug, Serialize, Deserialize, TS)]
pub struct DebuggedTest {
    /// The run.
    pub run: RunId,
    /// The flow that it runs.
    pub flow: String,
    /// Where it stands still: `node`, in a sub-flow `a/node`, with its iteration. Nothing if it ended before.
    #[serde(default)]
    #[ts(optional)]
    pub at: Option<String>,
    /// What differs there from the recording.
    #[serde(default)]
    #[ts(optional)]
    pub difference: Option<RunDifference>,
    /// Why the case failed when it was last run.
    pub failures: Vec<CheckFailure>,
}

/// Where to stop.
struct Place {
    /// The `subflow` nodes that lead to the node.
    path: Vec<NodeId>,
    node: NodeId,
    side: Side,
    /// Which activation it is; the first one without.
    exactly: Option<ExactPlace>,
}

/// One activation of a run tree.
#[derive(PartialEq)]
struct ExactPlace {
    epoch: Epoch,
    /// The activations that lead to its run, the innermost first.
    starters: Vec<Activation>,
}

impl Command for DebugTest {
    const NAME: &'static str = "suite.debug";
    type Service = SuiteService;
    type Reply = DebuggedTest;

    async fn run(self, service: &SuiteService) -> Result<DebuggedTest, ErrorReply> {
        let Self { file, case, variant } = self;
        let file = service.file(&file).await?;
        let case = file.case(&case)?;
        let kept = service.kept_results(&file).await?;
        let key = file.key(case, &variant, &file.subflows(&service.runs.registry()));
        let failed =
            of_case(&by_case(&kept), case, &variant, &key).into_iter().map(|kept| kept.result.clone());
        let failed: Vec<_> = failed.filter(|result| !result.has_passed()).collect();
        let failures = failed.first().map(|result| result.failures.clone()).unwrap_or_default();
        let found = if case.live { None } else { service.first_difference(&file, case, &variant).await? };
        let (difference, place) = match found {
            Some((difference, place)) => (Some(difference), Some(place)),
            None => (None, place_of_check(&failures)),
        };
        let Some(place) = place else { return Err(nothing_to_debug(case)) };
        let breakpoint = Breakpoint {
            id: BREAKPOINT.to_owned(),
            path: place.path.clone(),
            node: Some(place.node.clone()),
            side: place.side,
            when: condition(&place),
            ..Breakpoint::default()
        };
        let run = if case.live {
            let failed =
                failed.iter().find_map(|result| result.run.clone()).ok_or_else(|| nothing_to_debug(case))?;
            let world = WorldPolicy { misses: Misses::Fail, ..WorldPolicy::default() };
            let request = RerunRequest { world, breakpoints: vec![breakpoint], ..RerunRequest::of(failed) };
            RerunRun(request).run(&service.runs).await?.run
        } else {
            service.start_case(&file, case, &variant, &[], vec![breakpoint]).await?.0
        };
        let held = service.stop_at(&run, &place, case).await?;
        let at = held.map(|held| shown(&place, &held));
        Ok(DebuggedTest { run, flow: file.flow_name(), at, difference, failures })
    }
}

impl SuiteService {
    /// The first difference between the recording and the case as it runs now, with its place. Differences that only the recording has
    /// are no place to stop.
    async fn first_difference(
        &self,
        file: &SuiteFile,
        case: &TestCase,
        variant: &Variant,
    ) -> Result<Option<(RunDifference, Place)>, ErrorReply> {
        let (run, recording) = self.start_case(file, case, variant, &[], Vec::new()).await?;
        // A question without an answer ends the run: that is a difference like others.
        let _ = self.follow(&run, &case.answers, false).await;
        let found = match recording {
            None => None,
            Some(recording) => {
                let (service, run) = (self.clone(), run.clone());
                run_blocking(move || service.compare_with(&recording, &run)).await?
            }
        };
        let placed = match found {
            None => None,
            Some(difference) => self.place_of(&difference).await?.map(|place| (difference, place)),
        };
        RemoveRun { run }.run(&self.runs).await?;
        Ok(placed)
    }

    /// Blocks.
    fn compare_with(&self, recording: &Recording, run: &RunId) -> Result<Option<RunDifference>, ErrorReply> {
        let before = recorded_run(recording, root_of(recording)?)?;
        let after = stored_run(&self.store, run)?;
        let load = |run: &RunId| recorded_run(recording, run).or_else(|_| stored_run(&self.store, run)).ok();
        Ok(differences(&before, &after, &load).into_iter().find(|found| found.after.is_some()))
    }

    async fn place_of(&self, difference: &RunDifference) -> Result<Option<Place>, ErrorReply> {
        let Some(ComparedActivation { run, at, .. }) = &difference.after else { return Ok(None) };
        let exactly = ExactPlace { epoch: at.epoch.clone(), starters: self.starters_of(run).await? };
        let side = side_of(difference);
        Ok(Some(Place { path: difference.path.clone(), node: at.node.clone(), side, exactly: Some(exactly) }))
    }

    /// The activations that lead to a run, the innermost first.
    async fn starters_of(&self, run: &RunId) -> Result<Vec<Activation>, ErrorReply> {
        let (mut starters, mut child) = (Vec::new(), run.clone());
        loop {
            let (store, id) = (self.store.clone(), child.clone());
            let Some(parent) = run_blocking(move || Ok(store.run(&id)?.parent_run_id)).await? else {
                return Ok(starters);
            };
            starters.push(self.runs.starter_of(&child, &parent).await?);
            child = parent;
        }
    }

    /// Lets a run go on until it stands still at the place. Nothing if it ended before.
    async fn stop_at(
        &self,
        run: &RunId,
        place: &Place,
        case: &TestCase,
    ) -> Result<Option<HeldRun>, ErrorReply> {
        loop {
            self.follow(run, &case.answers, true).await?;
            let held = (FindHeld { run: run.clone() }).run(&self.runs).await?;
            let Some(held) = held.into_iter().next() else { return Ok(None) };
            let Some(exactly) = &place.exactly else { return Ok(Some(held)) };
            let epoch = held.stop.at.as_ref().map(|at| at.epoch.clone()).unwrap_or_default();
            if *exactly == (ExactPlace { epoch, starters: self.starters_of(&held.run).await? }) {
                return Ok(Some(held));
            }
            let go = GoOn { run: held.run, verb: DebugVerb::Continue, stop: held.stop.number };
            go.run(&self.runs).await?;
        }
    }
}

/// On which side of an activation its difference shows: before a call if a prompt differs, behind it if only what came of it does.
fn side_of(difference: &RunDifference) -> Side {
    let is_of_call = |change: &ActivationChange| {
        matches!(change, ActivationChange::Message { .. } | ActivationChange::Model { .. })
    };
    let is_of_start = |change: &ActivationChange| matches!(change, ActivationChange::Set { .. });
    if difference.changes.iter().any(is_of_call) {
        Side::Call
    } else if difference.before.is_none() || difference.changes.iter().any(is_of_start) {
        Side::Before
    } else {
        Side::After
    }
}

/// Behind the node that a failed check is about.
fn place_of_check(failures: &[CheckFailure]) -> Option<Place> {
    let names = failures.iter().find_map(|failure| failure.node.as_deref())?;
    let mut path: Vec<NodeId> = names.split('/').map(NodeId::from).collect();
    let node = path.pop()?;
    Some(Place { path, node, side: Side::After, exactly: None })
}

/// A condition that is true in the iteration of the place, and maybe in others.
fn condition(place: &Place) -> Option<String> {
    let iteration = place.exactly.as_ref()?.epoch.0.last()?;
    Some(format!("iteration == {iteration}"))
}

fn shown(place: &Place, held: &HeldRun) -> String {
    let epoch = held.stop.at.as_ref().map(|at| at.epoch.to_string()).unwrap_or_default();
    let names: Vec<&str> = place.path.iter().chain([&place.node]).map(NodeId::as_str).collect();
    format!("{}{epoch}", names.join("/"))
}

fn nothing_to_debug(case: &TestCase) -> ErrorReply {
    let message =
        format!("There is nothing in the case `{}` to stop at: it passes, or it has not run.", case.name);
    ErrorReply::new(codes::SUITE_NOTHING_TO_DEBUG, message).hint("Run the case first.")
}
