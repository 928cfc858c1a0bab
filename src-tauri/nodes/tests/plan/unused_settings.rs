//! Settings without effect: which combinations `check` warns of, and that each setting of each node type was thought of.

mod coverage;

use plait_core::diagnostic::Severity;
use plait_core::flow;
use plait_nodes::registry;
use plait_run::plan::check;
use serde_json::{Value, json};

/// The places of the warnings about a flow. Any other diagnostic than `config.no_effect` is an error of the test.
fn unused(document: &Value) -> Vec<String> {
    let flow = flow::read(&document.to_string()).unwrap();
    let mut found = check(&flow, &registry()).diagnostics;
    let others = ["history.template_ignored", "loop.no_exit", "loop.unused_limit", "context.unordered"];
    found.retain(|found| !others.contains(&found.code.as_str()));
    assert!(found.iter().all(|found| found.code.as_str() == "config.no_effect"), "{found:#?}");
    assert!(found.iter().all(|found| found.severity == Severity::Warning), "{found:#?}");
    found.into_iter().map(|found| found.pointer).collect()
}

fn edge(source: &str, output: &str, target: &str, input: &str) -> Value {
    json!({ "source": source, "sourceOutput": output, "target": target, "targetInput": input })
}

/// A flow of one node `n`, with a context, tools and a text that can be connected to it.
fn around(node_type: &str, config: &Value, fed: &[&str]) -> Value {
    let mut edges = serde_json::Map::new();
    for input in fed {
        let (source, output) = match *input {
            "context" => ("c", "context"),
            "tools" => ("t", "tools"),
            "error" => ("x", "error"),
            _ => ("x", "text"),
        };
        edges.insert((*input).to_owned(), edge(source, output, "n", input));
    }
    json!({ "version": 1, "nodes": {
        "c": { "type": "contextStart" },
        "t": { "type": "tools" },
        "x": { "type": "text", "config": { "template": "Hello" } },
        "n": { "type": node_type, "config": config },
    }, "edges": edges })
}

/// A flow of a loop `l` with this config, around an agent `a` and a question `q` before it.
fn in_loop(config: &Value) -> Value {
    json!({ "version": 1, "nodes": {
        "c": { "type": "contextStart" },
        "m": { "type": "manualInput" },
        "l": { "type": "loop", "config": config },
        "q": { "type": "userInput", "parent": "l" },
        "a": { "type": "chat", "parent": "l" },
    }, "edges": {
        "1": edge("m", "value", "l", "input"),
        "2": edge("c", "context", "a", "context"),
        "3": edge("q", "message", "a", "message"),
        "4": edge("a", "response", "l", "next"),
    } })
}

#[test]
fn unknown_keys_of_the_limits_and_the_memory_of_a_flow_are_reported_and_kept() {
    let settings = json!({
        "limits": { "maxRuns": 3, "maxRun": 5 },
        "memory": { "mode": "readWrite", "recentTurn": 4 },
    });
    let text = json!({
        "version": 1, "name": "f",
        "nodes": { "v": { "type": "value", "config": { "value": 1 } } }, "edges": {}, "settings": settings,
    });
    let flow = flow::read(&text.to_string()).unwrap();
    let found = check(&flow, &registry()).diagnostics;
    let unknown: Vec<_> = found.iter().filter(|one| one.message.contains("knows no such key")).collect();
    let places: Vec<_> = unknown.iter().map(|one| one.pointer.as_str()).collect();
    assert_eq!(places, ["/settings/limits/maxRun", "/settings/memory/recentTurn"], "{found:#?}");
    assert!(unknown[0].hint.as_ref().unwrap().contains("maxRuns"), "{unknown:#?}");
    let written: Value = serde_json::from_str(&flow::write(&flow).unwrap()).unwrap();
    assert_eq!(written["settings"], settings, "saving loses nothing");
}

