//! Every file of `tests/fixtures/import`: nothing of it is lost silently, and what comes out is a flow.

mod damaged;
mod differs;
mod frames;
mod large;
mod readers;
mod requests;

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use super::import;
use crate::Importers;
use plait_core::diagnostic::Severity;
use plait_core::flow;
use plait_core::flow::Unconfirmed;
use plait_core::id::NodeId;
use plait_formats::foreign::Importer as _;
use plait_formats::foreign::{
    ForeignFile, Format, ImportOutcome, ImportReport, Imported, name_of_file, source,
};
use plait_nodes::registry;
use plait_run::plan::check;

/// The files of a format, sorted by name.
fn fixtures(format: Format) -> Vec<PathBuf> {
    let folder =
        Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/fixtures/import").join(format.name());
    let entries = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let file = |path: PathBuf| if path.is_dir() { path.join("flow.dag.yaml") } else { path };
    let mut files: Vec<_> = entries.map(file).collect();
    files.sort();
    files
}

/// The texts of the files beside a file.
fn beside(file: &Path, text: &str) -> BTreeMap<String, String> {
    let read = |name: String| Some((name.clone(), std::fs::read_to_string(file.with_file_name(name)).ok()?));
    Importers.files_beside(text).into_iter().filter_map(read).collect()
}

/// Ids of nodes, and ends of edges, as a file has them. Written apart from the readers.
fn contents(format: Format, document: &Value) -> (Vec<String>, usize) {
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let list = |value: &Value| value.as_array().cloned().unwrap_or_default();
    match format {
        Format::Dify => {
            let graph = &document["workflow"]["graph"];
            if graph.is_null() {
                return (vec!["app".to_owned()], 0);
            }
            let nodes = list(&graph["nodes"]).iter().map(|node| text(&node["id"])).collect();
            (nodes, list(&graph["edges"]).len())
        }
        Format::Flowise => {
            let inner =
                document["flowData"].as_str().map(|text| serde_json::from_str::<Value>(text).unwrap());
            let document = inner.as_ref().unwrap_or(document);
            let nodes = list(&document["nodes"]).iter().map(|node| text(&node["id"])).collect();
            (nodes, list(&document["edges"]).len())
        }
        Format::Langflow => {
            let data = &document.get("flows").map_or(document, |flows| &flows[0])["data"];
            let nodes = list(&data["nodes"]).iter().map(|node| text(&node["id"])).collect();
            (nodes, list(&data["edges"]).len())
        }
        Format::PromptFlow => {
            let names = |key: &str| {
                let declared = document[key].as_object().cloned().unwrap_or_default();
                declared.keys().map(|name| format!("{key}.{name}")).collect::<Vec<_>>()
            };
            let nodes = list(&document["nodes"]).iter().map(|node| text(&node["name"])).collect::<Vec<_>>();
            // Of each node, its default variant.
            let taken: Vec<Value> = list(&document["nodes"])
                .iter()
                .map(|node| {
                    let own = &document["node_variants"][text(&node["name"])];
                    own["variants"]
                        .get(text(&own["default_variant_id"]))
                        .map_or(node, |one| &one["node"])
                        .clone()
                })
                .collect();
            let read = serde_json::to_string(&json!([taken, document["outputs"]])).unwrap();
            ([names("inputs"), nodes, names("outputs")].concat(), read.matches("${").count())
        }
        Format::Rivet => {
            let (mut nodes, mut edges) = (Vec::new(), 0);
            for (graph, content) in document["data"]["graphs"].as_object().unwrap() {
                let own: Vec<String> = match &content["nodes"] {
                    Value::Array(list) => list.iter().map(|node| text(&node["id"])).collect(),
                    keyed => keyed.as_object().unwrap().keys().map(|key| key[1..22].to_owned()).collect(),
                };
                let lists = content["nodes"].as_object().into_iter().flat_map(|nodes| nodes.values());
                edges += lists.flat_map(|node| list(&node["outgoingConnections"])).count();
                edges += list(&content["connections"]).len();
                nodes.extend(own.into_iter().map(|id| format!("{graph}/{id}")));
            }
            (nodes, edges)
        }
        Format::N8n => {
            let document = document.get(0).unwrap_or(document);
            let nodes = list(&document["nodes"]).iter().map(|node| text(&node["name"])).collect();
            let kinds = document["connections"].as_object().into_iter().flatten();
            let outputs = kinds.flat_map(|(_, kinds)| kinds.as_object().unwrap().values());
            let targets = outputs.flat_map(list).flat_map(|targets| list(&targets));
            (nodes, targets.count())
        }
    }
}

