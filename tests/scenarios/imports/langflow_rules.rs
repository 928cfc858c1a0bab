//! Components of Langflow: a table of conditions with the way that Langflow takes and what it passes on, and texts with variables.

use plait_import::import;
use serde_json::{Map, Value, json};

use super::run_flow;
use crate::support::provider::{RecordingProvider, user};

fn component(id: &str, kind: &str, fields: &Value) -> Value {
    let fields = fields.as_object().unwrap().iter();
    let template: Map<String, Value> =
        fields.map(|(name, value)| (name.clone(), json!({ "value": value }))).collect();
    json!({ "id": id, "data": { "id": id, "type": kind, "node": { "display_name": id, "template": template } } })
}

fn edge(source: &str, output: &str, target: &str, field: &str) -> Value {
    json!({ "source": source, "target": target, "data": { "sourceHandle": { "name": output }, "targetHandle": { "fieldName": field } } })
}

/// What the way that is taken passes on, with its name before it.
async fn routed(input: &str, fields: &Value) -> String {
    let nodes = [
        component("In", "ChatInput", &json!({ "input_value": "" })),
        component("Route", "ConditionalRouter", fields),
        component("yes", "Prompt", &json!({ "template": "yes {a}" })),
        component("no", "Prompt", &json!({ "template": "no {a}" })),
        component("Out1", "ChatOutput", &json!({})),
        component("Out2", "ChatOutput", &json!({})),
    ];
    let edges = [
        edge("In", "message", "Route", "input_text"),
        edge("Route", "true_result", "yes", "a"),
        edge("Route", "false_result", "no", "a"),
        edge("yes", "prompt", "Out1", "input_value"),
        edge("no", "prompt", "Out2", "input_value"),
    ];
    let file = json!({ "data": { "nodes": nodes, "edges": edges } });
    let flow = import(&file.to_string(), None, "x").unwrap().flow;
    let (_, journal) = run_flow(flow, &RecordingProvider::echo(), input, []).await;
    let counts = journal.finish_counts();
    let ran = ["yes", "no"].into_iter().filter(|id| counts.contains_key(*id));
    ran.map(|id| journal.output(id, "text").as_str().unwrap().to_owned()).collect::<Vec<_>>().join(" and ")
}

#[tokio::test]
async fn langflow_operators_hold_as_in_langflow() {
    for (input, operator, text, is_case_sensitive, expected) in [
        ("hello", "equals", "hello", true, "yes"),
        ("hello", "equals", "Hello", true, "no"),
        ("hello", "equals", "Hello", false, "yes"),
        ("hello", "not equals", "hello", true, "no"),
        ("hello", "contains", "", true, "yes"),
        ("hello", "starts with", "HE", false, "yes"),
        ("hello", "ends with", "LO", true, "no"),
        // A pattern matches from the beginning, and case counts.
        ("hello", "regex", "ell", false, "no"),
        ("hello", "regex", "x|he", false, "yes"),
        ("hello", "regex", "HE", false, "no"),
        ("hello", "regex", "(?i)HELLO$", true, "yes"),
        ("hello", "regex", "(?P<first>h)e", true, "yes"),
        ("hello", "regex", "(", true, "no"),
        ("9", "less than", "10", true, "yes"),
        ("nine", "less than", "10", true, "no"),
        ("0x10", "greater than", "5", true, "no"),
        ("1_000", "greater than", "999", true, "yes"),
        ("5.0", "greater than or equal", "5", true, "yes"),
        ("1e3", "less than or equal", "1000", true, "yes"),
        ("5", "less than or equal", "", true, "no"),
    ] {
        let fields = json!({ "operator": operator, "match_text": text, "case_sensitive": is_case_sensitive });
        let found = routed(input, &fields).await;
        assert_eq!(found, format!("{expected} {input}"), "{input} {operator} {text}");
    }
}

#[tokio::test]
async fn langflow_condition_passes_on_the_message_of_its_way() {
    let fields = json!({ "match_text": "hello", "true_case_message": "Well", "false_case_message": "" });
    assert_eq!(routed("hello", &fields).await, "yes Well");
    assert_eq!(routed("bye", &fields).await, "no bye");
    // One message for both ways, where case did not count.
    let fields = json!({ "match_text": "HELLO", "message": "M" });
    assert_eq!(routed("hello", &fields).await, "yes M");
    assert_eq!(routed("bye", &fields).await, "no M");
}

#[tokio::test]
async fn langflow_texts_are_filled_in_as_in_langflow() {
    for (fields, expected) in [
        (json!({ "template": "Q {q} {{x}}" }), "Q hello {x}"),
        (json!({ "template": "Q {{ q }} {x}", "use_double_brackets": true }), "Q hello {x}"),
        (json!({ "template": "Q {q}[{z}]", "z": "" }), "Q hello[]"),
    ] {
        let nodes = [
            component("In", "ChatInput", &json!({ "input_value": "" })),
            component("Ask", "Prompt", &fields),
            component("Model", "OpenAIModel", &json!({ "model_name": "gpt-4o" })),
        ];
        let edges = [edge("In", "message", "Ask", "q"), edge("Ask", "prompt", "Model", "input_value")];
        let file = json!({ "data": { "nodes": nodes, "edges": edges } });
        let imported = import(&file.to_string(), None, "x").unwrap();
        assert!(imported.report.nodes.iter().all(|node| node.lost.is_empty()), "{:?}", imported.report);
        let (sent, _) = run_flow(imported.flow, &RecordingProvider::echo(), "hello", []).await;
        assert_eq!(sent[0].messages, [user(expected)]);
    }
    let nodes = [
        component("In", "ChatInput", &json!({ "input_value": "" })),
        component("Both", "CombineText", &json!({ "text1": "", "delimiter": "-" })),
        component("Out", "ChatOutput", &json!({})),
    ];
    let edges = [edge("In", "message", "Both", "text2"), edge("Both", "combined_text", "Out", "input_value")];
    let file = json!({ "data": { "nodes": nodes, "edges": edges } });
    let flow = import(&file.to_string(), None, "x").unwrap().flow;
    let (_, journal) = run_flow(flow, &RecordingProvider::echo(), "hello", []).await;
    assert_eq!(journal.output("both", "text"), "-hello");
}
