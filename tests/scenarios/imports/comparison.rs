//! Imported flows beside executions that the other tools exported.

use serde_json::{Value, json};

use crate::support::binary::{CliOutput, Home};

/// A workflow that asks a server and a model, branches by the reply, and has a service that Plait has no node for.
fn workflow() -> Value {
    let node = |name: &str, kind: &str, version: f64, parameters: Value| json!({ "name": name, "type": kind, "typeVersion": version, "parameters": parameters });
    let to = |name: &str| json!({ "node": name, "type": "main", "index": 0 });
    let assign = |name: &str, value: &str| json!({ "assignments": { "assignments": [{ "name": name, "type": "string", "value": value }] } });
    let is_good = json!({ "leftValue": "={{ $json.text }}", "rightValue": "good", "operator": { "type": "string", "operation": "contains" } });
    json!({
        "name": "Judge",
        "nodes": [
            node("Chat", "@n8n/n8n-nodes-langchain.chatTrigger", 1.1, json!({})),
            node("Fetch", "n8n-nodes-base.httpRequest", 4.2, json!({ "url": "http://127.0.0.1:9/", "method": "GET" })),
            node("Judge", "@n8n/n8n-nodes-langchain.chainLlm", 1.5, json!({ "promptType": "define", "text": "={{ $json.body }} {{ $('Chat').item.json.chatInput }}" })),
            node("Model", "@n8n/n8n-nodes-langchain.lmChatOpenAi", 1.0, json!({ "model": "gpt-4o" })),
            node("Good?", "n8n-nodes-base.if", 2.2, json!({ "conditions": { "conditions": [is_good], "combinator": "and" } })),
            node("Praise", "n8n-nodes-base.set", 3.4, assign("line", "=Yes: {{ $json.text.toUpperCase() }}")),
            node("Blame", "n8n-nodes-base.set", 3.4, assign("line", "No")),
            node("Post", "n8n-nodes-base.slack", 2.2, json!({})),
            node("Last", "n8n-nodes-base.set", 3.4, assign("done", "={{ $json.ok }}")),
        ],
        "connections": {
            "Chat": { "main": [[to("Fetch")]] },
            "Fetch": { "main": [[to("Judge")]] },
            "Model": { "ai_languageModel": [[{ "node": "Judge", "type": "ai_languageModel", "index": 0 }]] },
            "Judge": { "main": [[to("Good?")]] },
            "Good?": { "main": [[to("Praise")], [to("Blame")]] },
            "Praise": { "main": [[to("Post")]] },
            "Post": { "main": [[to("Last")]] },
        },
    })
}

fn execution(line: &str) -> Value {
    let ran = |json: Value| json!([{ "data": { "main": [[{ "json": json }]] } }]);
    let text = json!({ "text": "a good roof" });
    json!({ "id": "7", "finished": true, "data": { "resultData": { "runData": {
        "Chat": ran(json!({ "chatInput": "The roof?", "sessionId": "s" })),
        "Fetch": ran(json!({ "body": "It holds." })),
        "Judge": ran(text.clone()),
        "Good?": [{ "data": { "main": [[{ "json": text }], []] } }],
        "Praise": ran(json!({ "line": line })),
        "Post": ran(json!({ "ok": "sent" })),
        "Last": ran(json!({ "done": "sent" })),
    } } } })
}

fn compare(record: &Value, more: &[&str]) -> CliOutput {
    compare_file(&workflow(), record, more)
}

fn compare_file(file: &Value, record: &Value, more: &[&str]) -> CliOutput {
    compare_text(&file.to_string(), record, more)
}

fn compare_text(file: &str, record: &Value, more: &[&str]) -> CliOutput {
    let home = Home::default();
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("judge.json"), file).unwrap();
    std::fs::write(folder.path().join("execution.json"), record.to_string()).unwrap();
    let args = [&["import", "judge.json", "--compare", "execution.json"], more].concat();
    let output = home.command(&args).current_dir(folder.path()).output().unwrap().into();
    assert!(!folder.path().join("judge.flow.json").exists());
    output
}