#[test]
#[expect(clippy::too_many_lines, reason = "a table of cases")]
fn settings_of_a_node_that_nothing_reads_are_reported() {
    let schema = json!({ "type": "string", "examples": ["x"] });
    let cases: &[(&str, Value, &[&str], &[&str])] = &[
        (
            "chat",
            json!({ "use_history": true, "pinned": true }),
            &["context", "message"],
            &["/pinned", "/use_history"],
        ),
        ("chat", json!({ "use_history": false }), &["context", "message"], &["/use_history"]),
        ("chat", json!({ "pinned": false, "maxToolRounds": 3 }), &["context", "message", "tools"], &[]),
        ("chat", json!({ "maxToolRounds": 3 }), &["context", "message"], &["/maxToolRounds"]),
        (
            "chat",
            json!({ "memory": { "label": "A", "recentTurns": 3, "summarizer": { "model": "echo" } } }),
            &["context", "message"],
            &["/memory/label", "/memory/recentTurns", "/memory/summarizer"],
        ),
        (
            "chat",
            json!({ "memory": { "mode": "read", "label": "A", "recentTurns": 3 } }),
            &["context", "message"],
            &["/memory/label"],
        ),
        (
            "chat",
            json!({ "memory": { "mode": "readWrite", "label": "A", "recentTurns": 13 } }),
            &["context", "message"],
            &["/memory/recentTurns"],
        ),
        (
            "chat",
            json!({ "knowledge": { "maxTokens": 5 }, "blocks": { "caps": { "retrieval": 5, "tools": 5, "memory": 5, "partner": 5 } } }),
            &["context", "message"],
            &["/blocks/caps/memory", "/blocks/caps/retrieval", "/blocks/caps/tools", "/knowledge/maxTokens"],
        ),
        (
            "chat",
            json!({ "knowledge": { "folder": "docs" }, "blocks": { "order": ["partner"], "caps": { "tools": 5 } } }),
            &["context", "message", "tools"],
            &["/blocks/caps/tools", "/knowledge"],
        ),
        (
            "chat",
            json!({ "knowledge": { "folder": "docs", "maxTokens": 5 }, "blocks": { "caps": { "retrieval": 5 } } }),
            &["context", "message"],
            &[],
        ),
        (
            "classify",
            json!({ "addToHistory": true, "use_history": true, "knowledge": { "maxTokens": 5 } }),
            &["message"],
            &["/addToHistory", "/knowledge/maxTokens", "/use_history"],
        ),
        ("classify", json!({ "addToHistory": true }), &["message", "context"], &[]),
        (
            "extract",
            json!({ "withHistory": true, "addToHistory": true, "pinned": true, "knowledge": { "maxTokens": 5 } }),
            &["text"],
            &["/addToHistory", "/knowledge/maxTokens", "/pinned", "/withHistory"],
        ),
        (
            "userInput",
            json!({ "pinned": true, "placeholder": "x", "schema": schema }),
            &[],
            &["/pinned", "/placeholder"],
        ),
        ("userInput", json!({ "placeholder": "x", "schema": { "type": "string" } }), &[], &[]),
        ("approval", json!({ "pinned": true }), &[], &["/pinned"]),
        (
            "contextStart",
            json!({ "contextId": "side", "conversation": { "maxMessages": 5 } }),
            &[],
            &["/conversation"],
        ),
        ("contextStart", json!({ "contextId": "main2", "conversation": {} }), &[], &[]),
        ("newContext", json!({ "copyHistory": true }), &[], &["/copyHistory"]),
        ("newContext", json!({ "copyHistory": true }), &["context"], &[]),
        (
            "mcpServer",
            json!({ "server": "s", "tools": ["a"], "instructions": { "a": "x", "b/c": "y" } }),
            &[],
            &["/instructions/b~1c"],
        ),
        (
            "callTool",
            json!({ "tool": "calculator", "provider": "offline", "model": "echo" }),
            &[],
            &["/model", "/provider"],
        ),
        ("callTool", json!({ "tool": "calculator", "model": "echo" }), &["tools"], &[]),
        ("readFile", json!({ "path": "a.md" }), &["path"], &["/path"]),
        ("readFile", json!({ "path": "a.md" }), &[], &[]),
        ("catch", json!({ "fallback": 1, "template": "{{code}}" }), &["error", "value"], &["/fallback"]),
        ("catch", json!({ "fallback": 1 }), &["value"], &["/fallback"]),
        ("catch", json!({ "fallback": 1 }), &["error", "value"], &[]),
        ("remember", json!({ "kind": "fact", "name": "Trip" }), &["value"], &["/name"]),
        ("remember", json!({ "kind": "procedure", "name": "Trip" }), &["value"], &[]),
        (
            "subflow",
            json!({ "flow": { "version": 1, "nodes": {} }, "sourceNodeId": "x", "mapping": [{ "from": "a", "to": "input" }] }),
            &["context"],
            &["/mapping", "/sourceNodeId"],
        ),
        (
            "subflow",
            json!({ "flow": { "version": 1, "nodes": {} }, "source_output": "text" }),
            &["context"],
            &["/source_output"],
        ),
        (
            "subflow",
            json!({ "flow": { "version": 1, "nodes": {} }, "inputSource": "nodeOutput", "sourceOutput": "text" }),
            &["value"],
            &["/sourceOutput"],
        ),
        (
            "subflow",
            json!({ "flow": { "version": 1, "nodes": {} }, "inputSource": "nodeOutput", "sourceNodeId": "x" }),
            &[],
            &[],
        ),
        (
            "switch",
            json!({ "cases": [{ "name": "a", "equals": 1 }, { "name": "b", "equals": 1 }, { "name": "c", "equals": 2 }] }),
            &["value"],
            &["/cases/1/name"],
        ),
        (
            "tools",
            json!({ "tools": [], "openapi": { "baseUrl": "https://a.example", "document": null, "headers": { "X": "y" }, "operations": ["a"] } }),
            &[],
            &["/openapi/baseUrl", "/openapi/headers", "/openapi/operations"],
        ),
    ];
    for (node_type, config, fed, expected) in cases {
        let mut found = unused(&around(node_type, config, fed));
        found.sort();
        let expected: Vec<String> = expected.iter().map(|place| format!("/nodes/n/config{place}")).collect();
        assert_eq!(found, expected, "{node_type} {config}");
    }
}

