use super::*;
use crate::flows::check::check_with_subflows;
use crate::flows::runnable::{NEVER_RUNS, RunnableFlow};
use plait_core::config::ConfigValues;
use plait_core::diagnostic::Severity;
use plait_core::flow;
use serde_json::json;

fn installed() -> Installed {
    let names = |names: &[&str]| Some(names.iter().map(|name| (*name).to_owned()).collect());
    Installed {
        servers_fault: None,
        config: ConfigValues::new(),
        providers: names(&["mine", "offline"]),
        servers: names(&["files"]),
        bases: names(&["handbook"]),
        simulates: true,
    }
}

/// The severity, place and code of each problem that `check` finds. What a run refuses is the same.
fn problems(document: &Value) -> Vec<(Severity, String, String)> {
    let flow = flow::read(&document.to_string()).unwrap();
    let registry = plait_nodes::registry();
    let found = check_with_subflows(&flow, None, &registry, &installed()).diagnostics;
    let refused = RunnableFlow::check(&flow, None, &registry, &installed(), None, &BTreeMap::new());
    let has_error = found.iter().any(|one| one.severity == Severity::Error);
    assert_eq!(refused.is_err(), has_error, "{refused:?} {found:?}");
    found.into_iter().map(|one| (one.severity, one.pointer, one.code.to_string())).collect()
}

fn edge(source: &str, output: &str, target: &str, input: &str) -> Value {
    json!({ "source": source, "sourceOutput": output, "target": target, "targetInput": input })
}

fn chat(context: &Value, chat: &Value, tools: &Value) -> Value {
    json!({ "version": 1, "nodes": {
        "m": { "type": "manualInput" },
        "c": { "type": "contextStart", "config": context },
        "t": tools,
        "a": { "type": "chat", "config": chat },
    }, "edges": {
        "1": edge("c", "context", "a", "context"),
        "2": edge("m", "value", "a", "message"),
        "3": edge("t", "tools", "a", "tools"),
    } })
}

fn error(place: &str, code: &str) -> Vec<(Severity, String, String)> {
    vec![(Severity::Error, place.to_owned(), code.to_owned())]
}

#[test]
fn memory_tool_without_memory_is_refused() {
    let tools = json!({ "type": "tools", "config": { "tools": ["calculator", "get_workflow_context"] } });
    let mut document = chat(&json!({}), &json!({}), &tools);
    assert_eq!(problems(&document), error("/nodes/t/config/tools/1", "memory.off"));
    document["nodes"]["a"]["config"] = json!({ "memory": { "mode": "read" } });
    assert_eq!(problems(&document), []);
    document["nodes"]["a"]["config"] = json!({});
    document["settings"] = json!({ "memory": { "mode": "readWrite" } });
    assert_eq!(problems(&document), []);
}

#[test]
fn names_that_are_not_there_are_refused() {
    let server = |name: &str| json!({ "type": "mcpServer", "config": { "server": name } });
    let plain = json!({});
    assert_eq!(problems(&chat(&plain, &plain, &server("files"))), []);
    assert_eq!(
        problems(&chat(&plain, &plain, &server("file"))),
        error("/nodes/t/config/server", "mcp.unknown_server")
    );
    assert_eq!(
        problems(&chat(&plain, &plain, &server(""))),
        error("/nodes/t/config/server", "config.incomplete")
    );
    let calculator = json!({ "type": "tools", "config": { "tools": ["calculator"] } });
    let knowledge = json!({ "knowledge": { "bases": ["handbook", "gone"] } });
    assert_eq!(
        problems(&chat(&plain, &knowledge, &calculator)),
        error("/nodes/a/config/knowledge/bases/1", "knowledge.unknown")
    );
    let options = json!({ "type": "tools", "config": { "tools": ["calculator"], "perTool": { "code": { "attempts": 2 } } } });
    assert_eq!(
        problems(&chat(&plain, &plain, &options)),
        error("/nodes/t/config/perTool/code", "tools.unknown")
    );
    // A flow that handles the failure runs.
    let mut handled = chat(&plain, &plain, &server("file"));
    handled["nodes"]["k"] = json!({ "type": "catch", "config": { "fallback": 1 } });
    handled["edges"]["4"] = edge("t", "error", "k", "error");
    assert_eq!(problems(&handled)[0].0, Severity::Warning);
}

