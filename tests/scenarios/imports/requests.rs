//! Flows of each tool against a scripted model: the requests are those that the tool itself would send, in its order. The table
//! `tests/fixtures/import/requests.json` says for each flow what it is run with, and the requests: the model, then a line for each
//! message.

use plait_llm::context::Role;
use serde::Deserialize;
use serde_json::Value;

use super::run;
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

fn written(sent: &SentRequest) -> Vec<String> {
    let system = sent.system.iter().map(|system| format!("system: {system}"));
    let messages = sent.messages.iter().map(|(role, text)| {
        let author = if *role == Role::User { "user" } else { "assistant" };
        format!("{author}: {text}")
    });
    std::iter::once(sent.model.clone()).chain(system).chain(messages).collect()
}

#[tokio::test]
async fn imported_flows_send_the_requests_of_their_tools() {
    let table = std::fs::read_to_string(fixture("import/requests.json")).unwrap();
    let cases: Vec<Case> = serde_json::from_str(&table).unwrap();
    let mut wrong = Vec::new();
    for mut case in cases {
        let replies = case.replies;
        let provider = RecordingProvider::with_rule(move |sent, calls| {
            Ok(text(&replies.get(calls).cloned().unwrap_or_else(|| format!("re: {}", sent.last_text()))))
        });
        let (sent, _) = run(&case.flow, &provider, &case.input, case.answers).await;
        let mut sent: Vec<_> = sent.iter().map(written).collect();
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
