//! Forecasts: what `flow.forecast` says of a flow is what its run sends; and `plait forecast`.

use plait_api::dispatch;
use serde_json::{Value, json};

use crate::support::app::App;
use crate::support::binary::Home;
use crate::support::folder::{FlowFolder, flow_json};

/// A loop with an agent that replies with 50 tokens in each of its iterations.
fn flow(times: u32, window: u32) -> Value {
    let reply = ["tea"; 50].join(" ");
    let mut flow = flow_json(
        "forecast",
        json!({
            "start": { "type": "contextStart", "config": { "systemInstructions": "Be brief." } },
            "loop": { "type": "loop", "config": { "kind": "times", "times": times } },
            "chat": { "type": "chat", "parent": "loop", "config": {
                "prompt": "Go on.", "maxTokens": 50, "overrideModel": "script",
                "options": { "replies": vec![json!({ "text": reply }); 20] } } },
        }),
        &["start.context -> loop.context", "loop.context -> chat.context", "chat.response -> loop.next"],
    );
    flow["settings"] = json!({ "contextWindow": window });
    flow
}

#[tokio::test]
async fn forecast_is_what_the_run_sends() {
    let flow = flow(8, 400);
    let folder = FlowFolder::with_files(&[("forecast.flow.json", &flow)]);
    let app = App::offline();
    let forecast = dispatch(&app.plait, "flow.forecast", json!({ "flow": flow })).await.unwrap();
    let run = folder.start(&app, "forecast.flow.json", "").await;
    app.follow(&run, [""; 0]).await;
    let shown = dispatch(&app.plait, "lens.show", json!({ "run": run })).await.unwrap();
    let calls = shown["calls"].as_array().unwrap();
    let node = &forecast["nodes"][0];
    let tokens =
        |list: &[Value]| list.iter().map(|item| item["tokens"].as_u64().unwrap()).collect::<Vec<_>>();
    assert_eq!(tokens(node["points"].as_array().unwrap()), tokens(calls), "{forecast:#}");
    // 7 tokens of instructions, 61 a turn, 7 of the message; 344 are left beside the reserve.
    let trimmed = calls.iter().position(|call| !call["leftOut"].as_array().unwrap().is_empty());
    assert_eq!(trimmed.map(|at| (at + 1).to_string()).as_deref(), node["outlook"]["iteration"].as_str());
    assert_eq!(node["outlook"]["kind"], "overflows");
    assert_eq!(forecast["cost"], json!({ "atMostNanoUsd": 0, "unknown": [] }));
    app.close().await;
}

#[tokio::test]
async fn forecast_of_an_invalid_flow_says_why_it_cannot_run() {
    let app = App::offline();
    let flow = flow_json("broken", json!({ "chat": { "type": "chat" } }), &["nobody.out -> chat.message"]);
    let error = dispatch(&app.plait, "flow.forecast", json!({ "flow": flow })).await.unwrap_err();
    assert_eq!(error.code.to_string(), "flow.invalid");
    app.close().await;
}

#[test]
fn command_prints_the_forecast_of_flows_and_pipelines() {
    let home = Home::default();
    let file = home.file("forecast.flow.json", &flow(8, 400).to_string());
    let printed = home.plait(&["forecast", &file]);
    assert_eq!(printed.code, 0, "{printed:#?}");
    assert!(printed.out.contains("chat · offline/script · 8 times\n"), "{}", printed.out);
    assert!(printed.out.contains("94 % of the window at iteration 6, overflow near 7"), "{}", printed.out);
    assert!(printed.out.contains("61 tokens an iteration, limit 8\n"), "{}", printed.out);
    assert!(printed.out.contains("replies of 50 (`maxTokens`)"), "{}", printed.out);
    assert!(printed.out.ends_with("Cost: at most $0\n"), "{}", printed.out);

    let file = home.path().join("chat.yaml").display().to_string();
    let pipeline = home.plait(&["new", "--loop", &file]);
    assert_eq!(pipeline.code, 0, "{pipeline:#?}");
    let printed = home.plait(&["forecast", &file, "--json"]);
    assert_eq!(printed.code, 0, "{printed:#?}");
    let forecast: Value = serde_json::from_str(&printed.out).unwrap();
    assert!(!forecast["nodes"].as_array().unwrap().is_empty(), "{forecast:#}");
    assert_eq!(home.plait(&["forecast", "missing.yaml"]).code, 2);
}
