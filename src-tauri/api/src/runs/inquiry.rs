//! `run.beginInquiry`, `run.continueInquiry`: what made the difference between two runs, found by forks of the first one with differences of
//! the second one.

mod answers;

use plait_core::expression::condition::Watch;
use plait_core::id::RunId;
use plait_insight::causes::{Inquiry, InquiryState, RunStart, Trial, TrialRun, mixture, swaps};
use plait_insight::lineage::RecordedRun;
use plait_insight::watches::watched_variables;
use plait_journal::{Entry, Event, RunEvent};
use plait_llm::grant::GrantRule;
use plait_store::Store;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use ts_rs::TS;

use super::launch::no_start;
use super::records::usage_of_tree;
use super::request::RootInputs;
use super::rerun::RerunRequest;
use super::service::RunService;
use crate::ErrorReply;
use crate::blocking::run_blocking;
use crate::codes;
use crate::command::Command;
use crate::flows::text::recorded_flow;

/// The most samples of one mixture.
const MAX_SAMPLES: u32 = 50;

/// `run.beginInquiry`: the differences between what two runs began with, and what it costs at most to find which of them turns the outcome of
/// the first one into that of the second. Calls nobody. `run.unknown`, `run.busy`, `causes.none` if they began with the same,
/// `causes.same_outcome` if the condition does not tell them apart, `run.is_child`, `switch.condition`.
#[derive(Clone, Debug, Serialize, Deserialize, TS)]
pub struct BeginInquiry {
    pub before: RunId,
    pub after: RunId,
    /// A condition in CEL that is true of one of the two runs, over `outputs` by node, `value`, `error`, `tokens`, `cost` and
    /// `nodes.NAME.PORT`. Without it: the outputs are not those of the first run.
    #[serde(default)]
    #[ts(optional)]
    pub when: Option<String>,
    /// How often each mixture is run, from 1 to 50.
    pub samples: u32,
}

/// `run.continueInquiry`: runs the next sample to its end. What it asks people is answered as they answered in the two runs; a sample that
/// asks something else is canceled, and says so. The errors are those of `run.rerun`;
/// nothing is done if the inquiry is over.
#[derive(Clone, Debug, Serialize, Deserialize, TS)]
pub struct ContinueInquiry {
    pub inquiry: Inquiry,
    /// What the person decided beside what the first run was allowed. `grant.needed` when a mixture needs more.
    #[serde(default)]
    #[ts(optional, as = "Option<Vec<GrantRule>>")]
    pub grants: Vec<GrantRule>,
}

impl Command for BeginInquiry {
    const NAME: &'static str = "run.beginInquiry";
    type Service = RunService;
    type Reply = InquiryState;

    async fn run(self, service: &RunService) -> Result<InquiryState, ErrorReply> {
        let Self { before, after, when, samples } = self;
        for run in [&before, &after] {
            let (store, run) = (service.parts.store.clone(), run.clone());
            service.check_is_root(&run_blocking(move || Ok(store.run(&run)?)).await?).await?;
        }
        let (old, new) = (service.recorded(&before).await?, service.recorded(&after).await?);
        let swaps = swaps(&old.start, &new.start);
        if swaps.is_empty() {
            return Err(ErrorReply::new(
                codes::CAUSES_NONE,
                format!("The runs {before} and {after} began with the same flow and the same inputs."),
            )
            .hint("What differs is chance, the world, or what people answered: `plait diff` names the first difference."));
        }
        let outcome = async |of: &ReadRun| service.outcome(when.as_deref(), &old, of).await;
        if outcome(&old).await? == outcome(&new).await? {
            return Err(same_outcome(when.as_deref()));
        }
        let samples = samples.clamp(1, MAX_SAMPLES);
        let trials = Inquiry::planned_trials(swaps.len());
        let mut inquiry = Inquiry { before, after, when, samples, swaps, trials };
        for at in 0..inquiry.trials.len() {
            let bill = match request(&inquiry, &old, &new, at, Vec::new()) {
                Ok(request) => service.bill(request).await,
                Err(error) => Err(error),
            };
            let trial = &mut inquiry.trials[at];
            match bill {
                Ok(bill) => {
                    trial.at_most_nano_usd = bill.at_most_nano_usd;
                    trial.unknown = bill.unknown;
                }
                Err(error) => trial.refused = Some(error.message),
            }
        }
        Ok(inquiry.into())
    }
}

impl Command for ContinueInquiry {
    const NAME: &'static str = "run.continueInquiry";
    type Service = RunService;
    type Reply = InquiryState;