#[test]
fn settings_of_a_loop_that_nothing_reads_are_reported() {
    let talk = |own: Value| {
        let mut config = json!({ "kind": "times", "times": 2, "conversation": true });
        config.as_object_mut().unwrap().extend(own.as_object().unwrap().clone());
        config
    };
    let history = |own: Value| talk(json!({ "history_management": own }));
    let cases: &[(Value, &[&str])] = &[
        (
            json!({ "condition": "index < 2", "times": 3, "concurrency": 1, "on_error": "continue" }),
            &["/concurrency", "/on_error", "/times"],
        ),
        (json!({ "kind": "times", "times": 2, "condition": "index < 2" }), &["/condition"]),
        (
            json!({ "kind": "times", "history_management": { "strategy": "truncate_turns" }, "ai_turn_source": "all_agents",
                 "named_steps": ["a"], "user_turn_sources": ["hitl"], "history_template": "{{#each history}}{{this.content}}\n{{/each}}",
                 "init": { "history": { "start_with": { "prefix": "User: " } } } }),
            &[
                "/ai_turn_source",
                "/history_management",
                "/history_template",
                "/init",
                "/named_steps",
                "/user_turn_sources",
            ],
        ),
        (
            history(json!({ "strategy": "truncate_tokens", "max_turns": 3, "summarize_ratio": 0.4 })),
            &["/history_management/max_turns", "/history_management/summarize_ratio"],
        ),
        (history(json!({ "max_turns": 3 })), &["/history_management/max_turns"]),
        (
            history(json!({ "strategy": "truncate_turns", "max_tokens": 3, "max_turns": 3 })),
            &["/history_management/max_tokens"],
        ),
        (
            history(
                json!({ "strategy": "summarize", "max_tokens": 3, "max_turns": 3, "summarize_ratio": 0.4 }),
            ),
            &[],
        ),
        (
            history(json!({ "strategy": "summarize", "summarize_ratio": 1.5 })),
            &["/history_management/summarize_ratio"],
        ),
        (
            history(json!({ "strategy": "summarize", "summarize_ratio": 0 })),
            &["/history_management/summarize_ratio"],
        ),
        (talk(json!({ "named_steps": ["a"] })), &["/named_steps"]),
        (talk(json!({ "ai_turn_source": "named_steps", "named_steps": ["a"] })), &[]),
        (talk(json!({ "user_turn_sources": ["named_steps"], "named_steps": ["q"] })), &[]),
        (talk(json!({ "ai_turn_source": "named_steps", "named_steps": ["a", "q"] })), &["/named_steps/1"]),
        (
            talk(
                json!({ "init": { "history": { "start_with": { "from_initial_input": false, "prefix": "U: " } } } }),
            ),
            &["/init/history/start_with/prefix", "/init/history/start_with/prefix"],
        ),
        (talk(json!({ "user_turn_sources": ["hitl"], "ai_turn_source": "all_agents" })), &[]),
    ];
    for (config, expected) in cases {
        let mut found = unused(&in_loop(config));
        found.sort();
        let expected: Vec<String> = expected.iter().map(|place| format!("/nodes/l/config{place}")).collect();
        assert_eq!(found, expected, "{config}");
    }
}

