//! Branches of Dify, Flowise and Rivet: tables of conditions with the value of the original, and what is said on the way that is
//! taken.

use plait_import::import;
use serde_json::{Map, Value, json};

use super::run_flow;
use crate::support::provider::{RecordingProvider, SentRequest, text};

#[tokio::test]
async fn dify_operators_hold_as_in_dify() {
    let values = json!({
        "s": "Hello", "blank": "", "n": 7, "f": 1.5, "yes": true, "null": null, "list": ["a", "b"], "numbers": [1, 2], "none": [], "o": { "k": 1 },
    });
    let table: Vec<(&str, &str, Value, bool)> = vec![
        ("s", "contains", json!("ell"), true),
        ("list", "contains", json!("b"), true),
        ("list", "contains", json!("c"), false),
        ("null", "contains", json!("b"), false),
        ("null", "not contains", json!("b"), true),
        ("list", "not contains", json!("a"), false),
        ("s", "start with", json!("He"), true),
        ("blank", "end with", json!(""), false),
        ("s", "end with", json!("lo"), true),
        ("s", "is", json!("Hello"), true),
        ("null", "is not", json!("x"), false),
        ("s", "is not", json!("x"), true),
        ("yes", "is", json!("true"), true),
        ("yes", "is", json!(true), true),
        ("null", "empty", json!(""), true),
        ("blank", "empty", json!(""), true),
        ("none", "empty", json!(""), true),
        ("o", "empty", json!(""), false),
        ("list", "not empty", json!(""), true),
        ("null", "null", json!(""), true),
        ("blank", "not null", json!(""), true),
        ("null", "exists", Value::Null, false),
        ("missing", "not exists", Value::Null, true),
        ("n", "=", json!("7"), true),
        ("n", "≠", json!("7"), false),
        ("f", ">", json!("1"), true),
        ("n", "<", json!("7"), false),
        ("n", "≥", json!("7"), true),
        ("n", "≤", json!("6"), false),
        ("null", ">", json!("1"), false),
        ("s", "in", json!(["Hello", "Bye"]), true),
        ("s", "not in", json!(["Bye"]), true),
        ("list", "all of", json!(["a", "b"]), true),
        ("s", "is", json!("{{#c.word#}}"), false),
        ("s", "contains", json!("{{#c.part#}}l"), true),
    ];
    let mut all = values.as_object().unwrap().clone();
    all.extend([("word".to_owned(), json!("Bye")), ("part".to_owned(), json!("el"))]);
    let code = format!("function main() {{ return {}; }}", Value::from(all));
    let mut nodes = vec![
        json!({ "id": "s", "data": { "type": "start", "title": "Start", "variables": [] } }),
        json!({ "id": "c", "data": { "type": "code", "title": "Code", "code_language": "javascript", "code": code, "variables": [] } }),
    ];
    let mut edges = vec![json!({ "source": "s", "target": "c", "sourceHandle": "source" })];
    for (index, (name, operator, value, _)) in table.iter().enumerate() {
        let id = format!("t{index}");
        let condition =
            json!({ "comparison_operator": operator, "value": value, "variable_selector": ["c", name] });
        let case = json!({ "case_id": "true", "logical_operator": "and", "conditions": [condition] });
        nodes.push(json!({ "id": id, "data": { "type": "if-else", "title": id, "cases": [case] } }));
        edges.push(json!({ "source": "c", "target": id, "sourceHandle": "source" }));
    }
    let graph = json!({ "nodes": nodes, "edges": edges });
    let document =
        json!({ "kind": "app", "app": { "mode": "workflow", "name": "t" }, "workflow": { "graph": graph } });
    let flow = import(&document.to_string(), None, "x").unwrap().flow;
    let (_, journal) = run_flow(flow, &RecordingProvider::echo(), "hello", []).await;
    for (index, row) in table.iter().enumerate() {
        let found = journal.output(&format!("t{index}-conditions"), "result");
        assert_eq!(found, if row.3 { json!("true") } else { Value::Null }, "{row:?}");
    }
}

/// An agentflow whose nodes follow its start.
pub(super) fn agentflow(state: &[(&str, &str)], nodes: &[Value], edges: &[Value]) -> Value {
    let state: Vec<Value> = state.iter().map(|(key, value)| json!({ "key": key, "value": value })).collect();
    let start = json!({ "id": "s", "data": { "id": "s", "name": "startAgentflow", "label": "s", "inputs": { "startInputType": "chatInput", "startState": state } } });
    let nodes: Vec<&Value> = std::iter::once(&start).chain(nodes).collect();
    json!({ "nodes": nodes, "edges": edges })
}

pub(super) fn step(id: &str, kind: &str, inputs: &Value) -> Value {
    json!({ "id": id, "data": { "id": id, "name": kind, "label": id, "inputs": inputs } })
}