    async fn run(self, service: &RunService) -> Result<InquiryState, ErrorReply> {
        let Self { mut inquiry, grants } = self;
        let Some(next) = inquiry.next() else { return Ok(inquiry.into()) };
        let (old, new) = (service.recorded(&inquiry.before).await?, service.recorded(&inquiry.after).await?);
        let request = request(&inquiry, &old, &new, next, grants)?;
        let answers = service.recorded_answers([&inquiry.before, &inquiry.after]).await?;
        let flow = request.flow.clone().unwrap_or_default();
        let run = Box::pin(service.rerun(request)).await?;
        let unanswered = service.follow_fork(&run, &flow, answers).await?;
        let nano_usd = service.cost_of_tree(&run).await?;
        let done = service.recorded(&run).await?;
        let flipped = if unanswered.is_none() {
            let when = inquiry.when.as_deref();
            let (outcome, of_first) =
                (service.outcome(when, &old, &done).await, service.outcome(when, &old, &old).await?);
            outcome.ok().map(|outcome| outcome != of_first)
        } else {
            service.cancel(&run).await?;
            None
        };
        inquiry.trials[next].runs.push(TrialRun { run, flipped, unanswered, nano_usd });
        Ok(inquiry.into())
    }
}

/// A run, what it began with, and its journal.
struct ReadRun {
    start: RunStart,
    /// The file of its flow, if it had one.
    path: Option<String>,
    entries: Vec<Entry>,
    recorded: RecordedRun,
}

impl RunService {
    async fn recorded(&self, run: &RunId) -> Result<ReadRun, ErrorReply> {
        self.parts.store.flush().await?;
        let (store, run) = (self.parts.store.clone(), run.clone());
        run_blocking(move || read(&store, run)).await
    }

    /// Whether the condition is true of a run or, without one, whether its outputs are not those of the first run.
    async fn outcome(&self, when: Option<&str>, first: &ReadRun, of: &ReadRun) -> Result<bool, ErrorReply> {
        let Some(when) = when else {
            let end = |run: &ReadRun| {
                let outline = &run.recorded.view().outline;
                (outline.status, outline.outputs.clone())
            };
            return Ok(end(first) != end(of));
        };
        let variables = watched_variables(&of.entries, &of.recorded, None);
        match Watch::new(when).value(&variables, &*self.parts.evaluator).await? {
            Value::Bool(is_true) => Ok(is_true),
            other => Err(ErrorReply::new(
                codes::CAUSES_NO_CONDITION,
                format!("The condition is {other} for a run, which is neither true nor false."),
            )
            .hint("Write a comparison, such as `value.contains('Kiel')`.")),
        }
    }

    async fn cost_of_tree(&self, run: &RunId) -> Result<u64, ErrorReply> {
        let (store, run) = (self.parts.store.clone(), run.clone());
        run_blocking(move || Ok(usage_of_tree(&store, &run)?.cost.nano_usd)).await
    }
}

fn read(store: &Store, run: RunId) -> Result<ReadRun, ErrorReply> {
    store.run(&run)?;
    let entries: Vec<Entry> = store.read_damaged_journal(&run)?.filter_map(Result::ok).collect();
    let Some(Event::Run(RunEvent::Started { flow, input, set, .. })) =
        entries.first().map(|entry| &entry.event)
    else {
        return Err(no_start(&run));
    };
    let path = flow.path.clone();
    let flow = recorded_flow(store, &flow.hash)?;
    let start = RunStart { flow, input: input.clone(), set: (**set).clone() };
    let recorded = RecordedRun::new(run, &entries, None);
    Ok(ReadRun { start, path, entries, recorded })
}

/// The fork of the first run that a trial is.
fn request(
    inquiry: &Inquiry,
    old: &ReadRun,
    new: &ReadRun,
    trial: usize,
    grants: Vec<GrantRule>,
) -> Result<RerunRequest, ErrorReply> {
    let Trial { swaps: taken, .. } = &inquiry.trials[trial];
    let RunStart { flow, input, set } =
        mixture(&old.start, &new.start, &inquiry.swaps, taken).map_err(|error| {
            ErrorReply::new(
                codes::CAUSES_NO_MIXTURE,
                format!("The two flows can't be mixed like this: {error}."),
            )
            .hint("Compare flows that differ less.")
        })?;
    let inputs = Some(RootInputs { input, overrides: set });
    let (flow, path) = (Some(flow), old.path.clone());
    Ok(RerunRequest { flow, path, grants, inputs, ..RerunRequest::of(inquiry.before.clone()) })
}

fn same_outcome(when: Option<&str>) -> ErrorReply {
    let message = match when {
        Some(when) => format!("`{when}` is the same for both runs, so it tells no difference."),
        None => "Both runs ended with the same outputs.".to_owned(),
    };
    ErrorReply::new(codes::CAUSES_SAME_OUTCOME, message)
        .hint("Give a condition that is true of one of the two runs, such as `value.contains('Kiel')`.")
}
