//! Workflows with several triggers: a run takes one.

use plait_api::conversations::{ConversationFlow, OpenConversation};
use plait_api::runs::{RerunRequest, RerunRun, RunRequest, StartRun};
use plait_import::import;
use serde_json::{Value, json};

use crate::support::app::{App, all_grants};
use crate::support::binary::Home;
use crate::support::provider::{RecordingProvider, SentRequest};

/// A chat and a schedule with an agent of their own, and a way that both reach.
fn workflow() -> String {
    let node = |name: &str, kind: &str, parameters: Value| json!({ "name": name, "type": kind, "typeVersion": 1, "parameters": parameters });
    let chain = |name: &str| {
        node(
            name,
            "@n8n/n8n-nodes-langchain.chainLlm",
            json!({ "promptType": "define", "text": format!("={name} {{{{ $json.chatInput }}}}") }),
        )
    };
    let to = |name: &str| json!({ "node": name, "type": "main", "index": 0 });
    let model = |name: &str| json!({ "node": name, "type": "ai_languageModel", "index": 0 });
    json!({
        "name": "Two ways",
        "nodes": [
            node("Chat", "@n8n/n8n-nodes-langchain.chatTrigger", json!({})),
            node("Night", "n8n-nodes-base.scheduleTrigger", json!({})),
            node("Slack", "n8n-nodes-base.slackTrigger", json!({})),
            chain("Answer"), chain("Report"), chain("Both"),
            node("Model", "@n8n/n8n-nodes-langchain.lmChatOpenAi", json!({ "model": "gpt-4o" })),
        ],
        "connections": {
            "Chat": { "main": [[to("Answer"), to("Both")]] },
            "Night": { "main": [[to("Report"), to("Both")]] },
            "Model": { "ai_languageModel": [[model("Answer"), model("Report"), model("Both")]] },
        },
    })
    .to_string()
}

fn said(sent: &[SentRequest]) -> Vec<String> {
    let mut said: Vec<String> = sent.iter().map(|request| request.last_text().trim().to_owned()).collect();
    said.sort();
    said
}

#[tokio::test]
async fn run_takes_one_trigger_and_its_rerun_the_same() {
    let flow = import(&workflow(), None, "x").unwrap().flow;
    let provider = RecordingProvider::echo();
    let app = App::with_workers(&provider);
    let request = |trigger: Option<&str>| RunRequest {
        flow: flow.clone(),
        grants: all_grants(),
        input: Some("hello".to_owned()),
        trigger: trigger.map(Into::into),
        ..RunRequest::default()
    };
    let run = app.plait.call(StartRun(request(None))).await.unwrap().run;
    app.follow(&run, [""; 0]).await;
    assert_eq!(said(&provider.sent()), ["Answer hello", "Both hello"]);

    let run = app.plait.call(StartRun(request(Some("night")))).await.unwrap().run;
    app.follow(&run, [""; 0]).await;
    assert_eq!(said(&provider.sent()[2..]).len(), 2);
    assert!(said(&provider.sent()[2..])[1].starts_with("Report"), "{:?}", provider.sent());

    // An edited flow begins where the earlier run began.
    let mut edited = flow.clone();
    edited.nodes.get_mut("report").unwrap().config.insert("prompt".to_owned(), "EDITED".into());
    let rerun = RerunRequest { flow: Some(edited), grants: all_grants(), ..RerunRequest::of(run) };
    let run = app.plait.call(RerunRun(rerun)).await.unwrap().run;
    app.follow(&run, [""; 0]).await;
    assert_eq!(said(&provider.sent()[4..]), ["EDITED"]);

    let refused = app.plait.call(StartRun(request(Some("both")))).await.unwrap_err();
    assert_eq!(refused.code.as_str(), "run.unknown_trigger");
    assert!(refused.hint.unwrap().contains("`chat`, `night`, `slack`"));
}