/// The nodes and edges of a file that are in none of its reports.
fn unreported(format: Format, text: &str, reports: &[ImportReport]) -> Vec<String> {
    let document = source::read(text).unwrap();
    let (nodes, edges) = contents(format, &document);
    let nodes: BTreeSet<&String> = nodes.iter().collect();
    let mut known = BTreeSet::new();
    let mut counts = BTreeMap::new();
    for report in reports {
        let ids: BTreeSet<&String> = report.nodes.iter().map(|node| &node.id).collect();
        assert_eq!(ids.len(), report.nodes.len(), "a node is reported twice");
        known.extend(ids);
        let mut own = BTreeMap::new();
        for edge in &report.edges {
            *own.entry((&edge.source, &edge.target, &edge.label)).or_insert(0) += 1;
        }
        // A graph that several others call is in each of their reports.
        for (edge, count) in own {
            let most = counts.entry(edge).or_insert(0);
            *most = count.max(*most);
        }
    }
    let mut problems = Vec::new();
    if nodes != known {
        problems.push(format!("nodes {nodes:?} were reported as {known:?}"));
    }
    let reported: usize = counts.values().sum();
    if reported != edges {
        problems.push(format!("{edges} edges were reported as {reported}"));
    }
    problems
}

/// What is wrong with an imported flow and its report.
fn problems(imported: &Imported) -> Vec<String> {
    let mut problems = Vec::new();
    let Imported { flow, report } = imported;
    for node in &report.nodes {
        let types: Vec<_> = node.nodes.iter().map(|id| flow.nodes[id].node_type.as_str()).collect();
        let is_right = match node.outcome {
            ImportOutcome::Same => !types.is_empty() && node.lost.is_empty(),
            ImportOutcome::Differs => !types.is_empty() && !node.lost.is_empty(),
            // Of a nested graph, the placeholder is inside of the sub-flow.
            ImportOutcome::Placeholder => {
                (types.contains(&"placeholder") || types.contains(&"subflow")) && !node.lost.is_empty()
            }
            ImportOutcome::Lost => types.is_empty() && !node.lost.is_empty(),
        };
        if !is_right {
            problems.push(format!("`{}` is {:?} with {types:?}, {:?}", node.id, node.outcome, node.lost));
        }
    }
    let known: BTreeSet<_> = report.nodes.iter().flat_map(|node| &node.nodes).collect();
    for id in flow.nodes.keys().filter(|id| !known.contains(id)) {
        problems.push(format!("`{id}` comes from nowhere"));
    }
    for found in check(flow, &registry()).diagnostics {
        // These wait for a person, as they should.
        if found.severity == Severity::Error && found.code.domain() != "import" {
            let place = found.node.map(|node| node.to_string()).unwrap_or_default();
            problems.push(format!("{place} {} {} {}", found.pointer, found.code.as_str(), found.message));
        }
    }
    let written = flow::write(flow).unwrap();
    if flow::read(&written).as_ref() != Ok(flow) {
        problems.push("the flow is not what is read after it is written".to_owned());
    }
    problems
}

