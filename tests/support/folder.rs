//! Flows written in a few lines, and folders of flow files that call one another.

use std::path::Path;

use plait_api::runs::{RunRequest, StartRun};
use plait_core::flow;
use plait_core::flow::Flow;
use plait_core::id::RunId;
use serde_json::{Value, json};
use tempfile::TempDir;

use super::app::{App, all_grants};

/// The JSON of a flow with these nodes. An edge is written `source.output -> target.input`.
#[expect(clippy::needless_pass_by_value, reason = "values are written in place")]
pub fn flow_json(name: &str, nodes: Value, edges: &[&str]) -> Value {
    let parse_edge = |edge: &&str| {
        let (from, to) = edge.split_once(" -> ").unwrap_or_else(|| panic!("{edge}"));
        let (source, output) = from.rsplit_once('.').unwrap_or_else(|| panic!("{edge}"));
        let (target, input) = to.rsplit_once('.').unwrap_or_else(|| panic!("{edge}"));
        let edge =
            json!({ "source": source, "sourceOutput": output, "target": target, "targetInput": input });
        (format!("{from}-{to}"), edge)
    };
    let edges: serde_json::Map<String, Value> = edges.iter().map(parse_edge).collect();
    json!({ "version": 1, "name": name, "nodes": nodes, "edges": edges })
}

pub fn parse_flow(json: &Value) -> Flow {
    flow::read(&json.to_string()).unwrap()
}

pub struct FlowFolder(TempDir);

impl FlowFolder {
    pub fn with_files(files: &[(&str, &Value)]) -> Self {
        let folder = Self(tempfile::tempdir().unwrap());
        for (name, flow) in files {
            folder.write(name, flow);
        }
        folder
    }

    pub fn path(&self) -> &Path {
        self.0.path()
    }

    pub fn write(&self, name: &str, flow: &Value) {
        std::fs::write(self.0.path().join(name), flow.to_string()).unwrap();
    }

    /// The canonical path of a file, as runs record it.
    pub fn file(&self, name: &str) -> String {
        self.0.path().join(name).canonicalize().unwrap().display().to_string()
    }

    /// Starts the flow of a file.
    pub async fn start(&self, app: &App, name: &str, input: &str) -> RunId {
        let path = self.file(name);
        let flow = flow::read(&std::fs::read_to_string(&path).unwrap()).unwrap();
        let input = (!input.is_empty()).then(|| input.to_owned());
        app.plait
            .call(StartRun(RunRequest {
                flow,
                path: Some(path),
                input,
                grants: all_grants(),
                ..RunRequest::default()
            }))
            .await
            .unwrap()
            .run
    }
}
