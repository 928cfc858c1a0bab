use serde_json::json;

use crate::testing::NodeHarness;

#[test]
fn tools_node_offers_http_tools_with_instructions_and_policy() {
    let config = json!({
        "tools": ["calculator"],
        "http": [{ "name": "add_user", "method": "POST", "url": "https://api.test/users", "headers": { "X-Team": "{{team}}" } }],
        "perTool": { "add_user": { "instructions": " Ask first. ", "timeoutMs": 500, "attempts": 2, "approval": true } },
    });
    let run = NodeHarness::new().run("tools", config, &[]);
    assert_eq!(run.output("names"), Some(&json!(["calculator", "add_user"])), "{:?}", run.result);
    assert_eq!(
        run.output("tools").expect("tools")[1],
        json!({
            "name": "add_user",
            "description": "",
            "parameters": {
                "type": "object",
                "properties": { "team": { "type": "string" } },
                "required": ["team"],
                "additionalProperties": false,
            },
            "source": "http",
            "instructions": "Ask first.",
            "binding": { "method": "POST", "url": "https://api.test/users", "headers": { "X-Team": "{{team}}" } },
            "effect": "write",
            "policy": { "timeoutMs": 500, "attempts": 2, "approval": true },
        })
    );
}

#[test]
fn tools_node_rejects_options_for_tools_it_does_not_offer() {
    let config = json!({ "tools": ["calculator"], "perTool": { "other": {} } });
    assert_eq!(NodeHarness::new().run("tools", config, &[]).code(), "tools.unknown");
}

#[test]
fn tools_node_reports_each_problem_at_its_place() {
    let problems = |config| {
        let fault = NodeHarness::new().run("tools", config, &[]).result.expect_err("invalid");
        fault.details.as_object().expect("problems").keys().cloned().collect::<Vec<_>>()
    };
    let tool = |changes: serde_json::Value| {
        let mut tool = json!({ "name": "a", "url": "https://a.test" });
        tool.as_object_mut().expect("object").extend(changes.as_object().expect("object").clone());
        json!({ "http": [tool] })
    };
    for (changes, place) in [
        (json!({ "name": "has space" }), "name"),
        (json!({ "url": "ftp://a.test" }), "url"),
        (json!({ "url": "https://{{host}}/x" }), "url"),
        (json!({ "url": "https://a{{host}}/x" }), "url"),
        (json!({ "url": "https://user:pass@a.test/" }), "url"),
        (json!({ "headers": { "Host": "b.test" } }), "headers"),
        (json!({ "headers": { "X": "a\r\nY: b" } }), "headers"),
        (json!({ "body": {} }), "body"),
        (json!({ "context": "body" }), "context"),
        (json!({ "parameters": { "type": "text" } }), "parameters"),
        (json!({ "parameters": { "type": "array" } }), "parameters"),
        (
            json!({ "parameters": { "type": "object", "properties": {} }, "url": "https://a.test/{{b}}" }),
            "parameters",
        ),
    ] {
        assert_eq!(
            problems(tool(changes.clone())),
            [format!("/nodes/tools/config/http/0/{place}")],
            "{changes}"
        );
    }
    let twice = json!({ "http": [{ "name": "a", "url": "https://a.test" }, { "name": "a", "url": "https://b.test" }] });
    assert_eq!(problems(twice), ["/nodes/tools/config/http/1/name"]);
    assert_eq!(problems(json!({ "openapi": { "document": "{" } })), ["/nodes/tools/config/openapi"]);
    let options =
        json!({ "tools": ["calculator"], "perTool": { "calculator": { "attempts": 11, "timeoutMs": 0 } } });
    let expected = [
        "/nodes/tools/config/perTool/calculator/attempts",
        "/nodes/tools/config/perTool/calculator/timeoutMs",
    ];
    assert_eq!(problems(options), expected);
}
