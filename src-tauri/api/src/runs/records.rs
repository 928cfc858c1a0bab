//! `runs.*`: the records of past and active runs.

use plait_core::error::Fault;
use plait_core::flow::Flow;
use plait_core::id::{ConversationId, RunId};
use plait_core::user::UserName;
use plait_insight::comparison::TreeUsage;
use plait_journal::Entry;
use plait_journal::view::RunStatus;
use plait_llm::models::{Cost, TokenUsage};
use plait_store::record::{RunCounters, RunRecord};
use plait_store::{RunFilter, Store, Which};
use serde::{Deserialize, Serialize};
use ts_rs::TS;

use super::service::RunService;
use crate::ErrorReply;
use crate::blocking::run_blocking;
use crate::command::Command;
use crate::flows::text::recorded_flow;

/// A run, as lists show it.
#[derive(Clone, Debug, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct RunSummary {
    pub run: RunId,
    /// The flow's name.
    pub flow_name: String,
    /// The flow's file, if it had one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub path: Option<String>,
    /// Who it belongs to, if not the default user.
    #[serde(default, skip_serializing_if = "UserName::is_default")]
    #[ts(optional, as = "Option<UserName>")]
    pub user: UserName,
    /// The conversation that it continues.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub conversation: Option<ConversationId>,
    /// The run that started it, if it is a child run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub parent_run_id: Option<RunId>,
    /// The run that it retries.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub from: Option<RunId>,
    /// Whether that run is not here: it was removed, or it is a recording of another machine.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    #[ts(optional, as = "Option<bool>")]
    pub from_is_gone: bool,
    /// The command of the program that it was observed of, if Plait did not run it; empty for traces.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub program: Option<String>,
    /// How many child runs it started.
    pub children: u32,
    pub status: RunStatus,
    /// In milliseconds since the Unix epoch.
    #[ts(type = "number")]
    pub started_at: u64,
    /// In milliseconds since the Unix epoch.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional, type = "number")]
    pub ended_at: Option<u64>,
    /// How long it worked, in milliseconds, without waits for people, stops and interruptions. Absent before its end.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional, type = "number")]
    pub worked_ms: Option<u64>,
    /// Counts of activations, by how they ended.
    pub nodes: RunCounters,
    /// Tokens that its model calls used, and those of the runs below it.
    pub tokens: TokenUsage,
    /// Cost of these calls.
    pub cost: Cost,
    /// The question that it waits for an answer to.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub waiting_on: Option<String>,
    /// Why it failed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub error: Option<Fault>,
}

