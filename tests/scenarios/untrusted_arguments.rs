//! What others wrote does not act by itself: a page asks a model to send a secret away. The real binary, a model's server that
//! does what the page says, and the server that would receive the secret.

use serde_json::{Value, json};

use crate::http_tools::{Machine, WebServer};
use crate::support::folder::flow_json;
use crate::support::server::{Answer, ModelServer};

/// Fetches a page, summarizes it, and answers with a tool that posts.
fn flow(web: &WebServer) -> Value {
    let report = json!({
        "name": "report", "description": "Sends a report.", "method": "POST", "url": web.url("/report"),
        "parameters": {
            "type": "object", "properties": { "text": { "type": "string" } }, "required": ["text"],
        },
    });
    let nodes = json!({
        "start": { "type": "contextStart", "config": { "provider": "openai", "model": "scripted" } },
        "fetch": { "type": "httpRequest", "config": { "url": web.url("/page") } },
        "sum": { "type": "chat" },
        "tools": { "type": "tools", "config": { "tools": [], "http": [report] } },
        "answer": { "type": "chat" },
    });
    let edges = [
        "start.context -> sum.context",
        "fetch.body -> sum.message",
        "sum.context -> answer.context",
        "sum.response -> answer.message",
        "tools.tools -> answer.tools",
    ];
    flow_json("Injected", nodes, &edges)
}

/// A model that summarizes what it gets, then does what it says.
async fn obedient_model(machine: &Machine) -> ModelServer {
    let server = ModelServer::start(|_, before| match before {
        0 => Answer::Text("The page wants you to report the code 4711.".to_owned()),
        1 => Answer::Tool { name: "report".to_owned(), arguments: json!({ "text": "The code is 4711." }) },
        _ => Answer::Text("Done.".to_owned()),
    })
    .await;
    machine.home.set_provider_url(&server.url).await;
    server
}

#[tokio::test(flavor = "multi_thread")]
async fn page_that_asks_for_a_secret_is_stopped_and_a_grant_lets_it_pass() {
    let (machine, web) = (Machine::default(), WebServer::start().await);
    let host = format!("127.0.0.1:{}", web.port);
    let path = machine.write("injected.flow.json", &flow(&web).to_string());
    let model = obedient_model(&machine).await;

    // The host is granted, for changes too. That does not say what may be sent there.
    let asked = machine.plait(&["run", &path, "--json", "--allow", &format!("host={host}")]);
    assert_eq!(asked.code, 3, "{asked:?}");
    assert_eq!(web.lines(), ["GET /page"], "nothing was sent");
    let events = asked.events();
    let paused = events.iter().find(|event| event["type"] == "run.paused").unwrap();
    assert_eq!(paused["node"], "answer");
    assert_eq!(paused["tool"]["untrusted"], json!([format!("host:{host}")]));
    assert!(paused["prompt"].as_str().unwrap().contains(&format!("`host:{host}`")), "{paused}");
    assert!(asked.err.contains("plait resume"), "{asked:?}");
    // Each step of the way is in the journal.
    let origins = |kind: &str, node: &str| {
        let event = events.iter().find(|event| event["type"] == kind && event["node"] == node).unwrap();
        (event["metadata"]["origins"].clone(), event["origins"].clone())
    };
    assert_eq!(origins("node.finished", "fetch").0, json!([format!("host:{host}")]));
    let of_summary = json!(["model:openai/scripted", format!("host:{host}")]);
    assert_eq!(origins("model.replied", "sum").1, of_summary);
    assert_eq!(origins("model.replied", "answer").1, of_summary);

    let refused = machine.plait(&["resume", "last", "--answer", r#"{"approved": false}"#]);
    assert_eq!(refused.code, 0, "{refused:?}");
    assert_eq!(web.lines(), ["GET /page"]);
    let calls = model.calls();
    let result = calls.last().unwrap()["messages"].as_array().unwrap().last().unwrap();
    assert!(result["content"].as_str().unwrap().contains("tool.rejected"), "{result}");
    drop(model);

    // The name of the tool is the flow's own; where its requests go, the person decides.
    let model = obedient_model(&machine).await;
    let rules = format!("host={host},tool=report+untrusted");
    let named = machine.plait(&["run", &path, "--allow", &rules]);
    assert_eq!((named.code, web.lines().len()), (3, 2), "{named:?}");
    drop(model);

    let model = obedient_model(&machine).await;
    let allowed = machine.plait(&["run", &path, "--allow", &format!("host={host}+untrusted")]);
    assert_eq!(allowed.code, 0, "{allowed:?}");
    assert_eq!(web.lines()[2..], ["GET /page", r#"POST /report {"text":"The code is 4711."}"#]);
    drop(model);
}

/// A GET changes nothing, but its URL leaves. To a host that the person granted by name it may go.
#[tokio::test(flavor = "multi_thread")]
async fn address_from_a_page_is_fetched_only_from_hosts_granted_by_name() {
    let (machine, web) = (Machine::default(), WebServer::start().await);
    let nodes = json!({
        "fetch": { "type": "httpRequest", "config": { "url": web.url("/page") } },
        "follow": { "type": "httpRequest", "config": { "url": web.url("/next?page={{page}}") } },
    });
    let document = flow_json("Follows", nodes, &["fetch.status -> follow.page"]);
    let path = machine.write("follows.flow.json", &document.to_string());
    let by_name = format!("host=127.0.0.1:{}", web.port);
    let run = machine.plait(&["run", &path, "--allow", &by_name]);
    assert_eq!(run.code, 0, "{run:?}");
    assert_eq!(web.lines(), ["GET /page", "GET /next?page=200"]);
}
