//! Flows of each tool against a scripted model: the requests are those that the tool itself would send, in its order. The table
//! `tests/fixtures/import/requests.json` says for each flow what it is run with, and the requests: the model, then a line for each
//! message. A model that only chooses a way is asked in Plait's own words, which `…` stands for. The folders of Prompt Flow are
//! files that hold their files by name.

use std::collections::{BTreeMap, BTreeSet};

use plait_core::flow::Flow;
use plait_formats::foreign::{ForeignFile, Importer as _};
use plait_import::Importers;
use plait_llm::context::Role;
use serde::Deserialize;
use serde_json::Value;

use super::run_flow;
use crate::support::fixture;
use crate::support::provider::{RecordingProvider, SentRequest, text};

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Case {
    flow: String,
    #[serde(default)]
    input: String,
    #[serde(default)]
    answers: Vec<Value>,
    /// What the model replies to its calls; `re:` and the last message to those beyond.
    #[serde(default)]
    replies: Vec<String>,
    requests: Vec<Vec<String>>,
    /// Branches send them at the same time.
    #[serde(default)]
    any_order: bool,
}

fn imported(file: &str) -> Flow {
    let text = std::fs::read_to_string(fixture("import").join(file)).unwrap();
    let (text, files) = if file.contains("/promptflow/") {
        let mut files: BTreeMap<String, String> = serde_json::from_str(&text).unwrap();
        (files.remove("flow.dag.yaml").unwrap(), files)
    } else {
        (text, BTreeMap::new())
    };
    let file = ForeignFile { text: &text, files: &files, format: None, name: "Imported", graph: None };
    Importers.import(&file).unwrap().flow
}

/// The tool that a file is of.
fn tool(file: &str) -> &str {
    file.trim_start_matches("requests/").split('/').next().unwrap()
}

fn written(sent: &SentRequest) -> Vec<String> {
    let system = sent.system.iter().map(|system| format!("system: {system}"));
    let messages = sent.messages.iter().map(|(role, text)| {
        let author = if *role == Role::User { "user" } else { "assistant" };
        format!("{author}: {text}")
    });
    std::iter::once(sent.model.clone()).chain(system).chain(messages).collect()
}

/// How many flows of each tool there are.
const MIN_FLOWS: usize = 20;

async fn flows_send_the_requests_of(name: &str) {
    let table = std::fs::read_to_string(fixture("import/requests.json")).unwrap();
    let mut cases: Vec<Case> = serde_json::from_str(&table).unwrap();
    cases.retain(|case| tool(&case.flow) == name);
    let flows: BTreeSet<&str> = cases.iter().map(|case| case.flow.as_str()).collect();
    assert!(flows.len() >= MIN_FLOWS, "{}", flows.len());
    let mut wrong = Vec::new();
    for mut case in cases {
        let replies = case.replies;
        let provider = RecordingProvider::with_rule(move |sent, calls| {
            Ok(text(&replies.get(calls).cloned().unwrap_or_else(|| format!("re: {}", sent.last_text()))))
        });
        let (sent, _) = run_flow(imported(&case.flow), &provider, &case.input, case.answers).await;
        let mut sent: Vec<_> = sent.iter().map(written).collect();
        for (sent, wanted) in sent.iter_mut().zip(&case.requests) {
            if wanted.get(1).is_some_and(|message| message == "…") {
                sent.splice(1.., ["…".to_owned()]);
            }
        }
        if case.any_order {
            sent.sort();
            case.requests.sort();
        }
        if sent != case.requests {
            wrong.push(format!("{}: {sent:#?}\ninstead of {:#?}", case.flow, case.requests));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[tokio::test]
async fn dify_flows_send_the_requests_of_dify() {
    flows_send_the_requests_of("dify").await;
}

#[tokio::test]
async fn flowise_flows_send_the_requests_of_flowise() {
    flows_send_the_requests_of("flowise").await;
}

#[tokio::test]
async fn langflow_flows_send_the_requests_of_langflow() {
    flows_send_the_requests_of("langflow").await;
}

#[tokio::test]
async fn n8n_workflows_send_the_requests_of_n8n() {
    flows_send_the_requests_of("n8n").await;
}

#[tokio::test]
async fn prompt_flows_send_the_requests_of_prompt_flow() {
    flows_send_the_requests_of("promptflow").await;
}

#[tokio::test]
async fn rivet_projects_send_the_requests_of_rivet() {
    flows_send_the_requests_of("rivet").await;
}