#[test]
fn flow_that_does_the_same_departs_nowhere_and_asks_nobody() {
    let output = compare(&execution("Yes: A GOOD ROOF"), &[]);
    assert_eq!(output.code, 0, "{output:#?}");
    let expected = "\
· Chat: delivers what is recorded
· Fetch: delivers what is recorded
· Judge: delivers what is recorded
= Good?
= Praise
· Post: delivers what is recorded
= Last
No node departs from the record.
";
    assert_eq!(output.out, expected);
}

#[test]
fn departure_is_shown_with_both_values() {
    let output = compare(&execution("Yes: a good roof"), &["--json"]);
    assert_eq!(output.code, 1, "{output:#?}");
    let found: Value = serde_json::from_str(&output.out).unwrap();
    let departing = found["nodes"].as_array().unwrap().iter().filter(|node| node["state"] == "differs");
    let expected = json!({ "name": "Praise", "node": "praise", "run": found["run"], "state": "differs", "recorded": { "line": "Yes: a good roof" }, "here": { "line": "Yes: A GOOD ROOF" } });
    assert_eq!(departing.collect::<Vec<_>>(), [&expected]);
    assert_eq!(found["departures"], 1);
}

#[test]
fn node_without_a_record_calls_nobody() {
    let mut record = execution("x");
    record["data"]["resultData"]["runData"].as_object_mut().unwrap().remove("Judge");
    let output = compare(&record, &[]);
    assert!(!output.out.contains("provider"), "{output:#?}");
    assert!(output.out.contains("≠ Good?\n    recorded:"), "{output:#?}");
    let output = compare(&json!({ "data": {} }), &[]);
    assert!(output.err.contains("import.no_record"), "{output:#?}");
}

#[test]
fn app_of_dify_is_compared_with_the_log_of_a_run() {
    let node = |id: &str, data: Value| json!({ "id": id, "data": data });
    let model = json!({ "provider": "openai", "name": "gpt-4o", "mode": "chat", "completion_params": {} });
    let graph = json!({
        "nodes": [
            node("s", json!({ "type": "start", "title": "Start", "variables": [] })),
            node("l", json!({ "type": "llm", "title": "Ask", "model": model, "prompt_template": [{ "role": "user", "text": "{{#sys.query#}}" }] })),
            node("t", json!({ "type": "template-transform", "title": "Wrap", "template": "<{{ r | upper }}>", "variables": [{ "variable": "r", "value_selector": ["l", "text"] }] })),
            node("a", json!({ "type": "answer", "title": "Answer", "answer": "{{#t.output#}}" })),
        ],
        "edges": [{ "source": "s", "target": "l" }, { "source": "l", "target": "t" }, { "source": "t", "target": "a" }],
    });
    let app = json!({ "kind": "app", "app": { "mode": "advanced-chat", "name": "x" }, "workflow": { "graph": graph } });
    let log = |wrapped: &str| {
        json!({ "data": [
        { "node_id": "s", "outputs": { "sys.query": "hi" } },
        { "node_id": "l", "outputs": { "text": "well", "usage": {} } },
        { "node_id": "t", "outputs": { "output": wrapped } },
        { "node_id": "a", "outputs": { "answer": wrapped } },
    ] })
    };
    let same = compare_file(&app, &log("<WELL>"), &[]);
    assert_eq!(
        (same.code, same.out.as_str()),
        (
            0,
            "· Start: delivers what is recorded\n· Ask: delivers what is recorded\n= Wrap\n= Answer\nNo node departs from the record.\n"
        ),
        "{same:#?}"
    );
    let other = compare_file(&app, &log("<well>"), &[]);
    assert!(other.out.contains("≠ Wrap\n    recorded: \"<well>\"\n    here:     \"<WELL>\""), "{other:#?}");
}

