//! The board: runs with what they ask, newest first. Those of a database are the same on every host that uses it.

use jiff::Timestamp;
use plait_api::runs::{ListRuns, RunRequest, RunState, RunSummary};
use plait_api::{ErrorReply, Plait};
use plait_core::id::RunId;
use plait_core::user::UserName;
use plait_host_store::{ListedTree, Listing};
use plait_journal::view::{OpenPause, RunStatus};
use plait_llm::models::{Cost, TokenUsage};
use plait_store::record::RunCounters;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::blocking::blocking;
use crate::codes;

/// How many runs a board shows unless asked for others.
const DEFAULT_RUNS: u32 = 50;
const MAX_RUNS: u32 = 500;

/// Which runs a board shows.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct BoardQuery {
    /// Only runs with this status: `running`, `waiting`, `stopped`, `finished`, `failed`, `cancelled` or `interrupted`.
    #[serde(default)]
    #[schemars(with = "Option<String>")]
    pub(crate) status: Option<RunStatus>,
    /// Only runs that were begun before this one.
    #[serde(default)]
    #[schemars(with = "Option<String>")]
    pub(crate) before: Option<RunId>,
    /// The maximum number of runs: 50 unless given, at most 500.
    #[serde(default)]
    limit: Option<u32>,
}

impl BoardQuery {
    pub(crate) fn limit(&self) -> u32 {
        self.limit.unwrap_or(DEFAULT_RUNS).min(MAX_RUNS)
    }
}

/// A run on the board.
#[derive(Serialize)]
pub(crate) struct BoardRun {
    #[serde(flatten)]
    pub(crate) summary: RunSummary,
    /// What it waits for, as `run.answer` takes it.
    pub(crate) questions: Vec<OpenPause>,
}

#[derive(Serialize)]
pub(crate) struct Board {
    pub(crate) runs: Vec<BoardRun>,
}

impl Board {
    /// The runs in the data directory of this process.
    pub(crate) async fn of_files(plait: &Plait, query: &BoardQuery) -> Result<Self, ErrorReply> {
        let mut runs = plait.call(ListRuns::default()).await?;
        if let Some(before) = &query.before {
            let at = runs.iter().position(|run| run.run == *before);
            runs.drain(..at.map_or(runs.len(), |at| at + 1));
        }
        runs.retain(|run| query.status.is_none_or(|status| run.status == status));
        runs.truncate(query.limit() as usize);
        let store = plait.store().clone();
        blocking(move || {
            let with_questions = |summary: RunSummary| {
                let asks = summary.status == RunStatus::Waiting;
                let questions = if asks { store.run(&summary.run)?.waiting_on } else { Vec::new() };
                Ok(BoardRun { summary, questions })
            };
            Ok(Self { runs: runs.into_iter().map(with_questions).collect::<Result<_, ErrorReply>>()? })
        })
        .await
    }
}

impl BoardRun {
    /// A run tree of a database.
    pub(crate) fn of_tree(tree: &ListedTree) -> Result<Self, ErrorReply> {
        let unreadable = |error: serde_json::Error| {
            ErrorReply::new(codes::COMMAND_REPLY, format!("The list of runs cannot be read: {error}."))
        };
        let mut summary: RunSummary = serde_json::from_str(&tree.summary).map_err(unreadable)?;
        let state = tree.waiting.as_deref().map(serde_json::from_str::<Value>);
        let questions = state.transpose().map_err(unreadable)?.map(|mut state| state["questions"].take());
        let questions = questions.filter(|questions| !questions.is_null());
        if tree.is_due {
            summary.status = RunStatus::Running;
            summary.waiting_on = None;
        }
        let questions = questions.map(serde_json::from_value).transpose().map_err(unreadable)?;
        Ok(Self { summary, questions: questions.unwrap_or_default() })
    }
}

/// What lists show of a run, as the database has it.
pub(crate) fn listing_of(summary: &RunSummary) -> Result<Listing, ErrorReply> {
    let unwritable = |error: serde_json::Error| {
        ErrorReply::new(codes::COMMAND_REPLY, format!("A run cannot be listed: {error}."))
    };
    Ok(Listing {
        summary: serde_json::to_string(summary).map_err(unwritable)?,
        status: name_of(summary.status),
        flow_path: summary.path.clone(),
        user: summary.user.to_string(),
    })
}

/// A status as the database has it.
pub(crate) fn name_of(status: RunStatus) -> String {
    // The name of a unit variant is a text.
    serde_json::to_value(status).ok().and_then(|name| Some(name.as_str()?.to_owned())).unwrap_or_default()
}

/// A run that no worker has begun.
pub(crate) fn summary_of_new(run: &RunId, request: &RunRequest, user: UserName) -> RunSummary {
    RunSummary {
        run: run.clone(),
        flow_name: request.flow.name.clone(),
        path: request.path.clone(),
        user,
        conversation: request.conversation.clone(),
        parent_run_id: None,
        from: None,
        from_is_gone: false,
        program: None,
        children: 0,
        status: RunStatus::Running,
        started_at: u64::try_from(Timestamp::now().as_millisecond()).unwrap_or_default(),
        ended_at: None,
        worked_ms: None,
        nodes: RunCounters::default(),
        tokens: TokenUsage::default(),
        cost: Cost::default(),
        waiting_on: None,
        error: None,
    }
}

/// A run with how it stands.
pub(crate) struct StandingRun {
    pub(crate) state: RunState,
    pub(crate) listing: Listing,
}

impl StandingRun {
    /// As its journal says.
    pub(crate) fn of(detail: plait_api::runs::RunDetail) -> Result<Self, ErrorReply> {
        let listing = listing_of(&detail.summary)?;
        Ok(Self { state: RunState::of(detail), listing })
    }

    pub(crate) fn state_text(&self) -> Result<String, ErrorReply> {
        serde_json::to_string(&self.state).map_err(|error| {
            ErrorReply::new(codes::COMMAND_REPLY, format!("A run cannot be shown: {error}."))
        })
    }
}