/// The flow and the report, short enough to read in a review.
fn summary(imported: &Imported) -> String {
    let mut text = imported.report.to_text();
    text.push_str("\n---\n");
    for (id, node) in &imported.flow.nodes {
        let parent = node.parent.as_ref().map(|parent| format!(" in {parent}")).unwrap_or_default();
        let disabled = if node.disabled { " disabled" } else { "" };
        let mut marks = String::new();
        for mark in &node.unconfirmed {
            let _ = write!(marks, " {mark:?}");
        }
        let mut config = node.config.clone();
        config.remove("original");
        let config = Value::from(config).to_string();
        let short: String = config.chars().take(400).collect();
        let _ = writeln!(text, "{id}: {}{parent}{disabled}{marks} {short}", node.node_type);
    }
    text.push_str("---\n");
    for edge in imported.flow.edges.values() {
        let _ =
            writeln!(text, "{}.{} → {}.{}", edge.source, edge.source_output, edge.target, edge.target_input);
    }
    if !imported.flow.frames.is_empty() {
        text.push_str("---\n");
    }
    for (id, frame) in &imported.flow.frames {
        let nodes: Vec<&str> = frame.nodes.iter().map(NodeId::as_str).collect();
        let _ = writeln!(text, "{id} in “{}” with {}", frame.title, nodes.join(", "));
    }
    text
}

fn check_fixtures(format: Format) {
    let mut all = Vec::new();
    for file in fixtures(format) {
        let text = std::fs::read_to_string(&file).unwrap();
        let name = name_of_file(&file).unwrap();
        let files = beside(&file, &text);
        let foreign = ForeignFile { text: &text, files: &files, format: None, name: &name, graph: None };
        let recognized = Importers.import(&foreign).unwrap();
        assert_eq!(recognized.report.format, format, "{name}");
        let mut problems = problems(&recognized);
        let mut reports = vec![recognized.report.clone()];
        for other in &recognized.report.other_graphs {
            let graph = Importers.import(&ForeignFile { graph: Some(&other.id), ..foreign }).unwrap();
            problems.extend(self::problems(&graph));
            reports.push(graph.report);
        }
        problems.extend(unreported(format, &text, &reports));
        all.extend(problems.into_iter().map(|problem| format!("{name}: {problem}")));
        insta::with_settings!({ snapshot_suffix => format!("{}-{name}", format.name()), omit_expression => true }, {
            insta::assert_snapshot!("import", summary(&recognized));
        });
    }
    assert!(all.is_empty(), "{}", all.join("\n"));
}

#[test]
fn n8n_workflows_are_imported_without_silent_loss() {
    check_fixtures(Format::N8n);
}

#[test]
fn dify_apps_are_imported_without_silent_loss() {
    check_fixtures(Format::Dify);
}

#[test]
fn flowise_flows_are_imported_without_silent_loss() {
    check_fixtures(Format::Flowise);
}

#[test]
fn langflow_flows_are_imported_without_silent_loss() {
    check_fixtures(Format::Langflow);
}

#[test]
fn prompt_flows_are_imported_without_silent_loss() {
    check_fixtures(Format::PromptFlow);
}

#[test]
fn files_beside_a_flow_are_those_of_its_folder() {
    let node =
        |path: &str| json!({ "name": path, "type": "llm", "source": { "type": "code", "path": path } });
    let paths = ["a.jinja2", "./b.py", "sub\\c.py", "../secret", "/etc/passwd", ""];
    let flow = json!({ "nodes": paths.map(node), "outputs": {} }).to_string();
    assert_eq!(Importers.files_beside(&flow), ["./b.py", "a.jinja2", "sub/c.py"]);
    assert!(Importers.files_beside("{}").is_empty());
}

#[test]
fn rivet_projects_are_imported_without_silent_loss() {
    check_fixtures(Format::Rivet);
}

/// The marks of each node of an imported case.
fn marks(text: &str) -> Vec<(String, Vec<Unconfirmed>)> {
    let flow = import(text, None, "x").unwrap().flow;
    let marked = flow.nodes.into_iter().filter(|(_, node)| !node.unconfirmed.is_empty());
    marked.map(|(id, node)| (id.to_string(), node.unconfirmed)).collect()
}

