//! What single formats have that others have not.

use std::collections::BTreeMap;

use plait_core::diagnostic::Diagnostic;
use serde_json::{Value, json};

use super::import;
use crate::Importers;
use plait_formats::foreign::Importer as _;
use plait_formats::foreign::{ForeignFile, Format, ImportOutcome, Imported};

fn read(document: &Value, format: Format) -> Imported {
    import(&document.to_string(), Some(format), "x").unwrap()
}

fn edges(imported: &Imported) -> Vec<String> {
    let edge = |edge: &plait_core::flow::Edge| {
        format!("{}.{} → {}.{}", edge.source, edge.source_output, edge.target, edge.target_input)
    };
    imported.flow.edges.values().map(edge).collect()
}

#[test]
fn dify_form_fields_that_are_no_objects_are_left_out() {
    let document = json!({ "app": { "mode": "completion" }, "model_config": {
        "user_input_form": [{ "text-input": "no object" }, { "text-input": { "variable": "topic", "label": "Topic" } }],
        "pre_prompt": "About {{topic}}",
    } });
    let imported = read(&document, Format::Dify);
    let chat = imported.flow.nodes.values().find(|node| node.node_type == "chat").unwrap();
    assert_eq!(chat.config["prompt"], "About {{topic}}");
}

/// Two loops of n8n, one in the body of the other.
fn nested_loops() -> Value {
    let node = |name: &str, kind: &str, version: f64| json!({ "name": name, "type": format!("n8n-nodes-base.{kind}"), "typeVersion": version, "parameters": {} });
    let to = |name: &str| json!([{ "node": name, "type": "main", "index": 0 }]);
    json!({
        "nodes": [
            node("Start", "manualTrigger", 1.0),
            node("Outer", "splitInBatches", 3.0),
            node("Before", "noOp", 1.0),
            node("Inner", "splitInBatches", 3.0),
            node("Step", "noOp", 1.0),
            node("After", "noOp", 1.0),
            node("End", "noOp", 1.0),
        ],
        "connections": {
            "Start": { "main": [to("Outer")] },
            "Outer": { "main": [to("End"), to("Before")] },
            "Before": { "main": [to("Inner")] },
            "Inner": { "main": [to("After"), to("Step")] },
            "Step": { "main": [to("Inner")] },
            "After": { "main": [to("Outer")] },
        },
    })
}

#[test]
fn n8n_nested_loops_hold_their_own_bodies() {
    let mut document = nested_loops();
    // The first loop in the file.
    for _ in 0..2 {
        let imported = read(&document, Format::N8n);
        let parent =
            |id: &str| imported.flow.nodes[id].parent.as_ref().map(|parent| parent.as_str().to_owned());
        assert_eq!(parent("step").as_deref(), Some("inner"));
        for id in ["before", "inner", "after"] {
            assert_eq!(parent(id).as_deref(), Some("outer"), "{id}");
        }
        assert_eq!((parent("end"), parent("outer")), (None, None));
        let edges = edges(&imported);
        for edge in ["step.first → inner.next", "after.first → outer.next", "inner.item → step.values"]
        {
            assert!(edges.iter().any(|own| own == edge), "{edge}: {edges:#?}");
        }
        assert_eq!(imported.report.lost_edges().count(), 0);
        document["nodes"].as_array_mut().unwrap().reverse();
    }
}

/// The errors of the check, by their codes.
fn errors(imported: &Imported) -> Vec<String> {
    let found = plait_run::plan::check(&imported.flow, &plait_nodes::registry()).diagnostics;
    let errors = found.iter().filter(|found| found.severity == plait_core::diagnostic::Severity::Error);
    errors.map(|found| found.code.to_string()).collect()
}