#[tokio::test]
async fn each_way_in_recalls_its_own_conversation() {
    let mut document: Value = serde_json::from_str(&workflow()).unwrap();
    let nodes = document["nodes"].as_array_mut().unwrap();
    for node in nodes.iter_mut().filter(|node| node["name"] == "Answer" || node["name"] == "Report") {
        node["type"] = json!("@n8n/n8n-nodes-langchain.agent");
        let text = format!("={} {{{{ $json.chatInput ?? $json }}}}", node["name"].as_str().unwrap());
        node["parameters"]["text"] = json!(text);
    }
    nodes.push(json!({ "name": "Memory", "type": "@n8n/n8n-nodes-langchain.memoryBufferWindow", "typeVersion": 1.3, "parameters": {} }));
    let to = |name: &str| json!({ "node": name, "type": "ai_memory", "index": 0 });
    document["connections"]["Memory"] = json!({ "ai_memory": [[to("Answer"), to("Report")]] });
    let imported = import(&document.to_string(), None, "x").unwrap();
    let lost: Vec<_> = imported.report.nodes.iter().flat_map(|node| &node.lost).collect();
    assert!(!lost.iter().any(|lost| lost.contains("conversation ") || lost.contains("recall")), "{lost:?}");
    let provider = RecordingProvider::echo();
    let app = App::with_workers(&provider);
    for (trigger, name) in [("chat", "Answer"), ("night", "Report")] {
        let flow = ConversationFlow::new(&imported.flow, None);
        let conversation = app.plait.call(OpenConversation { flow, user: None, new: true }).await.unwrap();
        for (turn, input) in ["one", "two"].into_iter().enumerate() {
            let before = provider.sent().len();
            let request = RunRequest {
                flow: imported.flow.clone(),
                grants: all_grants(),
                input: Some(input.to_owned()),
                trigger: Some(trigger.into()),
                conversation: Some(conversation.id.clone()),
                ..RunRequest::default()
            };
            let run = app.plait.call(StartRun(request)).await.unwrap().run;
            app.follow(&run, [""; 0]).await;
            let sent = provider.sent();
            let own = sent[before..].iter().find(|request| request.last_text().starts_with(name)).unwrap();
            assert_eq!(own.messages.len(), 1 + 2 * turn, "{trigger} {turn}: {own:?}");
        }
    }
}

#[test]
fn terminal_begins_at_the_trigger_that_is_named() {
    let home = Home::default();
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("two.json"), workflow()).unwrap();
    let plait = |args: &[&str]| -> crate::support::binary::CliOutput {
        home.command(args).current_dir(folder.path()).output().unwrap().into()
    };
    let output = plait(&["import", "two.json"]);
    assert!(output.err.contains("A run takes one: “Chat”"), "{}", output.err);
    // The placeholder of another trigger is reported and keeps only its own runs from starting.
    let check = plait(&["check", "two.flow.json", "--json"]);
    let report: Value = serde_json::from_str(&check.out).unwrap();
    let found = report["diagnostics"].as_array().unwrap().iter();
    let errors: Vec<_> = found
        .filter(|found| found["severity"] == "error")
        .map(|found| (&found["code"], &found["trigger"], found["message"].as_str().unwrap()))
        .collect();
    assert_eq!(errors.len(), 1, "{errors:?}");
    assert_eq!((errors[0].0, errors[0].1), (&json!("import.placeholder"), &json!("slack")));
    assert!(errors[0].2.starts_with("In runs from `slack`: "), "{errors:?}");
    assert_eq!(plait(&["run", "two.flow.json", "--from", "night", "--to", "night"]).code, 0);
    let slack = plait(&["run", "two.flow.json", "--from", "slack"]);
    assert!(slack.err.contains("import.placeholder"), "{slack:#?}");
    let unknown = plait(&["run", "two.flow.json", "--from", "nobody"]);
    assert_eq!(unknown.code, 2);
    assert!(unknown.err.contains("run.unknown_trigger") && unknown.err.contains("`night`"), "{unknown:#?}");
}