#[test]
fn project_of_rivet_is_compared_with_a_recording() {
    let nodes = json!({
        "[a]:graphInput \"Name\"": { "data": { "id": "name", "dataType": "string" }, "outgoingConnections": ["data->\"Ask\" b/prompt"] },
        "[b]:chat \"Ask\"": { "data": { "model": "gpt-4o" }, "outgoingConnections": ["response->\"Parts\" c/string"] },
        "[c]:split \"Parts\"": { "data": { "delimiter": "," }, "outgoingConnections": ["splitString->\"Out\" d/value"] },
        "[d]:graphOutput \"Out\"": { "data": { "id": "out" }, "outgoingConnections": [] },
    });
    let graphs = json!({ "g": { "metadata": { "id": "g", "name": "Main" }, "nodes": nodes } });
    let project = json!({ "version": 4, "data": { "graphs": graphs, "metadata": { "id": "p", "title": "t", "mainGraphId": "g" } } });
    let finish = |node: &str, port: &str, value: Value| json!({ "type": "nodeFinish", "data": { "nodeId": node, "outputs": { port: { "type": "any", "value": value } } } });
    let events = [
        finish("a", "data", json!("Ada")),
        finish("b", "response", json!("x,y")),
        finish("c", "splitString", json!(["x", "y"])),
    ];
    let recording = json!({ "version": 1, "recording": { "recordingId": "r", "events": events }, "assets": {}, "strings": {} });
    let output = compare_file(&project, &recording, &[]);
    assert_eq!(output.code, 0, "{output:#?}");
    assert!(output.out.contains("= Parts\n"), "{output:#?}");
}

/// A loop over two guests: a model writes a card for each, and a node keeps it in capitals.
fn loop_of_n8n() -> Value {
    let mut file: Value =
        serde_json::from_str(include_str!("../../fixtures/import/n8n/loop-items.json")).unwrap();
    let nodes = file["nodes"].as_array_mut().unwrap();
    let keep = nodes.iter_mut().find(|node| node["name"] == "Keep it").unwrap();
    keep["parameters"] = json!({ "assignments": { "assignments": [{ "name": "card", "type": "string", "value": "={{ $json.text.toUpperCase() }}" }] } });
    file
}

/// An execution of it, with what the node kept in the second iteration.
fn execution_of_loop(second: &str) -> Value {
    let items = |items: &[Value]| items.iter().map(|item| json!({ "json": item })).collect::<Vec<_>>();
    let ran = |from: &str, time: usize, outputs: Value| json!({ "source": [{ "previousNode": from, "previousNodeRun": time }], "data": { "main": outputs } });
    let guests = [json!({ "name": "Ada", "town": "Riga" }), json!({ "name": "Ben", "town": "Graz" })];
    let cards = [json!({ "card": "DEAR ADA" }), json!({ "card": second })];
    let head =
        |from: &str, time: usize, item: usize| ran(from, time, json!([[], items(&guests[item..=item])]));
    let each = |from: &str, values: [Value; 2]| {
        let runs = values.into_iter().enumerate();
        runs.map(|(at, value)| ran(from, at, json!([items(&[value])]))).collect::<Vec<_>>()
    };
    json!({ "data": { "resultData": { "runData": {
        "Start": [ran("", 0, json!([items(&[json!({})])]))],
        "Guest book": [ran("Start", 0, json!([items(&[json!({ "guests": guests })])]))],
        "Guests": [ran("Guest book", 0, json!([items(&guests)]))],
        "One by one": [head("Guests", 0, 0), head("Keep it", 0, 1), ran("Keep it", 1, json!([items(&cards), []]))],
        "Write a card": each("One by one", [json!({ "text": "Dear Ada" }), json!({ "text": "Dear Ben" })]),
        "Keep it": each("Write a card", cards.clone()),
    } } } })
}

#[test]
fn loop_is_compared_iteration_by_iteration() {
    let output = compare_file(&loop_of_n8n(), &execution_of_loop("DEAR BEN"), &[]);
    assert!(output.out.contains("= One by one\n"), "{output:#?}");
    assert!(output.out.contains("· Write a card: delivers what is recorded\n= Keep it\n"), "{output:#?}");
    let output = compare_file(&loop_of_n8n(), &execution_of_loop("Dear Ben"), &[]);
    let expected = "≠ Keep it, iteration 2\n    recorded: {\"card\":\"Dear Ben\"}\n    here:     {\"card\":\"DEAR BEN\"}\n";
    assert!(output.out.contains(expected), "{output:#?}");
    assert_eq!(output.code, 1);
}