#[test]
fn n8n_loop_holds_its_body_when_the_model_in_it_comes_first() {
    let to = |name: &str, kind: &str| json!([{ "node": name, "type": kind, "index": 0 }]);
    let node = |name: &str, kind: &str, version: f64| json!({ "name": name, "type": kind, "typeVersion": version, "parameters": { "promptType": "define", "text": "Hi" } });
    let document = json!({
        "nodes": [
            node("Model", "@n8n/n8n-nodes-langchain.lmChatOpenAi", 1.0),
            node("Ask", "@n8n/n8n-nodes-langchain.chainLlm", 1.5),
            node("Loop", "n8n-nodes-base.splitInBatches", 3.0),
            node("Start", "n8n-nodes-base.manualTrigger", 1.0),
        ],
        "connections": {
            "Start": { "main": [to("Loop", "main")] },
            "Loop": { "main": [[], to("Ask", "main")] },
            "Ask": { "main": [to("Loop", "main")] },
            "Model": { "ai_languageModel": [to("Ask", "ai_languageModel")] },
        },
    });
    let imported = read(&document, Format::N8n);
    assert_eq!(imported.flow.nodes["ask"].parent, Some("loop".into()));
    assert!(edges(&imported).iter().any(|edge| edge.ends_with("→ loop.next")), "{:?}", edges(&imported));
    assert!(!errors(&imported).contains(&"edge.unknown_port".to_owned()), "{:?}", errors(&imported));
}

#[test]
fn n8n_answers_of_what_came_in_are_no_cycles() {
    let to = |name: &str| json!({ "node": name, "type": "main", "index": 0 });
    let node = |name: &str, kind: &str, parameters: Value| json!({ "name": name, "type": format!("n8n-nodes-base.{kind}"), "typeVersion": 2, "parameters": parameters });
    let is_big = json!({ "leftValue": "={{ $json.n }}", "rightValue": 5, "operator": { "type": "number", "operation": "gt" } });
    let document = json!({
        "nodes": [
            node("Start", "manualTrigger", json!({})),
            node("Big?", "if", json!({ "conditions": { "conditions": [is_big], "combinator": "and" } })),
            node("Yes", "respondToWebhook", json!({ "respondWith": "allIncomingItems" })),
            node("No", "respondToWebhook", json!({ "respondWith": "text", "responseBody": "no" })),
        ],
        "connections": { "Start": { "main": [[to("Big?")]] }, "Big?": { "main": [[to("Yes")], [to("No")]] } },
    });
    let imported = read(&document, Format::N8n);
    assert_eq!(errors(&imported), Vec::<String>::new());
}

#[test]
fn n8n_disabled_nodes_are_disabled_and_values_pass_by_them() {
    let node = |name: &str, kind: &str, parameters: Value, disabled: bool| json!({ "name": name, "type": kind, "typeVersion": 3.4, "parameters": parameters, "disabled": disabled });
    let to = |name: &str| json!({ "main": [[{ "node": name, "type": "main", "index": 0 }]] });
    let field = json!({ "assignments": { "assignments": [{ "name": "b", "value": "c" }] } });
    let document = json!({
        "nodes": [
            node("Chat", "@n8n/n8n-nodes-langchain.chatTrigger", json!({}), false),
            node("Edit", "n8n-nodes-base.set", field, true),
            node("Sheet", "n8n-nodes-base.googleSheets", json!({}), true),
            node("Ask", "@n8n/n8n-nodes-langchain.chainLlm", json!({ "text": "={{ $json.chatInput }}" }), false),
        ],
        "connections": { "Chat": to("Edit"), "Edit": to("Sheet"), "Sheet": to("Ask") },
    });
    let imported = read(&document, Format::N8n);
    let disabled: Vec<_> = imported.flow.nodes.iter().filter(|(_, node)| node.disabled).collect();
    assert_eq!(disabled.iter().map(|(id, _)| id.as_str()).collect::<Vec<_>>(), ["edit", "sheet"]);
    let edges = edges(&imported);
    for edge in ["chat.value → edit.input", "edit.result → sheet.in", "sheet.out → ask.message"] {
        assert!(edges.iter().any(|own| own == edge), "{edge}: {edges:#?}");
    }
    assert!(imported.report.nodes.iter().all(|node| node.outcome != ImportOutcome::Lost));
    // A disabled placeholder is no problem: runs pass over it.
    let found = plait_run::plan::check(&imported.flow, &plait_nodes::registry()).diagnostics;
    let of_sheet = |found: &Diagnostic| found.node.as_ref().is_some_and(|node| node.as_str() == "sheet");
    assert!(!found.iter().any(of_sheet), "{found:#?}");
}