#[test]
fn body_whose_end_adds_no_turn_is_reported() {
    // The question stands at the end.
    let mut document = in_loop(&json!({ "kind": "times", "times": 2, "conversation": true }));
    document["edges"]["3"] = edge("a", "response", "q", "in");
    document["edges"]["4"] = edge("q", "message", "l", "next");
    document["edges"]["5"] = edge("l", "previous", "a", "message");
    assert_eq!(unused(&document), ["/nodes/l/config/ai_turn_source"]);
    document["nodes"]["l"]["config"]["ai_turn_source"] = json!("all_agents");
    assert_eq!(unused(&document), [""; 0]);
    // Nobody hears the history.
    document["nodes"].as_object_mut().unwrap().remove("a");
    document["edges"] =
        json!({ "1": edge("m", "value", "l", "input"), "4": edge("q", "message", "l", "next") });
    assert_eq!(unused(&document), ["/nodes/l/config/conversation"]);
}

#[test]
fn pin_of_what_is_no_turn_and_sources_without_people_are_reported() {
    let mut document = in_loop(&json!({
        "kind": "times", "times": 2, "conversation": true, "ai_turn_source": "named_steps", "named_steps": ["b"],
        "user_turn_sources": ["hitl"],
    }));
    document["nodes"]["b"] = json!({ "type": "chat", "parent": "l" });
    document["nodes"]["d"] = json!({ "type": "newContext" });
    document["edges"]["5"] = edge("a", "response", "b", "message");
    document["edges"]["6"] = edge("d", "context", "b", "context");
    document["nodes"]["a"]["config"] = json!({ "pinned": true, "use_history": true });
    document["nodes"]["b"]["config"] = json!({ "pinned": true, "use_history": false });
    document["nodes"]["q"]["config"] = json!({ "pinned": true });
    assert_eq!(unused(&document), ["/nodes/a/config/pinned"]);
    document["nodes"].as_object_mut().unwrap().remove("q");
    document["edges"]["3"] = edge("l", "previous", "a", "message");
    document["nodes"]["a"]["config"] = json!({});
    assert_eq!(unused(&document), ["/nodes/l/config/user_turn_sources/0"]);
}

