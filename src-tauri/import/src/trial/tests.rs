use plait_core::id::Epoch;
use serde_json::json;

use super::{Record, compare, prepare, read_record};
use crate::import;
use plait_formats::foreign::{Compared, Imported, Made};

fn workflow() -> Imported {
    let node = |name: &str, kind: &str, parameters: serde_json::Value| json!({ "name": name, "type": kind, "typeVersion": 3.4, "parameters": parameters });
    let to = |name: &str| json!({ "main": [[{ "node": name, "type": "main", "index": 0 }]] });
    let set = json!({ "assignments": { "assignments": [{ "name": "twice", "type": "number", "value": "={{ $json.n * 2 }}" }] } });
    let text = json!({
        "nodes": [
            node("Start", "n8n-nodes-base.manualTrigger", json!({})),
            node("Fetch", "n8n-nodes-base.httpRequest", json!({ "url": "http://127.0.0.1:9/" })),
            node("Double", "n8n-nodes-base.set", set),
            node("Send", "n8n-nodes-base.slack", json!({})),
        ],
        "connections": { "Start": to("Fetch"), "Fetch": to("Double"), "Double": to("Send") },
    });
    import(&text.to_string(), None, "x").unwrap()
}

fn record(twice: i32) -> Record {
    let ran = |json: serde_json::Value| json!([{ "data": { "main": [[{ "json": json }]] } }]);
    let run = json!({ "Start": ran(json!({})), "Fetch": ran(json!({ "n": 4 })), "Double": ran(json!({ "twice": twice })), "Send": ran(json!({ "ok": true })) });
    read_record(&json!({ "id": 1, "data": { "resultData": { "runData": run } } }).to_string()).unwrap()
}

/// What a node outside of loops and sub-flows made.
fn made(node: &str, port: &str, value: serde_json::Value) -> Made {
    let outputs = [(port.into(), std::sync::Arc::new(value))].into();
    Made { run: "r".into(), subflows: Vec::new(), node: node.into(), epoch: Epoch::root(), outputs }
}

#[test]
fn what_asks_delivers_what_is_recorded_and_the_rest_runs() {
    let Imported { flow, report } = workflow();
    let trial = prepare(&flow, &report, &record(8));
    let pinned: Vec<_> =
        trial.nodes.iter().filter(|(_, node)| node.pin.is_some()).map(|(id, _)| id.as_str()).collect();
    assert_eq!(pinned, ["fetch", "send", "start"]);
    assert_eq!(*trial.nodes["fetch"].pin.as_ref().unwrap().outputs["body"], json!({ "n": 4 }));
    // Without a record, nothing is asked either.
    let trial = prepare(&flow, &report, &Record::default());
    assert!(trial.nodes["fetch"].pin.as_ref().unwrap().outputs.contains_key("error"));
}

#[test]
fn departure_is_named_with_both_values() {
    let Imported { flow, report } = workflow();
    let states = |record: &Record| {
        let trial = prepare(&flow, &report, record);
        let compared = compare(&trial, &report, record, &[made("double", "result", json!({ "twice": 8 }))]);
        compared.into_iter().map(|node| (node.name, node.compared)).collect::<Vec<_>>()
    };
    let named = |name: &str, state| (name.to_owned(), state);
    let given = |name| named(name, Compared::Given);
    assert_eq!(
        states(&record(8)),
        [given("Start"), given("Fetch"), named("Double", Compared::Same), given("Send")]
    );
    let differs = Compared::Differs { recorded: json!({ "twice": 9 }), here: json!({ "twice": 8 }) };
    assert_eq!(states(&record(9))[2], named("Double", differs));
    assert_eq!(
        states(&Record::default()),
        [named("Double", Compared::OnlyHere { here: json!({ "twice": 8 }) })]
    );
}