#[test]
fn rivet_inputs_with_one_id_are_one_node() {
    let node = |id: &str, kind: &str, data: Value| json!({ "id": id, "type": kind, "title": id, "data": data, "visualData": {} });
    let input = |id: &str| node(id, "graphInput", json!({ "id": "topic", "dataType": "string" }));
    let edge = |from: &str, to: &str| json!({ "outputNodeId": from, "outputId": "data", "inputNodeId": to, "inputId": "value" });
    let output = |id: &str| node(id, "graphOutput", json!({ "id": id }));
    let inner = json!({
        "nodes": [input("a"), input("b"), output("x"), output("y")],
        "connections": [edge("a", "x"), edge("b", "y")],
    });
    let call = node("call", "subGraph", json!({ "graphId": "inner" }));
    let text = node("text", "text", json!({ "text": "tea" }));
    let feed =
        json!({ "outputNodeId": "text", "outputId": "output", "inputNodeId": "call", "inputId": "topic" });
    for graph in [inner.clone(), json!({ "nodes": [text, call], "connections": [feed] })] {
        let document = json!({ "data": { "metadata": { "mainGraphId": "main" }, "graphs": { "main": graph, "inner": inner } } });
        let imported = read(&document, Format::Rivet);
        let flow = match imported.flow.nodes.get("call") {
            Some(call) => serde_json::from_value(call.config["flow"].clone()).unwrap(),
            None => imported.flow.clone(),
        };
        let inputs = flow.nodes.iter().filter(|(_, node)| node.node_type != "output");
        assert_eq!(inputs.count(), 1, "{:?}", flow.nodes.keys());
        assert_eq!(flow.edges.len(), 2);
    }
}

#[test]
fn flowise_doubled_braces_are_single_ones_in_every_place() {
    let node = |id: &str, kind: &str, inputs: Value| json!({ "id": id, "data": { "name": kind, "label": id, "category": "Prompts", "inputs": inputs } });
    let document = json!({
        "nodes": [
            node("prompt", "promptTemplate", json!({ "template": "{{\"a\": {topic}, \"b\": {{}}}} then {topic} }} end" })),
            node("chain", "llmChain", json!({})),
        ],
        "edges": [{ "source": "prompt", "target": "chain", "targetHandle": "chain-input-prompt-x" }],
    });
    let imported = read(&document, Format::Flowise);
    let prompt = imported.flow.nodes["chain"].config["prompt"].as_str().unwrap().to_owned();
    assert_eq!(prompt, "{\"a\": {{topic}}, \"b\": {}} then {{topic}} } end");
}

/// A workflow of n8n with a check that leads back to the checked node.
fn cycle(check: &str, back: &str) -> Value {
    let node = |name: &str, kind: &str, parameters: Value| json!({ "name": name, "type": kind, "typeVersion": 3.4, "parameters": parameters });
    let to = |name: &str| json!([{ "node": name, "type": "main", "index": 0 }]);
    let set = |name: &str| json!({ "assignments": { "assignments": [{ "name": name, "value": "={{ $json.text }}!" }] } });
    let condition = json!({ "conditions": { "conditions": [{
        "leftValue": "={{ $json.text }}", "rightValue": "!!!", "operator": { "type": "string", "operation": "notEndsWith" },
    }] } });
    json!({
        "nodes": [
            node("Start", "n8n-nodes-base.manualTrigger", json!({})),
            node("First", "n8n-nodes-base.set", set("text")),
            node("Add", "n8n-nodes-base.set", set(back)),
            node("Check", check, condition),
            node("End", "n8n-nodes-base.noOp", json!({})),
        ],
        "connections": {
            "Start": { "main": [to("First")] },
            "First": { "main": [to("Add")] },
            "Add": { "main": [to("Check")] },
            "Check": { "main": [to("Add"), to("End")] },
        },
    })
}