#[test]
fn prefix_without_an_input_and_steps_of_an_inner_conversation_are_reported() {
    let start = json!({ "history": { "start_with": { "from_initial_input": true, "prefix": "U: " } } });
    let mut document = in_loop(&json!({ "kind": "times", "times": 2, "conversation": true, "init": start }));
    document["nodes"]["a"]["config"] = json!({ "overrideProvider": "offline", "overrideModel": "prompt" });
    assert_eq!(unused(&document), [""; 0]);
    document["edges"].as_object_mut().unwrap().remove("1");
    let start = "/nodes/l/config/init/history/start_with";
    assert_eq!(unused(&document), [format!("{start}/from_initial_input"), format!("{start}/prefix")]);
    document["nodes"]["l"]["config"] = json!({
        "kind": "times", "times": 2, "conversation": true, "ai_turn_source": "named_steps", "named_steps": ["a", "i"],
    });
    document["nodes"]["k"] =
        json!({ "type": "loop", "parent": "l", "config": { "kind": "times", "conversation": true } });
    document["nodes"]["i"] = json!({ "type": "chat", "parent": "k" });
    document["nodes"]["d"] = json!({ "type": "newContext" });
    document["edges"]["6"] = edge("d", "context", "i", "context");
    document["edges"]["7"] = edge("q", "message", "i", "message");
    assert_eq!(unused(&document), ["/nodes/l/config/named_steps/1"]);
}

#[test]
fn wider_layers_decide_the_strategy() {
    let mut document =
        in_loop(&json!({ "kind": "times", "conversation": true, "history_management": { "max_turns": 3 } }));
    document["settings"] = json!({ "config": { "history_management.strategy": "truncate_turns" } });
    assert_eq!(unused(&document), [""; 0]);
    // What the flow sets for all loops is no setting of this one.
    document["settings"] = json!({ "config": { "history_management.max_tokens": 5 } });
    document["nodes"]["l"]["config"]["history_management"] = json!({ "strategy": "truncate_turns" });
    assert_eq!(unused(&document), ["/settings/config/history_management.max_tokens"]);
}

#[test]
fn history_that_no_node_gets_is_reported() {
    for node_type in ["chat", "classify", "extract"] {
        let mut document =
            in_loop(&json!({ "kind": "times", "conversation": true, "user_turn_sources": ["q"] }));
        document["nodes"]["a"] = json!({ "type": node_type, "parent": "l", "config": match node_type {
            "classify" => json!({ "classes": [{ "name": "yes" }] }),
            "extract" => json!({ "schema": { "type": "string" } }),
            _ => json!({}),
        } });
        let (input, output) = match node_type {
            "classify" => ("message", "yes"),
            "extract" => ("text", "value"),
            _ => ("message", "response"),
        };
        document["edges"]["3"] = edge("q", "message", "a", input);
        document["edges"]["4"] = edge("a", output, "l", "next");
        assert_eq!(unused(&document), [""; 0], "{node_type}");
        document["nodes"]["a"]["config"]["use_history"] = json!(false);
        assert_eq!(unused(&document), ["/nodes/l/config/conversation"], "{node_type}");
    }
}

#[test]
fn source_of_turns_whose_nodes_are_all_users_is_reported() {
    let config = json!({ "kind": "times", "conversation": true, "ai_turn_source": "all_agents", "user_turn_sources": ["a"] });
    let mut document = in_loop(&config);
    assert_eq!(unused(&document), ["/nodes/l/config/ai_turn_source"]);
    document["nodes"]["b"] = json!({ "type": "chat", "parent": "l" });
    document["edges"]["5"] = edge("a", "response", "b", "message");
    document["edges"]["6"] = edge("c", "context", "b", "context");
    assert_eq!(unused(&document), [""; 0]);
}

#[test]
fn agent_that_gets_another_history_takes_no_prefix_of_this_one() {
    let start = json!({ "history": { "start_with": { "prefix": "U: " } } });
    let mut document = in_loop(&json!({ "kind": "times", "conversation": true, "init": start }));
    let prompt_only = json!({ "overrideProvider": "offline", "overrideModel": "prompt" });
    document["nodes"]["b"] = json!({ "type": "chat", "parent": "l", "config": prompt_only });
    document["edges"]["5"] = edge("a", "response", "b", "message");
    document["edges"]["6"] = edge("c", "context", "b", "context");
    assert_eq!(unused(&document), [""; 0]);
    document["nodes"]["b"]["config"]["use_history"] = json!(false);
    let prefix = "/nodes/l/config/init/history/start_with/prefix";
    assert_eq!(unused(&document), [prefix]);
    document["nodes"]["b"]["config"] = prompt_only;
    document["nodes"]["b"]["parent"] = json!("k");
    document["nodes"]["k"] =
        json!({ "type": "loop", "parent": "l", "config": { "kind": "times", "conversation": true } });
    assert_eq!(unused(&document), [prefix]);
}