fn workflow(nodes: &[(&str, &str)], edges: &[(&str, &str)]) -> String {
    let nodes: Vec<Value> = nodes
        .iter()
        .map(|(name, kind)| {
            json!({ "id": name, "name": name, "type": format!("n8n-nodes-base.{kind}"), "typeVersion": 1,
                "position": [0, 0], "parameters": { "url": "http://127.0.0.1:9/", "amount": 1 } })
        })
        .collect();
    let mut connections = serde_json::Map::new();
    for (from, to) in edges {
        let kinds = connections.entry(*from).or_insert_with(|| json!({ "main": [[]] }));
        kinds["main"][0].as_array_mut().unwrap().push(json!({ "node": to, "type": "main", "index": 0 }));
    }
    json!({ "name": "x", "nodes": nodes, "connections": connections }).to_string()
}

/// The disabled nodes of an imported case.
fn disabled(text: &str) -> Vec<String> {
    let Imported { flow, report } = import(text, None, "x").unwrap();
    let ids: Vec<_> = flow.nodes.iter().filter(|(_, node)| node.disabled).map(|(id, _)| id.clone()).collect();
    for id in &ids {
        let node = report.nodes.iter().find(|node| node.nodes.contains(id)).unwrap();
        assert!(node.lost.iter().any(|lost| lost.contains("disabled here")), "{node:?}");
    }
    ids.iter().map(ToString::to_string).collect()
}

#[test]
fn triggers_are_ways_in_and_what_none_of_them_starts_is_disabled() {
    let nodes = [
        ("Chat", "manualTrigger"),
        ("Night", "scheduleTrigger"),
        ("Both", "httpRequest"),
        ("Nightly", "httpRequest"),
        ("Old", "httpRequest"),
        ("Memo", "stickyNote"),
    ];
    let edges = [("Chat", "Both"), ("Night", "Both"), ("Night", "Nightly")];
    assert_eq!(disabled(&workflow(&nodes, &edges)), ["old"]);
    let Imported { mut flow, report } = import(&workflow(&nodes, &edges), None, "x").unwrap();
    assert_eq!(flow.trigger().unwrap().as_str(), "chat");
    let passed = |flow: &flow::Flow| -> BTreeSet<String> {
        flow.disabled_nodes().into_iter().map(ToString::to_string).collect()
    };
    assert_eq!(passed(&flow), ["night", "nightly", "old"].map(str::to_owned).into());
    assert!(flow.choose_trigger(&"night".into()));
    assert_eq!(passed(&flow), ["chat", "old"].map(str::to_owned).into());
    assert!(
        report
            .nodes
            .iter()
            .filter(|node| node.name != "Old")
            .all(|node| !node.lost.concat().contains("disabled"))
    );
    // A part of a workflow has no trigger, so nothing is known of what starts it.
    assert!(disabled(&workflow(&nodes[2..], &edges[..0])).is_empty());
}

#[test]
fn nodes_that_no_start_of_dify_or_an_agentflow_reaches_are_disabled() {
    let request = |id: &str| json!({ "id": id, "data": { "type": "http-request", "title": id, "method": "get", "url": "http://127.0.0.1:9/" } });
    let dify = |start: &str| {
        let nodes =
            [json!({ "id": "s", "data": { "type": start, "title": "s" } }), request("used"), request("old")];
        let graph = json!({ "nodes": nodes, "edges": [{ "source": "s", "target": "used" }] });
        json!({ "kind": "app", "app": { "mode": "workflow" }, "workflow": { "graph": graph } }).to_string()
    };
    let request = |id: &str| {
        let inputs = json!({ "method": "GET", "url": "http://127.0.0.1:9/" });
        json!({ "id": id, "data": { "name": "httpAgentflow", "label": id, "inputs": inputs } })
    };
    let start = json!({ "id": "s", "data": { "name": "startAgentflow", "label": "s", "inputs": {} } });
    let edge = json!({ "source": "s", "target": "used", "sourceHandle": "s-output-startAgentflow", "targetHandle": "used" });
    let agentflow = json!({ "nodes": [start, request("used"), request("old")], "edges": [edge] }).to_string();
    assert_eq!(
        (disabled(&dify("start")), disabled(&agentflow)),
        (vec!["old".to_owned()], vec!["old".to_owned()])
    );
    assert_eq!(disabled(&dify("trigger-webhook")), ["old"]);
    // A part of a flow has no start.
    assert!(disabled(&dify("code")).is_empty());
}