#[test]
fn n8n_edges_that_lead_back_start_the_next_iteration() {
    let imported = read(&cycle("n8n-nodes-base.if", "text"), Format::N8n);
    assert_eq!(imported.report.lost_edges().count(), 0);
    let edges = edges(&imported);
    for edge in
        ["first.result → add.input", "check-true.result → add.input", "check-false.result → end.values"]
    {
        assert!(edges.iter().any(|own| own == edge), "{edge}: {edges:#?}");
    }
    // Nobody is asked in the cycle, so it needs a bound.
    assert_eq!(imported.flow.nodes["add"].limits.max_epochs, Some(100));
    let planned = plait_run::plan::plan(
        &imported.flow,
        &plait_nodes::registry(),
        None,
        &plait_journal::InputOverrides::new(),
    );
    assert_eq!(planned.unwrap().cycles.len(), 1);
}

#[test]
fn n8n_edges_that_lead_back_with_other_values_are_lost_with_a_reason() {
    let mut chat = cycle("n8n-nodes-base.if", "text");
    chat["nodes"][1] =
        json!({ "name": "First", "type": "@n8n/n8n-nodes-langchain.chatTrigger", "parameters": {} });
    chat["nodes"][0] = json!({ "name": "Start", "type": "n8n-nodes-base.stickyNote", "parameters": {} });
    let imported = read(&chat, Format::N8n);
    let lost =
        imported.report.edges.iter().filter_map(|edge| edge.lost.as_deref()).collect::<Vec<_>>().join(" ");
    assert!(lost.contains("has other fields"), "{lost}");
    assert!(imported.flow.nodes["add"].limits.max_epochs.is_none());
}

#[test]
fn langflow_loop_repeats_what_leads_back_to_it() {
    let node = |id: &str, kind: &str, fields: Value| json!({ "id": id, "data": { "type": kind, "node": { "display_name": id, "template": fields } } });
    let edge = |from: &str, output: &str, to: &str, target: Value| json!({ "source": from, "target": to, "data": { "sourceHandle": { "name": output }, "targetHandle": target } });
    let field = |name: &str| json!({ "fieldName": name });
    let document = json!({ "data": {
        "nodes": [
            node("ask", "ChatInput", json!({})),
            node("loop", "LoopComponent", json!({})),
            node("prompt", "Prompt", json!({ "template": { "value": "Say {line}" } })),
            node("model", "OpenAIModel", json!({ "model_name": { "value": "gpt-4o" } })),
            node("show", "ChatOutput", json!({})),
        ],
        "edges": [
            edge("ask", "message", "loop", field("data")),
            edge("loop", "item", "prompt", field("line")),
            edge("prompt", "prompt", "model", field("input_value")),
            edge("model", "text_output", "loop", json!({ "name": "item" })),
            edge("loop", "done", "show", field("input_value")),
        ],
    } });
    let imported = read(&document, Format::Langflow);
    let edges = edges(&imported);
    for edge in ["loop.item → model.line", "model.response → loop.next", "loop.results → show.value"] {
        assert!(edges.iter().any(|own| own == edge), "{edge}: {edges:#?}");
    }
    assert_eq!(
        imported.flow.nodes["model"].parent.as_ref().map(plait_core::id::NodeId::as_str),
        Some("loop")
    );
    assert_eq!(imported.flow.nodes["show"].parent, None);
    assert_eq!(imported.report.lost_edges().count(), 0);
    let found = plait_run::plan::check(&imported.flow, &plait_nodes::registry()).diagnostics;
    assert!(
        found.iter().all(|found| found.severity != plait_core::diagnostic::Severity::Error),
        "{found:#?}"
    );
}