pub(super) fn edge(source: &str, output: &str, target: &str) -> Value {
    json!({ "source": source, "sourceHandle": format!("{source}-output-{output}"), "target": target, "targetHandle": target })
}

#[tokio::test]
async fn flowise_operations_hold_as_in_flowise() {
    let value = |name: &str| format!("<p><span class=\"variable\">{{{{ $flow.state.{name} }}}}</span> </p>");
    let table: Vec<(Value, bool)> = vec![
        (json!({ "value1": value("s"), "value2": "Hello" }), true),
        (
            json!({ "type": "string", "value1": value("s"), "operation": "notEqual", "value2": "Hello" }),
            false,
        ),
        (
            json!({ "type": "string", "value1": value("s"), "operation": "contains", "value2": "<p>ell</p>" }),
            true,
        ),
        (
            json!({ "type": "string", "value1": value("s"), "operation": "notContains", "value2": "ell" }),
            false,
        ),
        (json!({ "type": "string", "value1": value("s"), "operation": "startsWith", "value2": "He" }), true),
        (json!({ "type": "string", "value1": value("s"), "operation": "endsWith", "value2": "x" }), false),
        (json!({ "type": "string", "value1": value("s"), "operation": "regex", "value2": "^H.l" }), true),
        (json!({ "type": "string", "value1": value("s"), "operation": "regex", "value2": "(" }), false),
        (json!({ "type": "string", "value1": "", "operation": "isEmpty" }), true),
        // Markdown is removed from both sides.
        (json!({ "type": "string", "value1": value("md"), "value2": "YES and no" }), true),
        (json!({ "type": "string", "value1": value("md"), "value2": "# *YES* and `no`" }), true),
        (json!({ "type": "string", "value1": value("list"), "value2": "one\n[two](http://x)" }), true),
        (
            json!({ "type": "string", "value1": value("fence"), "operation": "startsWith", "value2": "{\"a\"" }),
            true,
        ),
        (json!({ "type": "string", "value1": "2 * 3 * 4", "value2": "2 * 3 * 4" }), true),
        (json!({ "type": "string", "value1": "snake_case_name", "value2": "snake_case_name" }), true),
        (json!({ "type": "string", "value1": "---", "operation": "isEmpty" }), true),
        (json!({ "type": "string", "value1": value("s"), "operation": "notEmpty" }), true),
        (json!({ "type": "number", "value1": value("n"), "operation": "equal", "value2": "7" }), true),
        (json!({ "type": "number", "value1": value("n"), "operation": "notEqual", "value2": 7 }), false),
        (json!({ "type": "number", "value1": value("n"), "operation": "larger", "value2": "3" }), true),
        (json!({ "type": "number", "value1": value("n"), "operation": "largerEqual", "value2": "7" }), true),
        (json!({ "type": "number", "value1": value("n"), "operation": "smaller" }), false),
        (json!({ "type": "number", "value1": value("s"), "operation": "smallerEqual", "value2": 0 }), true),
        (json!({ "type": "boolean", "value1": true, "operation": "equal", "value2": true }), true),
        (json!({ "type": "boolean", "operation": "notEqual", "value2": false }), false),
    ];
    let nodes = table.iter().enumerate().map(|(index, (condition, _))| {
        step(&format!("t{index}"), "conditionAgentflow", &json!({ "conditions": [condition] }))
    });
    let edges = (0..table.len()).map(|index| edge("s", "startAgentflow", &format!("t{index}")));
    let (nodes, edges): (Vec<Value>, Vec<Value>) = (nodes.collect(), edges.collect());
    let document = agentflow(
        &[
            ("n", "7"),
            ("s", "Hello"),
            ("md", "## **YES** and `no`"),
            ("list", "- one\n- two"),
            ("fence", "```json\n{\"a\": 1}\n```"),
        ],
        &nodes,
        &edges,
    );
    let flow = import(&document.to_string(), None, "x").unwrap().flow;
    let (_, journal) = run_flow(flow, &RecordingProvider::echo(), "hello", []).await;
    for (index, (condition, expected)) in table.iter().enumerate() {
        let found = journal.output(&format!("t{index}-conditions"), "result");
        assert_eq!(found, if *expected { json!("case 0") } else { Value::Null }, "{condition}");
    }
}