#[test]
fn settings_of_histories_that_no_loop_takes_from_the_flow_are_reported() {
    let names = ["strategy", "max_tokens", "max_turns", "summarize_ratio"];
    let values = [json!("summarize"), json!(100), json!(3), json!(0.4)];
    let all: serde_json::Map<String, Value> =
        names.iter().zip(values).map(|(name, value)| (format!("history_management.{name}"), value)).collect();
    let place = |name: &str| format!("/settings/config/history_management.{name}");
    let mut document = in_loop(&json!({ "kind": "times", "conversation": true }));
    document["settings"] = json!({ "config": all });
    assert_eq!(unused(&document), [""; 0]);
    document["nodes"]["l"]["config"]["history_management"] = json!({ "strategy": "truncate_turns" });
    assert_eq!(unused(&document), ["strategy", "max_tokens", "summarize_ratio"].map(place));
    document["nodes"]["l"]["config"] = json!({ "kind": "times" });
    assert_eq!(unused(&document), names.map(place));
}

#[test]
fn summarizer_of_the_flow_is_reported_where_each_loop_has_its_own() {
    let own = json!({ "strategy": "summarize", "summarizer_agent": "s" });
    let mut document = in_loop(&json!({ "kind": "times", "conversation": true, "history_management": own }));
    document["nodes"]["s"] = json!({ "type": "chat", "config": { "prompt": "Sum up." } });
    document["settings"] = json!({ "memory": { "summarizer": { "model": "echo" } } });
    assert_eq!(unused(&document), [""; 0], "the agent has no model of its own");
    document["nodes"]["s"]["config"]["overrideModel"] = json!("echo");
    assert_eq!(unused(&document), ["/settings/memory/summarizer"]);
}

#[test]
fn recalled_conversation_without_summary_reports_the_summarizer() {
    let document = json!({ "version": 1, "nodes": { "c": { "type": "contextStart", "config": {
        "conversation": { "strategy": "window", "keepRecent": 3, "provider": "offline", "model": "echo", "maxMessages": 7 },
    } } } });
    let place = "/nodes/c/config/conversation";
    assert_eq!(unused(&document), ["keepRecent", "provider", "model"].map(|name| format!("{place}/{name}")));
}

#[test]
fn agent_that_only_summarizes_reports_the_settings_of_a_step() {
    let mut document = in_loop(&json!({ "kind": "times", "conversation": true,
        "history_management": { "strategy": "summarize", "summarizer_agent": "s" } }));
    document["nodes"]["s"] = json!({ "type": "chat", "config": {
        "prompt": "Sum up.", "overrideModel": "echo", "temperature": 0, "maxTokens": 9, "responseSchema": { "type": "object" },
    } });
    assert_eq!(unused(&document), ["/nodes/s/config/responseSchema"]);
}

#[test]
fn limits_and_settings_of_the_flow_that_nothing_reads_are_reported() {
    let document = json!({ "version": 1,
        "nodes": { "v": { "type": "value", "config": { "value": 1 },
            "limits": { "maxEpochs": 3, "quota": { "tokens": 5 }, "timeout_ms": 5 },
            "retry": { "attempts": 1, "backoffMs": 7, "max_backoff_ms": 1 } } },
        "settings": { "maxConcurency": 3, "memory": { "recentTurns": 3, "summarizer": { "model": "echo" } } },
    });
    assert_eq!(
        unused(&document),
        [
            "/nodes/v/limits/maxEpochs",
            "/nodes/v/limits/quota",
            "/nodes/v/retry",
            "/nodes/v/limits/timeout_ms",
            "/nodes/v/retry/max_backoff_ms",
            "/settings/maxConcurency",
            "/settings/memory/recentTurns",
            "/settings/memory/summarizer",
        ]
    );
}
