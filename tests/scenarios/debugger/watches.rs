//! What expressions read at a stop, with `print` and `lens.evaluate`: the values that are held, what the calls used, the latest outputs of
//! other nodes, and why a node failed whose error is not delivered yet.

use serde_json::{Value, json};

use plait_api::lens::{EvaluateWatches, WatchedValue};
use plait_api::runs::{ChangeValue, FindHeld};
use plait_api::{Options, Plait};
use plait_core::id::{Activation, Epoch};
use plait_journal::DebugVerb;

use super::edits::{go, journal, run_of, server};
use crate::support::binary::{CliOutput, Home};
use crate::support::folder::{FlowFolder, flow_json};

/// A chat whose reply a query then fails on.
fn failing() -> Value {
    flow_json(
        "failing",
        json!({
            "start": { "type": "contextStart", "config": { "provider": "openai", "model": "gpt-4o" } },
            "ask": { "type": "chat", "config": { "prompt": "One?", "skipHistory": true } },
            "parse": { "type": "json", "config": { "query": ".score.high" } },
            "out": { "type": "output" },
        }),
        &["start.context -> ask.context", "ask.response -> parse.value", "parse.result -> out.value"],
    )
}

fn print(home: &Home, expression: &str) -> CliOutput {
    home.plait(&["debug", "last", "print", expression, "--json"])
}

#[track_caller]
fn assert_prints(home: &Home, expression: &str, value: &Value) {
    let printed = print(home, expression);
    let shown: Value = serde_json::from_str(&printed.out).unwrap_or_else(|_| panic!("{printed:#?}"));
    assert_eq!(shown, json!({ expression: value }));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn terminal_prints_what_an_expression_is_at_a_stop() {
    let server = server().await;
    let folder = FlowFolder::with_files(&[("failing.flow.json", &failing())]);
    let home = Home::default();
    home.set_provider_url(&server.url).await;
    let file = folder.file("failing.flow.json");
    let stopped = home.plait(&["run", &file, "--break", "ask:after", "--break", "parse:after", "--json"]);
    assert_eq!(stopped.code, 4, "{stopped:#?}");
    assert_prints(&home, "response", &json!("1 to One?"));
    assert_prints(&home, "outputs.response.size() + 1", &json!(10));
    assert_prints(&home, "[tokens > 0, trimmed, attempt == 1]", &json!([true, false, true]));
    assert_prints(&home, "inputs.context.contextId", &json!("main"));
    assert_prints(&home, "nodes.ask", &json!({}));
    let unknown = print(&home, "nosuch");
    assert!(unknown.code == 1 && unknown.err.contains("Unknown name `nosuch`"), "{unknown:#?}");
    assert_eq!(home.plait(&["debug", "last", "step", "--json"]).code, 2);
    let breakpoints: Value =
        serde_json::from_str(&home.plait(&["debug", "last", "breakpoints", "--json"]).out).unwrap();
    assert_eq!((&breakpoints[0]["node"], &breakpoints[1]["side"]), (&json!("ask"), &json!("after")));
    home.plait(&["debug", "last", "continue"]);
    assert_prints(&home, "error.code", &json!("json.query"));
    assert_prints(&home, "inputs.value", &json!("1 to One?"));
    assert_prints(&home, "nodes.ask.response", &json!("1 to One?"));
    assert_prints(&home, "value", &json!(null));
    assert_eq!(server.calls().len(), 1, "looking buys nothing");
    // Why the node failed is with the stop, since its failure is not delivered.
    let plait = Plait::open(Options::new(home.path(), plait_app::parts())).unwrap();
    let run = run_of(&stopped.events());
    let held = plait.call(FindHeld { run }).await.unwrap().remove(0);
    assert_eq!(held.stop.error.unwrap().code, "json.query");
    plait.close().await.unwrap();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn watches_are_read_at_any_moment_of_a_run() {
    let server = server().await;
    let folder = FlowFolder::with_files(&[("failing.flow.json", &failing())]);
    let home = Home::default();
    home.set_provider_url(&server.url).await;
    let stopped =
        home.plait(&["run", &folder.file("failing.flow.json"), "--break", "parse:before", "--json"]);
    let run = run_of(&stopped.events());
    let plait = Plait::open(Options::new(home.path(), plait_app::parts())).unwrap();
    let held = plait.call(FindHeld { run: run.clone() }).await.unwrap().remove(0);
    let (stop, value) = (held.stop.number, json!({ "score": { "high": 7 } }));
    plait.call(ChangeValue { run: run.clone(), stop, port: "value".into(), value }).await.unwrap();
    go(&plait, &run, DebugVerb::Continue).await;
    let watch = async |focus: Option<&str>, events: Option<u64>, expression: &str| {
        let focus = focus.map(|node| Activation { node: node.into(), epoch: Epoch::default() });
        let expressions = vec![expression.to_owned()];
        let watches = EvaluateWatches { run: run.clone(), expressions, focus, events };
        let mut values = plait.call(watches).await.unwrap();
        match values.remove(0) {
            WatchedValue::Value(value) => value,
            WatchedValue::Error(fault) => json!(fault.code),
        }
    };
    // What the person put there is what the node had.
    assert_eq!(watch(Some("parse"), None, "[value, inputs.value.score.high]").await, json!([7, 7]));
    assert_eq!(watch(Some("ask"), None, "outputs.response").await, json!("1 to One?"));
    // Of the run as a whole: what it put out.
    assert_eq!(watch(None, None, "[value, outputs.out, nodes.parse.result]").await, json!([7, 7, 7]));
    // In the past it is as it was then.
    assert_eq!(watch(None, Some(stop + 1), "value").await, json!("1 to One?"));
    assert_eq!(watch(None, Some(stop + 2), "value.score.high").await, json!(7));
    assert_eq!(watch(None, Some(1), "nodes").await, json!({}));
    assert_eq!(watch(None, None, "1 +").await, json!("switch.condition"));
    plait.close().await.unwrap();
    drop(plait);
    assert_eq!(journal(&home, &run).await.last().unwrap()["type"], "run.finished");
}
