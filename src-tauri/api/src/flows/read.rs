//! `flow.read` and `flow.nearby`: flows that are looked at without opening them.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use plait_core::flow::Flow;
use plait_formats::pipeline;
use plait_store::flow_files::{self, FLOW_ENDING};
use serde::{Deserialize, Serialize};
use ts_rs::TS;

use super::files::unreadable;
use super::service::FlowService;
use super::text::read_file;
use crate::ErrorReply;
use crate::blocking::run_blocking;
use crate::codes;
use crate::command::Command;

/// A folder with more of them is no folder of flows.
const MAX_NEARBY: usize = 500;

/// `flow.read`: reads a flow or a pipeline from a file or a text. Unlike `flow.open`, nothing is remembered or checked. `flow.*` with
/// `diagnostics` when it cannot be read as a flow.
#[derive(Debug, Serialize, Deserialize, TS)]
pub struct ReadFlow {
    /// The file; left out if `text` is its content.
    #[serde(default)]
    #[ts(optional)]
    pub path: Option<String>,
    /// The content of a file.
    #[serde(default)]
    #[ts(optional)]
    pub text: Option<String>,
    /// The name of the file with this content. Its extension says whether it is a pipeline.
    #[serde(default)]
    #[ts(optional)]
    pub name: Option<String>,
}

impl Command for ReadFlow {
    const NAME: &'static str = "flow.read";
    type Service = FlowService;
    type Reply = Flow;

    async fn run(self, _: &FlowService) -> Result<Flow, ErrorReply> {
        run_blocking(move || {
            let (path, text) = match (self.text, self.path) {
                (Some(text), path) => (PathBuf::from(self.name.or(path).unwrap_or_default()), text),
                (None, Some(path)) => {
                    let file = flow_files::read(Path::new(&path))?;
                    (file.path, file.text)
                }
                (None, None) => {
                    let message = "`flow.read` takes a `path` or a `text`.";
                    return Err(ErrorReply::new(codes::COMMAND_ARGUMENTS, message));
                }
            };
            read_file(&path, &text).map_err(|errors| unreadable(&path, &errors))
        })
        .await
    }
}

/// `flow.nearby`: the flow and pipeline files in the folders of the recent flows, by path; not in folders below them. At most
/// 500.
#[derive(Debug, Default, Serialize, Deserialize, TS)]
pub struct ListNearbyFlows {}

impl Command for ListNearbyFlows {
    const NAME: &'static str = "flow.nearby";
    type Service = FlowService;
    type Reply = Vec<String>;

    async fn run(self, service: &FlowService) -> Result<Vec<String>, ErrorReply> {
        let store = service.store.clone();
        run_blocking(move || {
            let recent = store.recent_flows()?;
            let folders: BTreeSet<&Path> =
                recent.iter().filter_map(|flow| Path::new(&flow.path).parent()).collect();
            let mut found = BTreeSet::new();
            for folder in folders {
                // A folder that cannot be read has no flows to show.
                let Ok(items) = fs::read_dir(folder) else { continue };
                let files = items
                    .flatten()
                    .map(|item| item.path())
                    .filter(|path| is_flow_file(path) && path.is_file());
                found.extend(files.filter_map(|path| path.into_os_string().into_string().ok()));
            }
            Ok(found.into_iter().take(MAX_NEARBY).collect())
        })
        .await
    }
}

/// Whether a file is a flow or a pipeline, by its name.
pub fn is_flow_file(path: &Path) -> bool {
    let is_flow = path.file_name().is_some_and(|name| name.to_string_lossy().ends_with(FLOW_ENDING));
    is_flow || pipeline::is_pipeline(path)
}