#[test]
fn record_that_does_not_say_when_is_not_compared_in_a_loop() {
    let mut record = execution_of_loop("DEAR BEN");
    for run in record["data"]["resultData"]["runData"]["Write a card"].as_array_mut().unwrap() {
        run.as_object_mut().unwrap().remove("source");
    }
    let output = compare_file(&loop_of_n8n(), &record, &[]);
    let expected = "? Keep it: not compared, the record does not say in which iteration of its loop it ran\n";
    assert!(output.out.contains(expected), "{output:#?}");
}

#[test]
fn iterations_of_dify_are_compared() {
    let file = include_str!("../../fixtures/import/dify/iteration.yml");
    let title = |index: usize, text: &str| json!({ "node_id": "l", "outputs": { "text": text }, "execution_metadata": { "iteration_id": "it", "iteration_index": index } });
    let log = |titles: Value, list: &str| {
        json!({ "data": [
            { "node_id": "s", "outputs": { "topics": "a, b" } },
            { "node_id": "c", "outputs": { "list": ["a", "b"] } },
            title(1, "On b"),
            title(0, "On a"),
            { "node_id": "it", "outputs": { "output": titles } },
            { "node_id": "t", "outputs": { "output": list } },
        ] })
    };
    let same = compare_text(file, &log(json!(["On a", "On b"]), "- On a\n- On b\n"), &[]);
    assert!(same.out.contains("= Each topic\n· Title: delivers what is recorded\n= List\n"), "{same:#?}");
    let other = compare_text(file, &log(json!(["On b", "On a"]), "- On b\n- On a\n"), &[]);
    assert!(
        other
            .out
            .contains("≠ Each topic\n    recorded: [\"On b\",\"On a\"]\n    here:     [\"On a\",\"On b\"]\n"),
        "{other:#?}"
    );
}

/// Nodes of n8n: name, type, version and parameters.
fn nodes_of_n8n(nodes: &[(&str, &str, f64, Value)]) -> Vec<Value> {
    let node = |(name, kind, version, parameters): &(&str, &str, f64, Value)| json!({ "name": name, "type": format!("n8n-nodes-base.{kind}"), "typeVersion": version, "parameters": parameters });
    nodes.iter().map(node).collect()
}

/// One time that a node of n8n ran: after which time of which node, and the items of its outputs.
fn ran(from: &str, time: usize, outputs: &[&[Value]]) -> Value {
    let items = |items: &&[Value]| items.iter().map(|item| json!({ "json": item })).collect::<Vec<_>>();
    let outputs: Vec<_> = outputs.iter().map(items).collect();
    json!({ "source": [{ "previousNode": from, "previousNodeRun": time }], "data": { "main": outputs } })
}