#[test]
fn graphs_that_the_main_one_does_not_call_are_flows_of_their_own() {
    let graph = |name: &str, nodes: Value| json!({ "metadata": { "name": name }, "nodes": nodes });
    let text = |text: &str| json!({ "data": { "text": text }, "visualData": "0/0/300/1//" });
    let call = |graph: &str| json!({ "data": { "graphId": graph }, "visualData": "0/0/300/1//" });
    let project = json!({ "version": 4, "data": {
        "metadata": { "mainGraphId": "main", "title": "Project" },
        "graphs": {
            "main": graph("Main", json!({ "[m]:text \"M\"": text("m") })),
            "inner": graph("Inner", json!({ "[i]:text \"I\"": text("i") })),
            "outer": graph("Outer", json!({ "[o]:subGraph \"O\"": call("inner") })),
            "round": graph("Round", json!({ "[r]:subGraph \"R\"": call("trip") })),
            "trip": graph("Trip", json!({ "[t]:subGraph \"T\"": call("round") })),
        },
    } });
    let text = project.to_string();
    let files = BTreeMap::new();
    let file = ForeignFile { text: &text, files: &files, format: None, name: "x", graph: None };
    let main = Importers.import(&file).unwrap();
    assert_eq!(main.flow.name, "Project");
    let ids =
        |imported: &Imported| imported.report.nodes.iter().map(|node| node.id.clone()).collect::<Vec<_>>();
    assert_eq!(ids(&main), ["main/m"]);
    let others = |imported: &Imported| {
        imported.report.other_graphs.iter().map(|graph| graph.name.clone()).collect::<Vec<_>>()
    };
    assert_eq!(others(&main), ["Outer", "Round"]);
    let outer = Importers.import(&ForeignFile { graph: Some("Outer"), ..file }).unwrap();
    assert_eq!(outer.flow.name, "Outer");
    assert_eq!(ids(&outer), ["inner/i", "outer/o"]);
    assert_eq!(others(&outer), ["Main", "Round"]);
    let missing = Importers.import(&ForeignFile { graph: Some("Nowhere"), ..file }).unwrap_err();
    assert_eq!(missing.code.as_str(), "import.no_graph");
    assert!(missing.hint.unwrap().contains("`Outer`"));
    let other_tool = ForeignFile { text: "{\"nodes\":[],\"connections\":{}}", graph: Some("Outer"), ..file };
    assert_eq!(Importers.import(&other_tool).unwrap_err().code.as_str(), "import.no_graph");
}

#[test]
fn input_of_a_graph_may_have_the_name_of_another_input_of_a_subflow() {
    let visual = "0/0/300/1//";
    let project = json!({ "version": 4, "data": {
        "metadata": { "mainGraphId": "main", "title": "x" },
        "graphs": {
            "main": { "nodes": {
                "[m]:text \"M\"": { "data": { "text": "m" }, "outgoingConnections": ["output->\"C\" c/context"], "visualData": visual },
                "[c]:subGraph \"C\"": { "data": { "graphId": "inner" }, "visualData": visual },
            } },
            "inner": { "nodes": {
                "[i]:graphInput \"I\"": { "data": { "id": "context", "dataType": "string" },
                    "outgoingConnections": ["data->\"O\" o/value"], "visualData": visual },
                "[o]:graphOutput \"O\"": { "data": { "id": "o" }, "visualData": visual },
            } },
        },
    } });
    let imported = read(&project, Format::Rivet);
    assert_eq!(edges(&imported), ["m.text → c.context-value"]);
    let found = plait_run::plan::check(&imported.flow, &plait_nodes::registry()).diagnostics;
    assert!(found.iter().all(|one| one.severity != plait_core::diagnostic::Severity::Error), "{found:?}");
}