#[tokio::test]
async fn flowise_steps_read_what_was_said_on_their_own_way() {
    let model = |system: &str| json!({ "llmModel": "chatOpenAI", "llmModelConfig": { "modelName": "gpt-4o" }, "llmMessages": [{ "role": "system", "content": system }] });
    let condition = json!({ "conditions": [{ "type": "string", "value1": "{{ question }}", "operation": "contains", "value2": "refund" }] });
    let nodes = [
        step("first", "llmAgentflow", &model("FIRST")),
        step("which", "conditionAgentflow", &condition),
        step("refund", "llmAgentflow", &model("REFUND")),
        step("sales", "llmAgentflow", &model("SALES")),
        step("end", "llmAgentflow", &model("END")),
    ];
    let edges = [
        edge("s", "startAgentflow", "first"),
        edge("first", "llmAgentflow", "which"),
        edge("which", "0", "refund"),
        edge("which", "1", "sales"),
        edge("refund", "llmAgentflow", "end"),
        edge("sales", "llmAgentflow", "end"),
    ];
    let flow = import(&agentflow(&[], &nodes, &edges).to_string(), None, "x").unwrap().flow;
    let provider = RecordingProvider::with_rule(|request, _| {
        Ok(text(&format!(
            "{}({})",
            request.system.as_deref().unwrap_or_default().to_lowercase(),
            request.last_text()
        )))
    });
    let (sent, _) = run_flow(flow, &provider, "buy", []).await;
    let said: Vec<&str> = sent.iter().map(SentRequest::last_text).collect();
    assert_eq!(said, ["buy", "first(buy)", "sales(first(buy))"]);
    assert_eq!(sent[2].system.as_deref(), Some("END"));
}

#[tokio::test]
async fn flowise_runs_one_node_at_a_time() {
    let model = |name: &str| {
        step(
            name,
            "llmAgentflow",
            &json!({ "llmModel": "chatOpenAI", "llmModelConfig": { "modelName": "gpt-4o" }, "llmMessages": [{ "role": "user", "content": format!("ask {name}") }] }),
        )
    };
    let nodes = ["a", "b", "a2", "b2"].map(model);
    let edges = [
        ("s", "startAgentflow", "a"),
        ("s", "startAgentflow", "b"),
        ("a", "llmAgentflow", "a2"),
        ("b", "llmAgentflow", "b2"),
    ];
    let edges = edges.map(|(source, output, target)| edge(source, output, target));
    let flow = import(&agentflow(&[], &nodes, &edges).to_string(), None, "x").unwrap().flow;
    let provider = RecordingProvider::with_rule(|_, _| Ok(text("Done.")));
    let (sent, _) = run_flow(flow, &provider, "go", []).await;
    let asked: Vec<&str> = sent
        .iter()
        .map(|request| {
            request.messages.iter().find(|(_, text)| text.starts_with("ask ")).map_or("", |(_, text)| text)
        })
        .collect();
    assert_eq!(asked, ["ask a", "ask b", "ask a2", "ask b2"]);
}

