//! Publishing, running and watching flows.

use reqwest::Method;
use serde_json::{Value, json};

use crate::process::{Data, JsonBody as _, ask_flow, chat_flow, edge, events};
use crate::server::{ModelServer, ServerReply};

#[tokio::test]
async fn published_flow_is_run_in_the_version_that_is_served() {
    let model = ModelServer::start(|_, _| ServerReply::Text("Hello Ann".to_owned())).await;
    let data = Data::new();
    let host = data.serve();
    host.set_provider(&model.url).await;
    let (status, saved) = host
        .post("editor", "/commands/flow.save", json!({ "path": "help.flow.json", "flow": chat_flow() }))
        .await;
    assert_eq!(status, 200, "{saved}");
    let publish = json!({ "name": "help", "path": "help.flow.json" });
    assert_eq!(host.command("published.publish", publish.clone()).await["version"], 1);

    let (status, run) = host.post("runner", "/flows/help/runs", json!({ "input": "I am Ann" })).await;
    assert_eq!(status, 200, "{run}");
    assert_eq!(run["status"], "finished");
    assert_eq!(run["outputs"]["chat"]["response"], "Hello Ann");
    let calls = model.calls();
    assert_eq!(calls.len(), 1);
    assert_eq!(calls[0]["messages"][1]["content"], "I am Ann");

    let mut flow = chat_flow();
    flow["nodes"]["start"]["config"]["systemInstructions"] = json!("Be long.");
    data.flow("help.flow.json", &flow);
    assert_eq!(host.command("published.publish", publish).await["version"], 2);
    host.post("runner", "/flows/help/runs", json!({ "input": "Again" })).await;
    data.execute(&["roll-back", "help", "1"]);
    host.post("runner", "/flows/help/runs", json!({ "input": "Once more" })).await;
    let system: Vec<Value> =
        model.calls().iter().map(|call| call["messages"][0]["content"].clone()).collect();
    assert_eq!(system, ["Be brief.", "Be long.", "Be brief."]);
    assert_eq!(host.command("published.versions", json!({ "name": "help" })).await[1]["by"], "admin");

    let (status, body) = host.post("runner", "/flows/other/runs", json!({})).await;
    assert_eq!((status.as_u16(), &body["error"]["code"]), (404, &json!("published.unknown")));
    data.execute(&["unpublish", "help"]);
    assert_eq!(host.post("runner", "/flows/help/runs", json!({})).await.0, 404);
}

#[tokio::test]
async fn flow_with_errors_is_not_published() {
    let data = Data::new();
    let mut flow = chat_flow();
    flow["edges"]["c"] = edge("chat", "nothing", "nobody", "in");
    data.flow("bad.flow.json", &flow);
    let host = data.serve();
    let (status, body) = host
        .post("editor", "/commands/published.publish", json!({ "name": "bad", "path": "bad.flow.json" }))
        .await;
    assert_eq!(status, 422, "{body}");
    assert_eq!(body["error"]["code"], "flow.invalid");
    assert_eq!(host.command("published.list", json!({})).await, json!([]));
}

#[tokio::test]
async fn failed_run_answers_with_the_status_of_its_fault() {
    let refusal = json!({ "error": { "message": "no such model", "code": "model_not_found" } });
    let model = ModelServer::start(move |_, _| ServerReply::Status(400, refusal.clone())).await;
    let data = Data::new();
    data.flow("help.flow.json", &chat_flow());
    let host = data.serve();
    host.set_provider(&model.url).await;
    host.command("published.publish", json!({ "name": "help", "path": "help.flow.json" })).await;
    let sent = host.request("runner", Method::POST, "/flows/help/runs").json_body(&json!({ "input": "Hi" }));
    let sent = sent.send().await.unwrap();
    assert_eq!(sent.status(), 502);
    let header = sent.headers()["plait-run"].to_str().unwrap().to_owned();
    let run = crate::process::read(sent).await.1;
    assert_eq!((&run["status"], &run["run"]), (&json!("failed"), &json!(header)));
    assert!(run["error"]["error"]["code"].as_str().unwrap().starts_with("provider."), "{run}");
    assert_eq!(host.get("viewer", &format!("/runs/{header}")).await.1["status"], "failed");
    assert_eq!(host.get("viewer", "/runs/0190a0b0-0000-7000-8000-000000000001").await.0, 404);
}

#[tokio::test]
async fn events_are_streamed_and_gone_on_with_by_their_id() {
    let model = ModelServer::start(|_, _| ServerReply::Text("one two three".to_owned())).await;
    let data = Data::new();
    data.flow("help.flow.json", &chat_flow());
    let host = data.serve();
    host.set_provider(&model.url).await;
    host.command("published.publish", json!({ "name": "help", "path": "help.flow.json" })).await;
    let sent = host.request("runner", Method::POST, "/flows/help/runs").header("accept", "text/event-stream");
    let sent = sent.json_body(&json!({ "input": "Count" })).send().await.unwrap();
    let run = sent.headers()["plait-run"].to_str().unwrap().to_owned();
    let all = events(sent).await;
    assert_eq!((all[0].0.as_str(), &all[0].2["run"]), ("run", &json!(run)));
    let (name, _, state) = all.last().unwrap();
    assert_eq!((name.as_str(), &state["outputs"]["chat"]["response"]), ("state", &json!("one two three")));

    let journal: Vec<_> = all.iter().filter(|(_, id, _)| id.is_some()).collect();
    let seqs: Vec<u64> = journal.iter().map(|(_, id, _)| id.as_ref().unwrap().parse().unwrap()).collect();
    assert_eq!(seqs, (0..seqs.len() as u64).collect::<Vec<_>>());
    assert_eq!(journal.last().unwrap().2["type"], "run.finished");
    let path = format!("/runs/{run}/events");
    let later = host.request("viewer", Method::GET, &path).header("last-event-id", "3").send().await.unwrap();
    let later = events(later).await;
    assert_eq!(later.last().unwrap().0, "end");
    let later: Vec<_> = later.iter().filter(|(_, id, _)| id.is_some()).collect();
    assert_eq!(later, journal[4..]);
    let wrong =
        host.request("viewer", Method::GET, &path).header("last-event-id", "three").send().await.unwrap();
    assert_eq!(wrong.status(), 400);
}

#[tokio::test]
async fn run_that_asks_waits_for_an_answer() {
    let data = Data::new();
    data.flow("ask.flow.json", &ask_flow());
    let host = data.serve();
    host.command("published.publish", json!({ "name": "ask", "path": "ask.flow.json" })).await;
    let (status, run) = host.post("runner", "/flows/ask/runs", json!({})).await;
    assert_eq!((status.as_u16(), &run["status"]), (202, &json!("waiting")));
    assert_eq!(run["questions"][0]["prompt"], "Who?");
    assert_eq!(host.output_for(&run, "Ann").await, "Ann");
    let (status, again) = host.answer(&run, "Ann").await;
    assert_eq!(status, 409, "{again}");

    let (status, body) = host.post("runner", "/flows/ask/runs", json!({ "input": "Ann" })).await;
    assert_eq!((status.as_u16(), &body["error"]["code"]), (400, &json!("command.arguments")));
}

#[tokio::test]
async fn description_names_every_route() {
    let data = Data::new();
    let host = data.serve();
    let sent = reqwest::get(format!("{}/openapi.json", host.url)).await.unwrap();
    let document = crate::process::read(sent).await.1;
    assert_eq!(document["paths"]["/commands/run.start"]["post"]["x-least-role"], "editor");
    assert!(document["paths"]["/flows/{name}/runs"]["post"]["requestBody"].is_object());
}
