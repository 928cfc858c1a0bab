//! What the report says of nodes that differ from the original.

use serde_json::{Value, json};

use super::import;
use plait_formats::foreign::Imported;

fn lost(imported: &Imported) -> Vec<String> {
    imported.report.nodes.iter().flat_map(|node| node.lost.clone()).collect()
}

#[test]
fn instructions_alone_are_said_to_be_the_message_of_the_user() {
    let file = include_str!("../../../../tests/fixtures/import/requests/dify/instructions-alone.yml");
    let imported = import(file, None, "x").unwrap();
    let expected = "Its last message has the role `system`. Here it is the message of the user.";
    assert_eq!(lost(&imported), [expected]);
}

#[test]
fn messages_that_are_sent_as_one_are_said() {
    let model = json!({ "provider": "openai", "name": "gpt-4o", "mode": "chat", "completion_params": {} });
    let prompts = |roles: &[&str]| {
        let prompts: Vec<Value> = roles.iter().map(|role| json!({ "role": role, "text": "x" })).collect();
        let nodes = [
            json!({ "id": "s", "data": { "type": "start", "title": "s", "variables": [] } }),
            json!({ "id": "l", "data": { "type": "llm", "title": "l", "model": model, "prompt_template": prompts } }),
        ];
        let graph = json!({ "nodes": nodes, "edges": [{ "source": "s", "target": "l" }] });
        let app = json!({ "kind": "app", "app": { "mode": "workflow" }, "workflow": { "graph": graph } });
        lost(&import(&app.to_string(), None, "x").unwrap())
    };
    assert_eq!(prompts(&["system", "user"]), [""; 0]);
    assert!(prompts(&["system", "system", "user"])[0].contains("several messages of the role `system`"));

    let node = |id: &str, kind: &str, data: Value, to: &str| {
        (
            format!("[{id}]:{kind} \"{id}\""),
            json!({ "data": data, "visualData": "0/0/200/0//", "outgoingConnections": [to] }),
        )
    };
    let nodes: serde_json::Map<String, Value> = [
        node("a", "text", json!({ "text": "one,two" }), "output->\"s\" s/string"),
        node("s", "split", json!({ "delimiter": "," }), "splitString->\"m\" m/message1"),
        node("m", "assemblePrompt", json!({}), "prompt->\"c\" c/prompt"),
        node("c", "chat", json!({ "model": "gpt-4o" }), ""),
    ]
    .into_iter()
    .collect();
    let graphs = json!({ "g": { "metadata": { "id": "g", "name": "Main" }, "nodes": nodes } });
    let file = json!({ "version": 4, "data": { "graphs": graphs, "metadata": { "id": "p", "title": "t", "mainGraphId": "g" } } });
    let found = lost(&import(&file.to_string(), None, "x").unwrap());
    assert!(found.iter().any(|one| one.contains("each item of the list is a message")), "{found:?}");
}

#[test]
fn model_that_is_not_chosen_is_no_provider() {
    let component = |id: &str, kind: &str, template: Value| json!({ "id": id, "data": { "id": id, "type": kind, "node": { "display_name": id, "template": template } } });
    let nodes = [component(
        "Model-1",
        "LanguageModelComponent",
        json!({ "model": { "value": [] }, "input_value": { "value": "Hello" } }),
    )];
    let file = json!({ "data": { "nodes": nodes, "edges": [] } });
    let imported = import(&file.to_string(), None, "x").unwrap();
    let start = imported.flow.nodes.values().find(|node| node.node_type == "contextStart").unwrap();
    assert_eq!(start.config.get("provider"), None);
    assert!(lost(&imported).contains(&"Its model is not chosen: choose one.".to_owned()), "{imported:?}");
}

#[test]
fn order_of_fields_is_said_where_objects_become_text() {
    let differs = |value: &str| {
        let set =
            json!({ "assignments": { "assignments": [{ "name": "x", "type": "string", "value": value }] } });
        let nodes = json!([
            { "name": "Start", "type": "n8n-nodes-base.manualTrigger", "parameters": {} },
            { "name": "Write", "type": "n8n-nodes-base.set", "typeVersion": 3.4, "parameters": set },
        ]);
        let connections = json!({ "Start": { "main": [[{ "node": "Write", "type": "main", "index": 0 }]] } });
        lost(&import(&json!({ "nodes": nodes, "connections": connections }).to_string(), None, "x").unwrap())
    };
    assert_eq!(differs("={{ $json.a }}"), [""; 0]);
    assert!(differs("={{ JSON.stringify($json) }}")[0].contains("sorted by name"));
    let template = |kind: &str| {
        let nodes = [
            json!({ "id": "s", "data": { "type": "start", "title": "s", "variables": [] } }),
            json!({ "id": "c", "data": { "type": "code", "title": "c", "code_language": "javascript", "code": "function main() {}", "outputs": { "o": { "type": kind } } } }),
            json!({ "id": "t", "data": { "type": "template-transform", "title": "t", "template": "{{ o }}", "variables": [{ "variable": "o", "value_selector": ["c", "o"] }] } }),
        ];
        let edges = json!([{ "source": "s", "target": "c" }, { "source": "c", "target": "t" }]);
        let app = json!({ "kind": "app", "app": { "mode": "workflow" }, "workflow": { "graph": { "nodes": nodes, "edges": edges } } });
        lost(&import(&app.to_string(), None, "x").unwrap())
    };
    assert_eq!(template("string"), [""; 0]);
    assert!(template("array[object]")[0].contains("sorted by name"));
}

#[test]
fn item_of_a_loop_is_read_inside_of_it_only() {
    let node = |name: &str, kind: &str, parameters: Value| json!({ "name": name, "type": format!("n8n-nodes-base.{kind}"), "typeVersion": 3, "parameters": parameters });
    let code = json!({ "jsCode": "return $('Each').first();" });
    let nodes = json!([
        node("Start", "manualTrigger", json!({})),
        node("Each", "splitInBatches", json!({})),
        node("Read", "code", code),
    ]);
    let connections = json!({ "Start": { "main": [[{ "node": "Read", "type": "main", "index": 0 }]] } });
    let file = json!({ "nodes": nodes, "connections": connections }).to_string();
    let Imported { flow, report } = import(&file, None, "x").unwrap();
    assert!(!flow.edges.values().any(|edge| edge.source_output.as_str() == "item"), "{report:?}");
    // What nothing leads into is no loop that lacks its list.
    assert!(!flow.nodes.values().any(|node| node.node_type == "loop"), "{report:?}");
}