#[test]
fn loop_of_n8n_inside_of_a_loop_is_compared_by_both_iterations() {
    let set = json!({ "assignments": { "assignments": [{ "name": "v", "type": "string", "value": "={{ $json.said.toUpperCase() }}" }] } });
    let nodes = nodes_of_n8n(&[
        ("Start", "manualTrigger", 1.0, json!({})),
        ("Data", "code", 2.0, json!({ "jsCode": "return [{ json: { n: 1 } }, { json: { n: 2 } }];" })),
        ("Outer", "splitInBatches", 3.0, json!({})),
        (
            "Split",
            "code",
            2.0,
            json!({ "jsCode": "return [1, 2].map((k) => ({ json: { k: $json.n * 10 + k } }));" }),
        ),
        ("Inner", "splitInBatches", 3.0, json!({ "options": { "reset": "={{ $('Inner').context.done }}" } })),
        ("Ask", "slack", 2.0, json!({})),
        ("Keep", "set", 3.4, set),
    ]);
    let to = |name: &str| json!([{ "node": name, "type": "main", "index": 0 }]);
    let connections = json!({
        "Start": { "main": [to("Data")] }, "Data": { "main": [to("Outer")] }, "Outer": { "main": [[], to("Split")] }, "Split": { "main": [to("Inner")] },
        "Inner": { "main": [to("Outer"), to("Ask")] }, "Ask": { "main": [to("Keep")] }, "Keep": { "main": [to("Inner")] },
    });
    let file = json!({ "name": "x", "nodes": nodes, "connections": connections });
    let execution = |third: &str| {
        let [n, k, said, v] = ["n", "k", "said", "v"].map(|name| move |value: Value| json!({ name: value }));
        let rows = [n(json!(1)), n(json!(2))];
        let ks = [11, 12, 21, 22].map(|number| k(json!(number)));
        let kept = ["A11", "A12", third, "A22"].map(|text| v(json!(text)));
        // The inner loop runs once more after its last item, as it is done then.
        let inner = [0, 1, 3, 4];
        let run = json!({
            "Start": [ran("", 0, &[&[json!({})]])],
            "Data": [ran("Start", 0, &[&rows])],
            "Outer": [ran("Data", 0, &[&[], &rows[..1]]), ran("Inner", 2, &[&[], &rows[1..]]), ran("Inner", 5, &[&kept, &[]])],
            "Split": [ran("Outer", 0, &[&ks[..2]]), ran("Outer", 1, &[&ks[2..]])],
            "Inner": [
                ran("Split", 0, &[&[], &ks[..1]]), ran("Keep", 0, &[&[], &ks[1..2]]), ran("Keep", 1, &[&kept[..2], &[]]),
                ran("Split", 1, &[&[], &ks[2..3]]), ran("Keep", 2, &[&[], &ks[3..]]), ran("Keep", 3, &[&kept[2..], &[]]),
            ],
            "Ask": (0..4).map(|at| ran("Inner", inner[at], &[&[said(json!(format!("a{}{}", at / 2 + 1, at % 2 + 1)))]])).collect::<Vec<_>>(),
            "Keep": (0..4).map(|at| ran("Ask", at, &[&kept[at..=at]])).collect::<Vec<_>>(),
        });
        json!({ "data": { "resultData": { "runData": run } } })
    };
    let same = compare_file(&file, &execution("A21"), &[]);
    let expected = "· Start: delivers what is recorded\n= Data\n= Outer\n= Split\n= Inner\n· Ask: delivers what is recorded\n= Keep\nNo node departs from the record.\n";
    assert_eq!((same.code, same.out.as_str()), (0, expected), "{same:#?}");
    let other = compare_file(&file, &execution("a21"), &[]);
    let keep = "≠ Keep, iteration 2.1\n    recorded: {\"v\":\"a21\"}\n    here:     {\"v\":\"A21\"}\n";
    assert!(other.out.contains(keep), "{other:#?}");
    assert!(other.out.contains("≠ Inner, iteration 2\n"), "{other:#?}");
}

