//! `lens.list`.

use plait_core::id::RunId;
use plait_core::user::UserName;
use plait_journal::view::RunStatus;
use plait_llm::models::{Cost, TokenUsage};
use plait_store::RunFilter;
use plait_store::record::RunRecord;
use serde::{Deserialize, Serialize};
use ts_rs::TS;

use super::LensService;
use crate::ErrorReply;
use crate::blocking::run_blocking;
use crate::command::Command;

/// `lens.list`: the runs of a user with model calls, newest first. `user.unknown`.
#[derive(Debug, Default, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct ListPrompts {
    /// The user; the current one when left out.
    #[serde(default)]
    #[ts(optional)]
    pub user: Option<UserName>,
    /// The maximum number of runs; all when left out.
    #[serde(default)]
    #[ts(optional)]
    pub limit: Option<u32>,
}

/// A run with model calls.
#[derive(Clone, Debug, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct PromptRun {
    pub run: RunId,
    /// The run that started it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub parent_run_id: Option<RunId>,
    pub flow_name: String,
    pub status: RunStatus,
    /// In milliseconds since the Unix epoch.
    #[ts(type = "number")]
    pub started_at: u64,
    /// How many model calls were answered.
    #[ts(type = "number")]
    pub calls: u64,
    pub tokens: TokenUsage,
    pub cost: Cost,
}

impl Command for ListPrompts {
    const NAME: &'static str = "lens.list";
    type Service = LensService;
    type Reply = Vec<PromptRun>;

    async fn run(self, service: &LensService) -> Result<Vec<PromptRun>, ErrorReply> {
        let limit = self.limit.map_or(usize::MAX, |limit| usize::try_from(limit).unwrap_or(usize::MAX));
        let (store, users) = (service.store.clone(), service.users.clone());
        run_blocking(move || {
            let user = Some(users.resolve(self.user.as_ref())?);
            let runs = store.runs(&RunFilter { user, ..RunFilter::default() })?;
            Ok(runs.into_iter().filter_map(with_calls).take(limit).collect())
        })
        .await
    }
}

/// The run, if it called a model.
fn with_calls(record: RunRecord) -> Option<PromptRun> {
    let calls = record.calls();
    (calls > 0).then_some(PromptRun {
        run: record.run,
        parent_run_id: record.parent_run_id,
        flow_name: record.flow.name,
        status: record.status,
        started_at: record.started_at,
        calls,
        tokens: record.tokens,
        cost: record.cost,
    })
}
