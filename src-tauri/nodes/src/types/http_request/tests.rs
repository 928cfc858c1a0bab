use serde_json::json;

use crate::testing::NodeHarness;
use plait_llm::tool::ToolEffect;

#[test]
fn http_request_calls_the_http_host_with_its_binding_and_inputs() {
    let mut harness = NodeHarness::new();
    let config = json!({
        "method": "PUT",
        "url": "https://api.test/users/{{user.id}}?full={{full}}",
        "headers": { "Authorization": "Bearer ${API}" },
        "body": { "name": "{{user.name}}" },
    });
    let inputs = [("user", json!({ "id": 7, "name": "Ada" })), ("full", json!(true))];
    let run = harness.run("httpRequest", config, &inputs);
    assert_eq!(
        run.outputs(),
        json!({ "status": 200, "headers": { "server": "fake" }, "body": { "ok": true } })
    );
    let calls = harness.tools.calls();
    assert_eq!(calls[0].tool.source, "http");
    assert_eq!(calls[0].tool.effect, ToolEffect::Write);
    assert_eq!(calls[0].arguments, json!({ "user": { "id": 7, "name": "Ada" }, "full": true }));
    assert_eq!(
        calls[0].tool.binding,
        json!({
            "method": "PUT",
            "url": "https://api.test/users/{{user.id}}?full={{full}}",
            "headers": { "Authorization": "Bearer ${API}" },
            "body": { "name": "{{user.name}}" },
            "fullResponse": true,
        })
    );
}

#[test]
fn http_request_takes_url_and_body_from_edges() {
    let mut harness = NodeHarness::new();
    let inputs = [("url", json!("https://api.test/")), ("body", json!([1, "{{x}}"]))];
    harness.run("httpRequest", json!({ "method": "POST" }), &inputs);
    let call = &harness.tools.calls()[0];
    assert_eq!(call.tool.binding["url"], "https://api.test/");
    assert_eq!(
        (&call.tool.binding["body"], &call.arguments["body"]),
        (&json!("{{body}}"), &json!([1, "{{x}}"]))
    );
    let bad = harness.run("httpRequest", json!({}), &[("url", json!("file:///etc/passwd"))]);
    assert_eq!(bad.code(), "tool.bad_url");
}

#[test]
fn http_request_rejects_variables_named_like_its_own_inputs() {
    for config in [json!({ "url": "https://a.test/{{body}}" }), json!({ "url": "https://{{host}}/" })] {
        assert_eq!(NodeHarness::new().run("httpRequest", config, &[]).code(), "config.invalid");
    }
}