#[test]
fn start_of_dify_without_outputs_put_out_what_it_got() {
    let record = |outputs: serde_json::Value| {
        let start =
            json!({ "node_id": "s", "node_type": "start", "inputs": { "q": "hi" }, "outputs": outputs });
        let other = json!({ "node_id": "c", "node_type": "code", "inputs": { "q": "hi" }, "outputs": null });
        read_record(&json!({ "data": [start, other] }).to_string()).unwrap()
    };
    let got = |record: &Record, node: &str| {
        record.output(node, "q", super::Time::Last).map(std::borrow::Cow::into_owned)
    };
    for outputs in [json!(null), json!({})] {
        assert_eq!(got(&record(outputs), "s"), Some(json!("hi")));
    }
    assert_eq!(got(&record(json!({ "q": "ho" })), "s"), Some(json!("ho")));
    assert_eq!(got(&record(json!(null)), "c"), None);
}

#[test]
fn other_files_are_no_records() {
    for text in ["{}", "[]", "{\"data\": \"[{}]\"}"] {
        assert_eq!(read_record(text).unwrap_err().code.as_str(), "import.no_record", "{text}");
    }
}

/// What a comparison says of each node, without running anything: `values` has what nodes that compute made: node, port, value.
fn states(
    file: &str,
    record: &serde_json::Value,
    values: &[(&str, &str, serde_json::Value)],
) -> Vec<(String, Compared)> {
    let Imported { flow, report } = import(file, None, "x").unwrap();
    let record = read_record(&record.to_string()).unwrap();
    let pins = prepare(&flow, &report, &record);
    assert!(pins.nodes.values().any(|node| node.pin.is_some()));
    let values: Vec<Made> =
        values.iter().map(|(node, port, value)| made(node, port, value.clone())).collect();
    let compared = compare(&pins, &report, &record, &values);
    compared.into_iter().map(|node| (node.name, node.compared)).collect()
}

#[test]
fn log_of_dify_is_a_record() {
    let node = |id: &str, data: serde_json::Value| json!({ "id": id, "data": data });
    let nodes = [
        node(
            "s",
            json!({ "type": "start", "title": "Start", "variables": [{ "variable": "q", "type": "text-input" }] }),
        ),
        node(
            "t",
            json!({ "type": "template-transform", "title": "Greet", "template": "Hi {{ q }}", "variables": [{ "variable": "q", "value_selector": ["s", "q"] }] }),
        ),
    ];
    let graph = json!({ "nodes": nodes, "edges": [{ "source": "s", "target": "t" }] });
    let app =
        json!({ "kind": "app", "app": { "mode": "workflow" }, "workflow": { "graph": graph } }).to_string();
    let log = json!({ "data": [{ "node_id": "s", "outputs": { "q": "Ada" } }, { "node_id": "t", "outputs": { "output": "Hi Ada" } }] });
    let found = states(&app, &log, &[("greet", "text", json!("Hi Ada"))]);
    assert_eq!(found, [("Start".to_owned(), Compared::Given), ("Greet".to_owned(), Compared::Same)]);
}

#[test]
fn recording_of_rivet_is_a_record() {
    let nodes = json!({
        "[a]:graphInput \"Name\"": { "data": { "id": "name", "dataType": "string" }, "outgoingConnections": ["data->\"Greet\" b/name"] },
        "[b]:text \"Greet\"": { "data": { "text": "Hi {{name}}, welcome to a place with a long name" }, "outgoingConnections": ["output->\"Out\" c/value"] },
        "[c]:graphOutput \"Out\"": { "data": { "id": "out" }, "outgoingConnections": [] },
    });
    let graphs = json!({ "g": { "metadata": { "id": "g", "name": "Main" }, "nodes": nodes } });
    let project = json!({ "version": 4, "data": { "graphs": graphs, "metadata": { "id": "p", "title": "t", "mainGraphId": "g" } } });
    let finish = |node: &str, port: &str, value: &str| json!({ "type": "nodeFinish", "data": { "nodeId": node, "outputs": { port: { "type": "string", "value": value } } } });
    let text = "Hi Ada, welcome to a place with a long name";
    let events = [finish("a", "data", "Ada"), finish("b", "output", "$STRING:77")];
    let recording = json!({ "version": 1, "recording": { "events": events }, "strings": { "77": text } });
    let found = states(&project.to_string(), &recording, &[("greet", "text", json!("Hi Bob"))]);
    let differs = Compared::Differs { recorded: json!(text), here: json!("Hi Bob") };
    assert_eq!(found, [("Name".to_owned(), Compared::Given), ("Greet".to_owned(), differs)]);
}