impl RunSummary {
    /// The summary of a record. `active`: whether the run is driven at the moment. `from_is_gone`: see [`from_is_gone`].
    pub(super) fn new(record: RunRecord, active: bool, children: usize, from_is_gone: bool) -> Self {
        Self {
            parent_run_id: record.parent_run_id.clone(),
            from: record.from.clone(),
            from_is_gone,
            program: record.program.clone(),
            children: u32::try_from(children).unwrap_or(u32::MAX),
            status: status(&record, active),
            worked_ms: record.worked_ms(),
            run: record.run,
            flow_name: record.flow.name,
            path: record.flow.path,
            user: record.user,
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

/// Whether the run that a run was forked from is not in the store.
fn from_is_gone(store: &Store, record: &RunRecord) -> bool {
    record.from.as_ref().is_some_and(|from| store.run(from).is_err())
}

/// The record of a run, with the tokens and the cost of all runs below it. Fault `run.unknown`.
fn record_of_tree(store: &Store, run: &RunId) -> Result<RunRecord, Fault> {
    with_usage_of_tree(store, store.run(run)?)
}

/// What a run and all runs below it used. Fault `run.unknown`.
pub(crate) fn usage_of_tree(store: &Store, run: &RunId) -> Result<TreeUsage, Fault> {
    let record = record_of_tree(store, run)?;
    Ok(TreeUsage { tokens: record.tokens, cost: record.cost })
}

/// Adds what the runs below a run used to what it used itself.
fn with_usage_of_tree(store: &Store, mut record: RunRecord) -> Result<RunRecord, Fault> {
    let mut parents = vec![record.run.clone()];
    while let Some(parent) = parents.pop() {
        if store.count_children(&parent)? == 0 {
            continue;
        }
        for child in store.children(&parent)? {
            record.tokens += child.tokens;
            record.cost += child.cost;
            parents.push(child.run);
        }
    }
    Ok(record)
}

/// The status of a run. One that is recorded as running but is not active was interrupted.
pub(super) fn status(record: &RunRecord, active: bool) -> RunStatus {
    match record.status {
        RunStatus::Running | RunStatus::Interrupted if active => RunStatus::Running,
        RunStatus::Running => RunStatus::Interrupted,
        status => status,
    }
}

/// `runs.list`: the runs of a user that are no child runs, newest first; or the child runs of `parent`, in the order they
/// started. `user.unknown`.
#[derive(Debug, Default, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct ListRuns {
    /// The user; the current one when left out.
    #[serde(default)]
    #[ts(optional)]
    pub user: Option<UserName>,
    /// Only runs of this flow file.
    #[serde(default)]
    #[ts(optional)]
    pub flow_path: Option<String>,
    /// Only child runs of this run.
    #[serde(default)]
    #[ts(optional)]
    pub parent: Option<RunId>,
    /// The maximum number of runs; all when left out.
    #[serde(default)]
    #[ts(optional)]
    pub limit: Option<u32>,
}

impl Command for ListRuns {
    const NAME: &'static str = "runs.list";
    type Service = RunService;
    type Reply = Vec<RunSummary>;

    async fn run(self, service: &RunService) -> Result<Vec<RunSummary>, ErrorReply> {
        // What is being recorded, and what killed recorders left. A list without it is better than none.
        let _ = service.look_at_programs().await;
        let limit = self.limit.map_or(usize::MAX, |limit| usize::try_from(limit).unwrap_or(usize::MAX));
        let (store, users) = (service.parts.store.clone(), service.parts.users.clone());
        let records = run_blocking(move || {
            let records = if let Some(parent) = self.parent {
                store.children(&parent)?.into_iter().take(limit).collect()
            } else {
                let user = Some(users.resolve(self.user.as_ref())?);
                let (flow_path, which, limit) = (self.flow_path, Which::Roots, Some(limit));
                store.runs(&RunFilter { flow_path, user, which, limit })?
            };
            let with_children = |record: RunRecord| {
                let record = with_usage_of_tree(&store, record)?;
                Ok((store.count_children(&record.run)?, from_is_gone(&store, &record), record))
            };
            records.into_iter().map(with_children).collect::<Result<Vec<_>, ErrorReply>>()
        })
        .await?;
        let summary = |(children, is_gone, record): (usize, bool, RunRecord)| {
            let active = service.is_driven(&record);
            RunSummary::new(record, active, children, is_gone)
        };
        Ok(records.into_iter().map(summary).collect())
    }
}

/// `runs.resolve`: the run with an id that begins with `prefix`. `run.unknown`, `run.ambiguous`.
#[derive(Debug, Serialize, Deserialize, TS)]
pub struct ResolveRun {
    pub prefix: String,
}

impl Command for ResolveRun {
    const NAME: &'static str = "runs.resolve";
    type Service = RunService;
    type Reply = RunId;

    async fn run(self, service: &RunService) -> Result<RunId, ErrorReply> {
        // A prefix of the id of a run that is being recorded.
        let _ = service.look_at_programs().await;
        service.find(&self.prefix)
    }
}

/// `runs.show`: a run with its flow and its journal.
#[derive(Debug, Serialize, Deserialize, TS)]
pub struct ShowRun {
    pub run: RunId,
}

/// A run with its journal.
#[derive(Debug, Serialize, Deserialize, TS)]
pub struct RunDetail {
    pub summary: RunSummary,
    /// The ancestors of a child run, the root first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[ts(optional, as = "Option<Vec<RunSummary>>")]
    pub above: Vec<RunSummary>,
    /// The flow as the run recorded it.
    pub flow: Flow,
    /// The entries of the journal that can be read.
    pub entries: Vec<Entry>,
    /// Why others cannot be read: the first damage.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub damage: Option<ErrorReply>,
}

impl Command for ShowRun {
    const NAME: &'static str = "runs.show";
    type Service = RunService;
    type Reply = RunDetail;

    async fn run(self, service: &RunService) -> Result<RunDetail, ErrorReply> {
        let ancestors = service.lineage(&self.run).await?.into_iter().skip(1).rev();
        let summary = |record: RunRecord| {
            let active = service.is_driven(&record);
            // It has at least the child run that is shown. Nothing needs the exact number.
            let is_gone = from_is_gone(&service.parts.store, &record);
            RunSummary::new(record, active, 1, is_gone)
        };
        let above = ancestors.map(summary).collect();
        let (store, service) = (service.parts.store.clone(), service.clone());
        run_blocking(move || {
            let record = record_of_tree(&store, &self.run)?;
            let active = service.is_driven(&record);
            let flow = recorded_flow(&store, &record.flow.hash)?;
            let (mut entries, mut damage) = (Vec::new(), None);
            for entry in store.read_damaged_journal(&self.run)? {
                match entry {
                    Ok(entry) => entries.push(entry),
                    Err(fault) => damage = damage.or(Some(fault.into())),
                }
            }
            let is_gone = from_is_gone(&store, &record);
            let summary = RunSummary::new(record, active, store.count_children(&self.run)?, is_gone);
            Ok(RunDetail { summary, above, flow, entries, damage })
        })
        .await
    }
}

/// `runs.remove`: removes a run and its child runs. `run.busy` while it has not ended, `run.is_child` while a run that it is part of
/// has not.
#[derive(Debug, Serialize, Deserialize, TS)]
pub struct RemoveRun {
    pub run: RunId,
}

impl Command for RemoveRun {
    const NAME: &'static str = "runs.remove";
    type Service = RunService;
    type Reply = ();

    async fn run(self, service: &RunService) -> Result<(), ErrorReply> {
        service.remove(&self.run).await
    }
}

/// `runs.forgetReplies`: other runs no longer take the replies that were bought until now, by a run with its child runs or by all runs.
/// A repetition of such a run still does. `run.unknown`.
#[derive(Debug, Default, Serialize, Deserialize, TS)]
pub struct ForgetReplies {
    /// All runs unless given.
    #[serde(default)]
    #[ts(optional)]
    pub run: Option<RunId>,
}

impl Command for ForgetReplies {
    const NAME: &'static str = "runs.forgetReplies";
    type Service = RunService;
    type Reply = ();

    async fn run(self, service: &RunService) -> Result<(), ErrorReply> {
        let (store, now) = (service.parts.store.clone(), service.parts.clock.now_ms());
        run_blocking(move || Ok(store.forget_replies(self.run.as_ref(), now)?)).await
    }
}