/// The inputs that placeholders for lost edges out of the node `Check` lead to.
fn held_after_check(flow: &flow::Flow) -> Vec<String> {
    let is_held = |edge: &&flow::Edge| flow.nodes[&edge.source].title.as_deref() == Some("After Check");
    let into = flow.edges.values().filter(is_held);
    into.map(|edge| format!("{}.{}", edge.target, edge.target_input)).collect()
}

#[test]
fn edges_of_order_that_are_kept_hold_up_nothing() {
    let chain =
        [("Start", "manualTrigger"), ("Create", "httpRequest"), ("Wait", "wait"), ("Fetch", "httpRequest")];
    let edges = [("Start", "Create"), ("Create", "Wait"), ("Wait", "Fetch")];
    let held = |document: &str| held_after_check(&import(document, None, "x").unwrap().flow);
    assert_eq!(held(&workflow(&chain, &edges)), [""; 0]);
    let cycle = include_str!("../../../tests/fixtures/import/n8n/cycle-list.json");
    assert_eq!(held(cycle), [""; 0]);
}

#[test]
fn lost_edge_of_order_holds_up_its_node_until_the_placeholder_is_deleted() {
    // What comes back is a reply, and what begins is a message: no cycle of Plait.
    let nodes = [("Start", "chatTrigger"), ("Create", "wait"), ("Ask", "httpRequest"), ("Check", "noOp")];
    let edges = [("Start", "Create"), ("Create", "Ask"), ("Ask", "Check"), ("Check", "Create")];
    let Imported { mut flow, report } = import(&workflow(&nodes, &edges), None, "x").unwrap();
    assert_eq!(report.lost_edges().map(|(edge, _)| edge.source.as_str()).collect::<Vec<_>>(), ["Check"]);
    assert_eq!(held_after_check(&flow), ["create.after"]);
    let create = report.nodes.iter().find(|node| node.name == "Create").unwrap();
    assert_eq!(create.outcome, ImportOutcome::Placeholder);
    assert!(create.lost.concat().contains("The edge from “Check” is not in the flow"), "{create:?}");
    let errors = |flow: &flow::Flow| -> Vec<String> {
        let found = check(flow, &registry()).diagnostics;
        found.iter().filter(|one| one.severity == Severity::Error).map(|one| one.code.to_string()).collect()
    };
    assert_eq!(errors(&flow), ["import.placeholder"]);
    let held: Vec<_> = flow.nodes.iter().filter(|(_, node)| node.node_type == "placeholder").collect();
    let held = held[0].0.clone();
    flow.nodes.remove(&held);
    flow.edges.retain(|_, edge| edge.source != held);
    assert_eq!(errors(&flow), [""; 0]);
}

#[test]
fn part_of_nodes_inside_and_outside_of_a_loop_is_outside() {
    let node = |name: &str, kind: &str| json!({ "name": name, "type": kind, "typeVersion": 3, "position": [0, 0], "parameters": {} });
    let nodes = [
        node("Chat", "@n8n/n8n-nodes-langchain.chatTrigger"),
        node("Night", "n8n-nodes-base.scheduleTrigger"),
        node("Each", "n8n-nodes-base.splitInBatches"),
        node("Store", "@n8n/n8n-nodes-langchain.vectorStoreInMemory"),
        node("Ask", "@n8n/n8n-nodes-langchain.chainRetrievalQa"),
        node("Search", "@n8n/n8n-nodes-langchain.retrieverVectorStore"),
        node("Embeddings", "@n8n/n8n-nodes-langchain.embeddingsOpenAi"),
        node("Splitter", "@n8n/n8n-nodes-langchain.textSplitterTokenSplitter"),
    ];
    let to = |name: &str, kind: &str| json!([{ "node": name, "type": kind, "index": 0 }]);
    let main = |name: &str| to(name, "main");
    let embeddings = json!([[to("Store", "ai_embedding")[0], to("Search", "ai_embedding")[0]]]);
    let connections = json!({
        "Chat": { "main": [main("Ask")] },
        "Night": { "main": [main("Each")] },
        "Each": { "main": [[], main("Store")] },
        "Store": { "main": [main("Each")] },
        "Search": { "ai_retriever": [to("Ask", "ai_retriever")] },
        "Splitter": { "ai_textSplitter": [to("Store", "ai_textSplitter")] },
        "Embeddings": { "ai_embedding": embeddings },
    });
    let file = json!({ "nodes": nodes, "connections": connections }).to_string();
    let flow = import(&file, None, "x").unwrap().flow;
    let parent = |id: &str| flow.nodes[id].parent.as_ref().map(ToString::to_string);
    assert_eq!((parent("store"), parent("splitter")), (Some("each".to_owned()), Some("each".to_owned())));
    assert_eq!((parent("search"), parent("embeddings")), (None, None));
    for trigger in ["chat", "night"] {
        let mut flow = flow.clone();
        assert!(flow.choose_trigger(&trigger.into()));
        let found = check(&flow, &registry()).diagnostics;
        let codes =
            found.iter().filter(|one| one.severity == Severity::Error).map(|one| one.code.to_string());
        let others: Vec<String> = codes.filter(|code| code != "import.placeholder").collect();
        assert_eq!(others, [""; 0], "{trigger}");
    }
}