#[test]
fn cycle_of_n8n_is_compared_iteration_by_iteration() {
    let set = |name: &str, value: &str| json!({ "assignments": { "assignments": [{ "name": name, "type": "number", "value": value }] } });
    let again = json!({ "leftValue": "={{ $json.tries }}", "rightValue": 3, "operator": { "type": "number", "operation": "lt" } });
    let nodes = nodes_of_n8n(&[
        ("Start", "manualTrigger", 1.0, json!({})),
        ("Begin", "set", 3.4, set("tries", "0")),
        ("Count", "set", 3.4, set("tries", "={{ $json.tries + 1 }}")),
        ("Try", "slack", 2.0, json!({})),
        ("Again?", "if", 2.2, json!({ "conditions": { "conditions": [again], "combinator": "and" } })),
        ("Done", "set", 3.4, set("after", "={{ $json.tries }}")),
    ]);
    let to = |name: &str| json!([{ "node": name, "type": "main", "index": 0 }]);
    let connections = json!({
        "Start": { "main": [to("Begin")] }, "Begin": { "main": [to("Count")] }, "Count": { "main": [to("Try")] },
        "Try": { "main": [to("Again?")] }, "Again?": { "main": [to("Count"), to("Done")] },
    });
    let file = json!({ "name": "x", "nodes": nodes, "connections": connections });
    let execution = |second: i32| {
        let tries = |number: i32| json!({ "tries": number });
        let counted = [tries(1), tries(second), tries(3)];
        let attempts = [tries(1), tries(2), tries(3)];
        let run = json!({
            "Start": [ran("", 0, &[&[json!({})]])],
            "Begin": [ran("Start", 0, &[&[tries(0)]])],
            "Count": [ran("Begin", 0, &[&counted[..1]]), ran("Again?", 0, &[&counted[1..2]]), ran("Again?", 1, &[&counted[2..]])],
            "Try": (0..3).map(|at| ran("Count", at, &[&attempts[at..=at]])).collect::<Vec<_>>(),
            "Again?": [ran("Try", 0, &[&attempts[..1], &[]]), ran("Try", 1, &[&attempts[1..2], &[]]), ran("Try", 2, &[&[], &attempts[2..]])],
            "Done": [ran("Again?", 2, &[&[json!({ "after": 3 })]])],
        });
        json!({ "data": { "resultData": { "runData": run } } })
    };
    let same = compare_file(&file, &execution(2), &[]);
    let expected = "· Start: delivers what is recorded\n= Begin\n= Count\n· Try: delivers what is recorded\n= Again?\n= Done\nNo node departs from the record.\n";
    assert_eq!((same.code, same.out.as_str()), (0, expected), "{same:#?}");
    let other = compare_file(&file, &execution(7), &[]);
    let count = "≠ Count, iteration 2\n    recorded: {\"tries\":7}\n    here:     {\"tries\":2}\n";
    assert!(other.out.contains(count), "{other:#?}");
}