/// A node of Rivet: its type and its settings.
type RivetNode = (&'static str, Value);
/// What feeds the ports of a node, the node, the output that is read, and its value.
type RivetCase = (Vec<(&'static str, RivetNode)>, &'static str, Value, &'static str, Value);

fn rivet_values() -> Vec<RivetCase> {
    let t = |text: &str| ("text", json!({ "text": text }));
    let number = |value: f64| ("number", json!({ "value": value }));
    vec![
        (
            vec![("input2", t("z")), ("input10", t("c")), ("input1", t("a"))],
            "join",
            json!({ "flatten": true, "joinString": "\\n" }),
            "output",
            json!("a\nz\nc"),
        ),
        (
            vec![("string", t("a\tb"))],
            "split",
            json!({ "delimiter": "\\t", "regex": false }),
            "splitString",
            json!(["a", "b"]),
        ),
        (
            vec![("string", t("a1b22c"))],
            "split",
            json!({ "delimiter": "[0-9]+", "regex": true }),
            "splitString",
            json!(["a", "b", "c"]),
        ),
        (
            vec![("input", t("say \"x\""))],
            "object",
            json!({ "jsonTemplate": "{\"a\": \"{{input}}\", \"b\": \"{{none}}\"}" }),
            "output",
            json!({ "a": "say \"x\"", "b": null }),
        ),
        (
            vec![("input", number(4.5))],
            "object",
            json!({ "jsonTemplate": "{\"a\": \"{{input}}\", \"b\": {{input}}}" }),
            "output",
            json!({ "a": "4.5", "b": 4.5 }),
        ),
        (
            vec![("input", t("Sure: [1, {\"a\": 2}] done"))],
            "extractJson",
            json!({}),
            "output",
            json!([1, { "a": 2 }]),
        ),
        (vec![("input", t("no json"))], "extractJson", json!({}), "noMatch", json!("no json")),
    ]
}

fn rivet_decisions() -> Vec<RivetCase> {
    let t = |text: &str| ("text", json!({ "text": text }));
    let number = |value: f64| ("number", json!({ "value": value }));
    vec![
        (
            vec![("input", t("ab12 cd34"))],
            "extractRegex",
            json!({ "regex": "([a-z]+)([0-9]+)" }),
            "output2",
            json!("12"),
        ),
        (
            vec![("input", t("ab12 cd34"))],
            "extractRegex",
            json!({ "regex": "([a-z]+)[0-9]+" }),
            "matches",
            json!(["ab", "cd"]),
        ),
        (
            vec![("input", t("YES, NO"))],
            "match",
            json!({ "cases": ["YES", "NO"] }),
            "case2",
            json!("YES, NO"),
        ),
        (
            vec![("input", t("maybe")), ("value", t("v"))],
            "match",
            json!({ "cases": ["YES", "NO"] }),
            "unmatched",
            json!("v"),
        ),
        (vec![("if", t("x")), ("value", t("v"))], "if", json!({}), "output", json!("v")),
        (vec![("if", t("")), ("value", t("v"))], "if", json!({}), "falseOutput", json!("v")),
        (
            vec![("a", t("7")), ("b", number(7.0))],
            "compare",
            json!({ "comparisonFunction": "==" }),
            "output",
            json!(true),
        ),
        (
            vec![("a", number(9.0)), ("b", t("10"))],
            "compare",
            json!({ "comparisonFunction": "<" }),
            "output",
            json!(true),
        ),
        (
            vec![("a", number(2.0)), ("b", number(3.0))],
            "evaluate",
            json!({ "operation": "^" }),
            "output",
            json!(8),
        ),
        (vec![("data", t("a"))], "toJson", json!({ "indented": false }), "json", json!("\"a\"")),
    ]
}

#[tokio::test]
async fn rivet_nodes_compute_as_in_rivet() {
    let table: Vec<RivetCase> = rivet_values().into_iter().chain(rivet_decisions()).collect();
    let mut nodes = Map::new();
    let mut add = |id: &str, kind: &str, data: &Value, outgoing: Vec<String>| {
        let node = json!({ "data": data, "visualData": "0/0/230/0//", "outgoingConnections": outgoing });
        nodes.insert(format!("[{id}]:{kind} \"{id}\""), node);
    };
    for (index, (inputs, kind, data, output, _)) in table.iter().enumerate() {
        let id = format!("t{index}");
        for (at, (port, (kind, data))) in inputs.iter().enumerate() {
            let output = if *kind == "text" { "output" } else { "value" };
            // The names run against the order of the ports.
            add(&format!("{id}-{}", 9 - at), kind, data, vec![format!("{output}->\"{id}\" {id}/{port}")]);
        }
        add(&id, kind, data, vec![format!("{output}->\"o{index}\" o{index}/value")]);
        add(&format!("o{index}"), "graphOutput", &json!({ "id": format!("o{index}") }), vec![]);
    }
    let graphs = json!({ "g": { "metadata": { "id": "g", "name": "Main" }, "nodes": nodes } });
    let document = json!({ "version": 4, "data": { "graphs": graphs, "metadata": { "id": "p", "title": "t", "mainGraphId": "g" } } });
    let flow = import(&document.to_string(), None, "x").unwrap().flow;
    let (_, journal) = run_flow(flow, &RecordingProvider::echo(), "", []).await;
    for (index, (_, kind, data, output, expected)) in table.iter().enumerate() {
        let found =
            journal.output(&format!("t{index}-{}", output.to_lowercase().replace('_', "-")), "result");
        assert_eq!(&found, expected, "{kind} {data}");
    }
}

#[tokio::test]
async fn rivet_text_has_a_line_for_each_item_of_a_list() {
    let nodes = json!({
        "[a]:text \"a\"": { "data": { "text": "x,y" }, "outgoingConnections": ["output->\"s\" s/string"] },
        "[s]:split \"s\"": { "data": { "delimiter": "," }, "outgoingConnections": ["splitString->\"t\" t/list", "splitString->\"p\" p/list"] },
        "[t]:text \"t\"": { "data": { "text": "L: {{list}}" }, "outgoingConnections": ["output->\"o\" o/value"] },
        "[p]:prompt \"p\"": { "data": { "promptText": "P: {{list}}", "type": "user" }, "outgoingConnections": ["output->\"c\" c/prompt"] },
        "[c]:chat \"c\"": { "data": { "model": "gpt-4o" }, "outgoingConnections": [] },
        "[o]:graphOutput \"o\"": { "data": { "id": "o" }, "outgoingConnections": [] },
    });
    let graphs = json!({ "g": { "metadata": { "id": "g", "name": "Main" }, "nodes": nodes } });
    let document = json!({ "version": 4, "data": { "graphs": graphs, "metadata": { "id": "p", "title": "t", "mainGraphId": "g" } } });
    let flow = import(&document.to_string(), None, "x").unwrap().flow;
    let (sent, journal) = run_flow(flow, &RecordingProvider::echo(), "", []).await;
    assert_eq!(journal.output("t", "text"), "L: x\ny");
    assert_eq!(sent[0].last_text(), "P: x\ny");
}
