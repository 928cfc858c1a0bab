//! `runs.*`: runs of the past and the present, as the store knows them.

use plait_adapters::store::record::{RunCounters, RunRecord};
use plait_adapters::store::{RunFilter, Which};
use plait_engine::error::Fault;
use plait_engine::flow::Flow;
use plait_engine::id::{ConversationId, RunId};
use plait_engine::run::view::RunStatus;
use plait_engine::run::{Cost, Entry, TokenUsage};
use serde::{Deserialize, Serialize};
use ts_rs::TS;

use crate::command::Command;
use crate::{ErrorReply, Plait, blocking};

/// One run, as lists show it.
#[derive(Clone, Debug, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct RunSummary {
    /// The run.
    pub run: RunId,
    /// The flow's name.
    pub flow_name: String,
    /// The flow's file, if it had one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub path: Option<String>,
    /// The conversation it goes on in.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub conversation: Option<ConversationId>,
    /// The run that began it, if one did.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub parent_run_id: Option<RunId>,
    /// How many runs it began itself.
    pub children: u32,
    /// Where it stands.
    pub status: RunStatus,
    /// When it began, in milliseconds since the Unix epoch.
    #[ts(type = "number")]
    pub started_at: u64,
    /// When it ended, likewise.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional, type = "number")]
    pub ended_at: Option<u64>,
    /// How many activations ended how.
    pub nodes: RunCounters,
    /// What its model calls used.
    pub tokens: TokenUsage,
    /// What they cost.
    pub cost: Cost,
    /// The question it waits for an answer to.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub waiting_on: Option<String>,
    /// Why it failed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub error: Option<Fault>,
}

impl RunSummary {
    /// The summary of a record; `live` says whether the run is being driven in this process.
    pub(crate) fn of(record: RunRecord, live: bool, children: usize) -> Self {
        Self {
            parent_run_id: record.parent_run_id.clone(),
            children: u32::try_from(children).unwrap_or(u32::MAX),
            status: status(&record, live),
            run: record.run,
            flow_name: record.flow.name,
            path: record.flow.path,
            conversation: record.conversation,
            started_at: record.started_at,
            ended_at: record.ended_at,
            nodes: record.counters,
            tokens: record.tokens,
            cost: record.cost,
            waiting_on: record.waiting_on.into_iter().next().map(|pause| pause.prompt),
            error: record.error,
        }
    }
}

/// Where a run stands, given whether it is being driven: one that says it is running and is not was interrupted.
fn status(record: &RunRecord, live: bool) -> RunStatus {
    use plait_adapters::store::record::RunStatus as Stored;
    match record.status {
        Stored::Running | Stored::Interrupted if live => RunStatus::Running,
        Stored::Running | Stored::Interrupted => RunStatus::Interrupted,
        Stored::Waiting => RunStatus::Waiting,
        Stored::Finished => RunStatus::Finished,
        Stored::Failed => RunStatus::Failed,
        Stored::Cancelled => RunStatus::Cancelled,
    }
}

/// `runs.list`: newest first those that no other run began; or those that one run began, in their order.
#[derive(Debug, Default, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct ListRuns {
    /// Only runs of the flow of this file.
    #[serde(default)]
    #[ts(optional)]
    pub flow_path: Option<String>,
    /// Only runs that this one began.
    #[serde(default)]
    #[ts(optional)]
    pub parent: Option<RunId>,
    /// At most so many.
    #[serde(default)]
    #[ts(optional)]
    pub limit: Option<u32>,
}

impl Command for ListRuns {
    const NAME: &'static str = "runs.list";
    type Reply = Vec<RunSummary>;

    async fn run(self, app: &Plait) -> Result<Vec<RunSummary>, ErrorReply> {
        let limit = self.limit.map_or(usize::MAX, |limit| usize::try_from(limit).unwrap_or(usize::MAX));
        let filter = RunFilter { flow_path: self.flow_path, which: Which::Roots, limit: Some(limit) };
        let store = app.store().clone();
        let records = blocking(move || {
            let found = match self.parent {
                Some(parent) => store.children(&parent)?.into_iter().take(limit).collect(),
                None => store.runs(&filter)?,
            };
            let counted = |record: RunRecord| Ok((store.count_children(&record.run)?, record));
            found.into_iter().map(counted).collect::<Result<Vec<_>, ErrorReply>>()
        })
        .await?;
        Ok(records
            .into_iter()
            .map(|(children, record)| {
                let live = app.is_live(&record.run);
                RunSummary::of(record, live, children)
            })
            .collect())
    }
}

/// `runs.show`: all there is of one run.
#[derive(Debug, Serialize, Deserialize, TS)]
pub struct ShowRun {
    /// The run.
    pub run: RunId,
}

/// A run with its journal.
#[derive(Debug, Serialize, Deserialize, TS)]
pub struct RunDetail {
    /// As lists show it.
    pub summary: RunSummary,
    /// The runs it is inside of, the root first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[ts(optional, as = "Option<Vec<RunSummary>>")]
    pub above: Vec<RunSummary>,
    /// The flow as it ran.
    pub flow: Flow,
    /// The journal so far, or as far as it can be read.
    pub entries: Vec<Entry>,
    /// Why the rest of it can't.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub damage: Option<ErrorReply>,
}

impl Command for ShowRun {
    const NAME: &'static str = "runs.show";
    type Reply = RunDetail;

    async fn run(self, app: &Plait) -> Result<RunDetail, ErrorReply> {
        let above = app.ancestors(&self.run).await?;
        let (store, live) = (app.store().clone(), app.is_live(&self.run));
        blocking(move || {
            let record = store.run(&self.run)?;
            let flow = crate::flow_of(&store, &record.flow.hash)?;
            let (mut entries, mut damage) = (Vec::new(), None);
            for entry in store.read_journal(&self.run, 0)? {
                match entry {
                    Ok(entry) => entries.push(entry),
                    Err(fault) => damage = Some(fault.into()),
                }
            }
            let summary = RunSummary::of(record, live, store.count_children(&self.run)?);
            Ok(RunDetail { summary, above, flow, entries, damage })
        })
        .await
    }
}

/// `runs.remove`: forgets a run and those it began. `run.busy` while it is going on.
#[derive(Debug, Serialize, Deserialize, TS)]
pub struct RemoveRun {
    /// The run.
    pub run: RunId,
}

impl Command for RemoveRun {
    const NAME: &'static str = "runs.remove";
    type Reply = ();

    async fn run(self, app: &Plait) -> Result<(), ErrorReply> {
        app.remove_run(&self.run).await
    }
}