#[test]
fn iteration_of_dify_inside_of_an_iteration_is_compared_by_both_numbers() {
    let node = |id: &str, parent: Option<&str>, data: Value| {
        let mut node = json!({ "id": id, "data": data });
        if let Some(parent) = parent {
            node["parentId"] = json!(parent);
        }
        node
    };
    let code = |code: &str, item: Option<&str>| {
        let variables: Vec<Value> =
            item.iter().map(|of| json!({ "variable": "item", "value_selector": [of, "item"] })).collect();
        json!({ "type": "code", "title": code, "code_language": "javascript", "code": code, "variables": variables, "outputs": { "list": { "type": "array[string]" } } })
    };
    let iteration = |title: &str, over: &str, output: [&str; 2]| json!({ "type": "iteration", "title": title, "iterator_selector": [over, "list"], "output_selector": output, "output_type": "array[string]" });
    let model = json!({ "provider": "openai", "name": "gpt-4o", "mode": "chat", "completion_params": {} });
    let nodes = [
        node("s", None, json!({ "type": "start", "title": "Start", "variables": [] })),
        node("c", None, code("function main() { return { list: ['a', 'b'] }; }", None)),
        node("out", None, iteration("Outer", "c", ["in", "output"])),
        node("os", Some("out"), json!({ "type": "iteration-start", "title": "" })),
        node(
            "d",
            Some("out"),
            code("function main({ item }) { return { list: [item + 1, item + 2] }; }", Some("out")),
        ),
        node("in", Some("out"), iteration("Inner", "d", ["t", "output"])),
        node("is", Some("in"), json!({ "type": "iteration-start", "title": "" })),
        node(
            "l",
            Some("in"),
            json!({ "type": "llm", "title": "Ask", "model": model, "prompt_template": [{ "role": "user", "text": "{{#in.item#}}" }] }),
        ),
        node(
            "t",
            Some("in"),
            json!({ "type": "template-transform", "title": "Wrap", "template": "<{{ r | upper }}>", "variables": [{ "variable": "r", "value_selector": ["l", "text"] }] }),
        ),
    ];
    let edges = [("s", "c"), ("c", "out"), ("os", "d"), ("d", "in"), ("is", "l"), ("l", "t")];
    let edges: Vec<Value> = edges.iter().map(|(from, to)| json!({ "source": from, "target": to })).collect();
    let file = json!({ "kind": "app", "app": { "mode": "advanced-chat", "name": "x" }, "workflow": { "graph": { "nodes": nodes, "edges": edges } } });
    let log = |third: &str, has_order: bool| {
        let mut entries: Vec<Value> = Vec::new();
        let mut add = |id: &str, inside: Option<(&str, usize)>, outputs: Value| {
            let mut entry = json!({ "node_id": id, "outputs": outputs });
            if has_order {
                entry["index"] = json!(entries.len() + 1);
            }
            if let Some((of, number)) = inside {
                entry["execution_metadata"] = json!({ "iteration_id": of, "iteration_index": number });
            }
            entries.push(entry);
        };
        let wrapped = ["<A1>", "<A2>", third, "<B2>"];
        add("s", None, json!({ "sys.query": "hi" }));
        add("c", None, json!({ "list": ["a", "b"] }));
        add("out", None, json!({ "output": wrapped }));
        for outer in 0..2 {
            let letter = ["a", "b"][outer];
            add("d", Some(("out", outer)), json!({ "list": [format!("{letter}1"), format!("{letter}2")] }));
            add("in", Some(("out", outer)), json!({ "output": &wrapped[2 * outer..2 * outer + 2] }));
            for inner in 0..2 {
                add("l", Some(("in", inner)), json!({ "text": format!("{letter}{}", inner + 1) }));
                add("t", Some(("in", inner)), json!({ "output": wrapped[2 * outer + inner] }));
            }
        }
        // The newest first, as the console gets them.
        entries.reverse();
        json!({ "data": entries })
    };
    let same = compare_file(&file, &log("<B1>", true), &[]);
    assert_eq!(same.code, 0, "{same:#?}");
    for line in ["= Outer\n", "= Inner\n", "· Ask: delivers what is recorded\n", "= Wrap\n"] {
        assert!(same.out.contains(line), "{line}: {same:#?}");
    }
    let other = compare_file(&file, &log("<b1>", true), &[]);
    let wrap = "≠ Wrap, iteration 2.1\n    recorded: \"<b1>\"\n    here:     \"<B1>\"\n";
    assert!(other.out.contains(wrap), "{other:#?}");
    // Without their order, it is not known in which iteration outside the inner ones were.
    let unknown = compare_file(&file, &log("<b1>", false), &[]);
    assert!(
        unknown.out.contains("? Wrap: not compared, the record does not say in which iteration"),
        "{unknown:#?}"
    );
}

#[test]
fn loop_of_rivet_that_is_a_placeholder_is_not_compared_inside() {
    let nodes = json!({
        "[a]:graphInput \"Name\"": { "data": { "id": "name", "dataType": "string" }, "outgoingConnections": ["data->\"Repeat\" l/input1Default"] },
        "[l]:loopController \"Repeat\"": { "data": {}, "outgoingConnections": ["output1->\"Add\" t/x", "break->\"Out\" o/value"] },
        "[t]:text \"Add\"": { "data": { "text": "{{x}}!" }, "outgoingConnections": ["output->\"Repeat\" l/input1"] },
        "[o]:graphOutput \"Out\"": { "data": { "id": "out" }, "outgoingConnections": [] },
    });
    let graphs = json!({ "g": { "metadata": { "id": "g", "name": "Main" }, "nodes": nodes } });
    let project = json!({ "version": 4, "data": { "graphs": graphs, "metadata": { "id": "p", "title": "t", "mainGraphId": "g" } } });
    let finish = |node: &str, outputs: Value| json!({ "type": "nodeFinish", "data": { "nodeId": node, "outputs": outputs } });
    let excluded = json!({ "type": "control-flow-excluded" });
    let any = |value: Value| json!({ "type": "any", "value": value });
    let events = [
        finish("a", json!({ "data": any(json!("Ada")) })),
        finish("l", json!({ "output1": any(json!("Ada")), "break": excluded })),
        finish("t", json!({ "output": any(json!("Ada!")) })),
        finish("l", json!({ "output1": excluded, "break": any(json!(["Ada!"])) })),
        finish("o", json!({ "valueOutput": any(json!(["Ada!"])) })),
    ];
    let recording = json!({ "version": 1, "recording": { "recordingId": "r", "events": events }, "assets": {}, "strings": {} });
    let output = compare_file(&project, &recording, &[]);
    assert!(output.out.contains("? Add: not compared, its loop is a placeholder\n"), "{output:#?}");
    assert_eq!(output.code, 0, "{output:#?}");
}