#[test]
fn names_that_not_every_machine_has_are_marked() {
    let app = |provider: &str| {
        let model = json!({ "provider": provider, "name": "m", "mode": "chat", "completion_params": {} });
        let graph = json!({
            "nodes": [
                { "id": "s", "data": { "type": "start", "title": "Start", "variables": [] } },
                { "id": "k", "data": { "type": "knowledge-retrieval", "title": "Handbook", "query_variable_selector": ["sys", "query"] } },
                { "id": "l", "data": { "type": "llm", "title": "Ask", "model": model, "prompt_template": [{ "role": "user", "text": "{{#k.result#}}" }] } },
            ],
            "edges": [{ "source": "s", "target": "k" }, { "source": "k", "target": "l" }],
        });
        json!({ "kind": "app", "app": { "mode": "advanced-chat", "name": "x" }, "workflow": { "graph": graph } }).to_string()
    };
    let stands_for =
        |node: &str, name: &str| (node.to_owned(), vec![Unconfirmed::StandsFor { name: name.to_owned() }]);
    assert_eq!(marks(&app("langgenius/openai/openai")), [stands_for("handbook", "Handbook")]);
    let other = [stands_for("ask-context", "tongyi"), stands_for("handbook", "Handbook")];
    assert_eq!(marks(&app("langgenius/tongyi/tongyi")), other);
}

#[test]
fn unknown_files_have_coded_errors() {
    let code = |text: &str| import(text, None, "x").unwrap_err().code;
    assert_eq!(code("").as_str(), "import.unreadable");
    assert_eq!(code("{").as_str(), "import.unreadable");
    assert_eq!(code("{}").as_str(), "import.unknown_format");
    assert_eq!(code("a: &x 1\nb: *x").as_str(), "import.unreadable");
    assert_eq!(code(&"[".repeat(1000)).as_str(), "import.too_large");
    for format in Format::ALL {
        let error = import("{}", Some(format), "x").unwrap_err();
        assert_eq!(error.code.as_str(), "import.wrong_shape", "{format:?}");
    }
}

#[test]
fn errors_of_syntax_have_their_place() {
    let error = import("{\n  \"nodes\": [,]\n}", None, "x").unwrap_err();
    assert!(error.message.contains("line 2, column 13"), "{}", error.message);
    let error = import("app:\n\tmode: chat", None, "x").unwrap_err();
    assert!(error.message.contains("(line 2, column 2)"), "{}", error.message);
}

#[test]
fn secrets_stay_out_of_flows() {
    for format in Format::ALL {
        for file in fixtures(format) {
            let text = std::fs::read_to_string(&file).unwrap();
            let written = flow::write(&import(&text, None, "x").unwrap().flow).unwrap();
            for secret in ["a-very-secret-value", "hidden-word"] {
                assert!(!written.contains(secret), "{}", file.display());
            }
        }
    }
}