#[test]
fn nodes_of_an_import_stand_for_what_is_not_there() {
    let calculator = json!({ "type": "tools", "config": { "tools": ["calculator"] } });
    let mut flow = chat(&json!({ "provider": "tongyi", "model": "m" }), &json!({}), &calculator);
    flow["nodes"]["c"]["unconfirmed"] = json!([{ "kind": "standsFor", "name": "tongyi" }]);
    assert_eq!(problems(&flow), error("/nodes/c/config/provider", "import.placeholder"));
    // Another provider that is not there, which the person chose.
    flow["nodes"]["c"]["config"]["provider"] = json!("gone");
    assert_eq!(problems(&flow), error("/nodes/c/config/provider", "provider.unknown"));
    flow["nodes"]["c"]["config"]["provider"] = json!("mine");
    assert_eq!(problems(&flow), []);
}

#[test]
fn models_that_cannot_be_called_are_refused_where_they_are_called() {
    let calculator = json!({ "type": "tools", "config": { "tools": ["calculator"] } });
    let problems = |context: Value, own: Value| problems(&chat(&context, &own, &calculator));
    let context = "/nodes/c/config/provider";
    assert_eq!(problems(json!({ "provider": "mine", "model": "m" }), json!({})), []);
    assert_eq!(
        problems(json!({ "provider": "gone", "model": "m" }), json!({})),
        error(context, "provider.unknown")
    );
    assert_eq!(problems(json!({ "model": "m" }), json!({})), error(context, "provider.not_found"));
    // Nobody calls it.
    let warned = problems(
        json!({ "provider": "gone", "model": "m" }),
        json!({ "overrideProvider": "mine", "overrideModel": "m" }),
    );
    assert_eq!(warned, [(Severity::Warning, context.to_owned(), "provider.unknown".to_owned())]);
    let own = "/nodes/a/config/overrideProvider";
    assert_eq!(problems(json!({}), json!({ "overrideProvider": "mine" })), error(own, "model.none"));
    assert_eq!(
        problems(json!({}), json!({ "overrideProvider": "gone", "overrideModel": "m" })),
        error(own, "provider.unknown")
    );
}

/// A flow for each problem, and the problem's code.
fn flows_that_never_run() -> Vec<(ErrorCode, Value)> {
    let plain = json!({});
    let calculator = json!({ "type": "tools", "config": { "tools": ["calculator"] } });
    let server = json!({ "type": "mcpServer", "config": { "server": "gone" } });
    let mut imported = server.clone();
    imported["unconfirmed"] = json!([{ "kind": "standsFor", "name": "gone" }]);
    let memory = json!({ "type": "tools", "config": { "tools": ["get_workflow_context"] } });
    let tool = json!({ "type": "tools", "config": { "tools": ["gone"] } });
    let with = |own: Value| chat(&json!({}), &own, &calculator);
    vec![
        (codes::TOOLS_UNKNOWN, chat(&plain, &plain, &tool)),
        (codes::MCP_UNKNOWN_SERVER, chat(&plain, &plain, &server)),
        (codes::KNOWLEDGE_UNKNOWN, with(json!({ "knowledge": { "bases": ["gone"] } }))),
        (codes::PROVIDER_UNKNOWN, with(json!({ "overrideProvider": "gone", "overrideModel": "m" }))),
        (codes::MODEL_NONE, with(json!({ "overrideProvider": "mine" }))),
        (codes::PROVIDER_NOT_FOUND, with(json!({ "overrideModel": "gone" }))),
        (codes::MEMORY_OFF, chat(&plain, &plain, &memory)),
        (codes::IMPORT_PLACEHOLDER, chat(&plain, &plain, &imported)),
    ]
}