/// A project with a graph `Join`, called so many times, that splits what it gets.
fn project_with_graph(calls: usize) -> Value {
    let call = |at: usize| {
        (
            format!("[s{at}]:subGraph \"Cut {at}\""),
            json!({ "data": { "graphId": "j" }, "outgoingConnections": [format!("parts->\"Out {at}\" o{at}/value")] }),
        )
    };
    let out = |at: usize| {
        (
            format!("[o{at}]:graphOutput \"Out {at}\""),
            json!({ "data": { "id": format!("out{at}") }, "outgoingConnections": [] }),
        )
    };
    let to: Vec<String> = (0..calls).map(|at| format!("data->\"Cut {at}\" s{at}/line")).collect();
    let mut main: serde_json::Map<String, Value> = (0..calls).flat_map(|at| [call(at), out(at)]).collect();
    main.insert(
        "[a]:graphInput \"Line\"".to_owned(),
        json!({ "data": { "id": "line", "dataType": "string" }, "outgoingConnections": to }),
    );
    let inner = json!({
        "[i]:graphInput \"Inner\"": { "data": { "id": "line", "dataType": "string" }, "outgoingConnections": ["data->\"Parts\" p/string"] },
        "[p]:split \"Parts\"": { "data": { "delimiter": "," }, "outgoingConnections": ["splitString->\"Given\" q/value"] },
        "[q]:graphOutput \"Given\"": { "data": { "id": "parts" }, "outgoingConnections": [] },
    });
    let graphs = json!({ "g": { "metadata": { "id": "g", "name": "Main" }, "nodes": main }, "j": { "metadata": { "id": "j", "name": "Join" }, "nodes": inner } });
    json!({ "version": 4, "data": { "graphs": graphs, "metadata": { "id": "p", "title": "t", "mainGraphId": "g" } } })
}

#[test]
fn graph_that_another_calls_is_compared_inside() {
    let finish = |node: &str, port: &str, value: Value| json!({ "type": "nodeFinish", "data": { "nodeId": node, "outputs": { port: { "type": "any", "value": value } } } });
    let recording = |parts: Value| {
        let events = [
            finish("a", "data", json!("x,y")),
            finish("i", "data", json!("x,y")),
            finish("p", "splitString", parts.clone()),
            finish("s0", "parts", parts),
        ];
        json!({ "version": 1, "recording": { "recordingId": "r", "events": events }, "assets": {}, "strings": {} })
    };
    let same = compare_file(&project_with_graph(1), &recording(json!(["x", "y"])), &[]);
    assert_eq!(same.code, 0, "{same:#?}");
    for line in ["= Inner\n", "= Parts\n", "= Cut 0\n"] {
        assert!(same.out.contains(line), "{line}: {same:#?}");
    }
    let other = compare_file(&project_with_graph(1), &recording(json!(["x,y"])), &[]);
    assert!(
        other.out.contains("≠ Parts\n    recorded: [\"x,y\"]\n    here:     [\"x\",\"y\"]\n"),
        "{other:#?}"
    );
    assert!(other.out.contains("≠ Cut 0\n"), "{other:#?}");
    // Which call ran when is not recorded.
    let twice = compare_file(&project_with_graph(2), &recording(json!(["x,y"])), &[]);
    assert!(twice.out.contains("? Parts: not compared, its graph is called several times\n"), "{twice:#?}");
    assert!(twice.out.contains("· Cut 0: delivers what is recorded\n"), "{twice:#?}");
}
