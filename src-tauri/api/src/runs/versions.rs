//! `flow.versions`: the versions of a flow that its runs have kept.

use std::collections::HashMap;

use plait_core::flow::Flow;
use plait_core::id::RunId;
use plait_journal::view::RunStatus;
use plait_store::record::RunRecord;
use plait_store::{RunFilter, Which};
use serde::{Deserialize, Serialize};
use ts_rs::TS;

use super::records::status;
use super::service::RunService;
use crate::ErrorReply;
use crate::blocking::run_blocking;
use crate::command::Command;
use crate::flows::text::recorded_flow;

/// How many versions a list has, unless it asks for another number.
const DEFAULT_LIMIT: u32 = 50;

/// `flow.versions`: the flows that the current user's runs of a file executed, each once, the one that ran last first. A
/// version whose document is damaged is left out.
#[derive(Debug, Serialize, Deserialize, TS)]
pub struct ListVersions {
    /// The flow's file.
    pub path: String,
    /// The maximum number of versions; 50 when left out.
    #[serde(default)]
    #[ts(optional)]
    pub limit: Option<u32>,
}

/// A flow as runs executed it.
#[derive(Debug, Serialize, Deserialize, TS)]
pub struct FlowVersion {
    /// The hash of the flow's text.
    pub hash: String,
    pub flow: Flow,
    /// The runs that executed it, newest first.
    pub runs: Vec<VersionRun>,
}

#[derive(Debug, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct VersionRun {
    pub run: RunId,
    /// In milliseconds since the Unix epoch.
    #[ts(type = "number")]
    pub started_at: u64,
    pub status: RunStatus,
}

impl Command for ListVersions {
    const NAME: &'static str = "flow.versions";
    type Service = RunService;
    type Reply = Vec<FlowVersion>;

    async fn run(self, service: &RunService) -> Result<Vec<FlowVersion>, ErrorReply> {
        let limit = usize::try_from(self.limit.unwrap_or(DEFAULT_LIMIT)).unwrap_or(usize::MAX);
        let (store, users, service) =
            (service.parts.store.clone(), service.parts.users.clone(), service.clone());
        run_blocking(move || {
            let user = Some(users.resolve(None)?);
            let filter = RunFilter { flow_path: Some(self.path), user, which: Which::Roots, limit: None };
            let mut versions: Vec<(String, Vec<VersionRun>)> = Vec::new();
            let mut places: HashMap<String, usize> = HashMap::new();
            for record in store.runs(&filter)? {
                let place = *places.entry(record.flow.hash.clone()).or_insert_with(|| {
                    versions.push((record.flow.hash.clone(), Vec::new()));
                    versions.len() - 1
                });
                if let Some((_, runs)) = versions.get_mut(place) {
                    runs.push(VersionRun::of(&service, &record));
                }
            }
            let readable = versions.into_iter().filter_map(|(hash, runs)| {
                let flow = recorded_flow(&store, &hash).ok()?;
                Some(FlowVersion { hash, flow, runs })
            });
            Ok(readable.take(limit).collect())
        })
        .await
    }
}

impl VersionRun {
    fn of(service: &RunService, record: &RunRecord) -> Self {
        let status = status(record, service.is_driven(record));
        Self { run: record.run.clone(), started_at: record.started_at, status }
    }
}