/// What is refused in a flow is refused in a flow inside, too: by the check and by a run.
#[test]
fn flows_inside_are_refused_as_the_flow_itself() {
    let flows = flows_that_never_run();
    let codes: BTreeSet<String> = flows.iter().map(|(code, _)| code.to_string()).collect();
    let reported = NEVER_RUNS.map(|code| code.to_string());
    assert_eq!(codes, BTreeSet::from(reported), "each code has a flow");
    for (code, document) in flows {
        let own = problems(&document);
        assert!(
            own.iter()
                .any(|(severity, _, found)| (*severity, found.as_str()) == (Severity::Error, code.as_str())),
            "{own:?}"
        );
        let outer = json!({ "version": 1, "nodes": {
            "v": { "type": "value", "config": { "value": "Hello" } },
            "s": { "type": "subflow", "config": { "flow": document, "inputSource": "nodeOutput" } },
        }, "edges": { "1": edge("v", "value", "s", "value") } });
        let inside = problems(&outer);
        assert!(inside.iter().any(|(_, _, found)| *found == code.to_string()), "{inside:?}");
    }
}

#[test]
fn changed_models_are_checked_where_they_are_set() {
    let flow = |context: Value, set: &Value, own: &Value| {
        let mut flow =
            chat(&context, own, &json!({ "type": "tools", "config": { "tools": ["calculator"] } }));
        flow["nodes"]["s"] = json!({ "type": "setContext", "config": set });
        let edges = flow["edges"].as_object_mut().unwrap();
        for edge in edges.values_mut().filter(|edge| edge["source"] == "c" && edge["target"] == "a") {
            edge["target"] = json!("s");
        }
        edges.insert("s".to_owned(), edge("s", "context", "a", "context"));
        problems(&flow)
    };
    let plain = json!({});
    assert_eq!(flow(json!({}), &json!({ "provider": "mine", "model": "m" }), &plain), []);
    let set = json!({ "provider": "gone", "model": "m" });
    assert_eq!(flow(json!({}), &set, &plain), error("/nodes/s/config/provider", "provider.unknown"));
    // The chat calls the model that is set, whatever the context began with.
    let begun = flow(
        json!({ "provider": "gone", "model": "m" }),
        &json!({ "provider": "mine", "model": "m" }),
        &plain,
    );
    assert_eq!(
        begun,
        [(Severity::Warning, "/nodes/c/config/provider".to_owned(), "provider.unknown".to_owned())]
    );
    let own = json!({ "overrideProvider": "gone", "overrideModel": "m" });
    let set = json!({ "provider": "mine", "model": "m" });
    assert_eq!(flow(json!({}), &set, &own), error("/nodes/a/config/overrideProvider", "provider.unknown"));
}

#[test]
fn context_whose_model_no_node_changes_is_checked_beside_one_that_changes() {
    let document = json!({ "version": 1, "nodes": {
        "m": { "type": "manualInput" },
        "c": { "type": "contextStart", "config": { "provider": "gone", "model": "m" } },
        "a": { "type": "chat" },
        "n": { "type": "newContext" },
        "s": { "type": "setContext", "config": { "provider": "mine", "model": "m" } },
        "b": { "type": "chat" },
    }, "edges": {
        "1": edge("c", "context", "a", "context"),
        "2": edge("m", "value", "a", "message"),
        "3": edge("n", "context", "s", "context"),
        "4": edge("s", "context", "b", "context"),
        "5": edge("m", "value", "b", "message"),
    } });
    assert_eq!(problems(&document), error("/nodes/c/config/provider", "provider.unknown"));
}

#[test]
fn settings_of_the_application_count_as_in_a_run() {
    let mut here = installed();
    here.config = ConfigValues::from([
        ("agent.provider".to_owned(), json!("gone")),
        ("agent.model".to_owned(), json!("m")),
        ("memory.recentTurns".to_owned(), json!(3)),
        ("history_management.strategy".to_owned(), json!("truncate_turns")),
    ]);
    let document = json!({ "version": 1, "nodes": {
        "m": { "type": "manualInput" },
        "n": { "type": "newContext" },
        "l": { "type": "loop", "config": { "kind": "times", "conversation": true, "history_management": { "max_turns": 3 } } },
        "a": { "type": "chat", "parent": "l" },
    }, "edges": {
        "1": edge("n", "context", "a", "context"),
        "2": edge("m", "value", "a", "message"),
        "3": edge("a", "response", "l", "next"),
    } });
    let flow = flow::read(&document.to_string()).unwrap();
    let found = check_with_subflows(&flow, None, &plait_nodes::registry(), &here).diagnostics;
    let found: Vec<_> = found.iter().map(|one| (one.pointer.as_str(), one.code.as_str())).collect();
    assert_eq!(found, [("/nodes/n/config/provider", "provider.unknown")]);
}
