//! Requests of all formats: what they become, and that nothing which proves who sends them comes along.

use serde_json::{Value, json};

use super::import;
use plait_formats::foreign::{Format, Imported};

fn read(document: &Value, format: Format) -> Imported {
    import(&document.to_string(), Some(format), "x").unwrap()
}

/// The config of the only node of a type.
fn config(imported: &Imported, node_type: &str) -> Value {
    let mut nodes = imported.flow.nodes.values().filter(|node| node.node_type == node_type);
    let config = nodes.next().unwrap_or_else(|| panic!("no {node_type}")).config.clone();
    assert!(nodes.next().is_none());
    config.into()
}

fn lost(imported: &Imported) -> String {
    imported.report.nodes.iter().flat_map(|node| node.lost.clone()).collect::<Vec<_>>().join("\n")
}

#[test]
fn n8n_request_keeps_its_headers_but_no_keys() {
    let pair = |name: &str, value: &str| json!({ "name": name, "value": value });
    let document = json!({ "nodes": [{ "name": "Ask", "type": "n8n-nodes-base.httpRequest", "parameters": {
        "method": "POST",
        "url": "https://me:word@a.test/x?page=1&api_key=verysecret1",
        "headerParameters": { "parameters": [
            pair("Accept", "text/html"), pair("X-API-Key", "verysecret2"), pair("Authorization", "Bearer verysecret3"),
        ] },
        "queryParameters": { "parameters": [pair("q", "tea"), pair("appid", "verysecret4")] },
        "jsonBody": "{\"text\": \"hello\", \"password\": \"verysecret5\"}",
    } }], "connections": {} });
    let imported = read(&document, Format::N8n);
    let request = config(&imported, "httpRequest");
    assert_eq!(request["url"], "https://a.test/x?page=1&api_key=");
    assert_eq!(request["headers"], json!({ "Accept": "text/html" }));
    assert_eq!(request["query"], json!({ "q": "tea" }));
    assert_eq!(request["body"], json!({ "text": "hello", "password": "" }));
    for name in ["address", "`X-API-Key`", "`Authorization`", "`appid`", "body"] {
        assert!(lost(&imported).contains(name), "{name}: {}", lost(&imported));
    }
}

#[test]
fn n8n_tool_takes_no_keys_along() {
    let document = json!({ "nodes": [
        { "name": "Agent", "type": "@n8n/n8n-nodes-langchain.agent", "parameters": { "text": "hi" } },
        { "name": "Look", "type": "n8n-nodes-base.httpRequestTool", "parameters": {
            "url": "https://a.test/x?token=verysecret1",
            "headerParameters": { "parameters": [{ "name": "X-Auth-Token", "value": "verysecret2" }] },
            "method": "POST", "jsonBody": "{\"secret\": \"verysecret3\"}",
        } },
    ], "connections": { "Look": { "ai_tool": [[{ "node": "Agent", "type": "ai_tool", "index": 0 }]] } } });
    let imported = read(&document, Format::N8n);
    let written = plait_core::flow::write(&imported.flow).unwrap();
    assert!(!written.contains("verysecret"), "{written}");
    assert!(lost(&imported).contains("`X-Auth-Token`"));
}

#[test]
fn dify_request_takes_no_keys_along_and_reads_values() {
    let document = json!({ "kind": "app", "app": { "mode": "workflow" }, "workflow": { "graph": { "edges": [], "nodes": [
        { "id": "s", "data": { "type": "start", "title": "s", "variables": [{ "variable": "url", "type": "text-input" }] } },
        { "id": "h", "data": { "type": "http-request", "title": "h", "method": "post",
            "url": "https://a.test/{{#s.url#}}", "headers": "Cookie: verysecret1\nX-Kind: {{#s.url#}}",
            "params": "key: verysecret2", "body": { "type": "json", "data": "{\"a\": \"{{#s.url#}}\"}" } } },
    ] } } });
    let imported = read(&document, Format::Dify);
    let request = config(&imported, "httpRequest");
    assert_eq!(request["url"], "https://a.test/{{url_2}}");
    assert_eq!(request["headers"], json!({ "X-Kind": "{{url_2}}" }));
    assert_eq!(request.get("query"), None);
    assert_eq!(request["body"], json!({ "a": "{{url_2}}" }));
    assert!(imported.flow.edges.values().any(|edge| edge.target_input.as_str() == "url_2"));
    assert!(lost(&imported).contains("`Cookie`"));
}

#[test]
fn rivet_and_flowise_requests_take_no_keys_along() {
    let rivet = json!({ "data": { "metadata": { "mainGraphId": "g" }, "graphs": { "g": { "nodes": [
        { "id": "n", "type": "httpCall", "title": "call", "visualData": {}, "data": {
            "url": "https://a.test", "method": "GET", "headers": "{\"Authorization\": \"verysecret1\", \"X-Kind\": \"a\"}",
        } },
    ] } } } });
    let flowise = json!({ "nodes": [{ "id": "h", "data": { "name": "httpAgentflow", "label": "h", "inputs": {
        "method": "GET", "url": "https://a.test",
        "headers": [{ "key": "X-Api-Key", "value": "verysecret1" }, { "key": "X-Kind", "value": "a" }],
    } } }], "edges": [] });
    for (document, format) in [(rivet, Format::Rivet), (flowise, Format::Flowise)] {
        let imported = read(&document, format);
        assert_eq!(config(&imported, "httpRequest")["headers"], json!({ "X-Kind": "a" }), "{format:?}");
        assert!(lost(&imported).contains("The key in the header"), "{format:?}");
    }
}

#[test]
fn placeholders_and_programs_keep_no_keys() {
    let document = json!({ "nodes": [
        { "name": "Custom", "type": "acme.thing", "parameters": {
            "headers": [{ "name": "X-API-Key", "value": "verysecret1" }], "auth": "Bearer sk-verysecret22222222",
        } },
        { "name": "Code", "type": "n8n-nodes-base.code", "parameters": {
            "jsCode": "const key = 'sk-verysecret33333333'; return items;",
        } },
    ], "connections": {} });
    let imported = read(&document, Format::N8n);
    let written = plait_core::flow::write(&imported.flow).unwrap();
    assert!(!written.contains("verysecret"), "{written}");
    let reported =
        imported.report.nodes.iter().filter(|node| node.lost.join(" ").contains("keys and passwords"));
    assert_eq!(reported.count(), 2);
}

#[test]
fn body_is_sent_where_the_original_sends_one() {
    let sent = |version: f64, parameters: Value| {
        let mut parameters = parameters;
        parameters["url"] = json!("https://a.test/x");
        parameters["method"] = json!("POST");
        let node = json!({ "name": "Ask", "type": "n8n-nodes-base.httpRequest", "typeVersion": version, "parameters": parameters });
        let imported = read(&json!({ "nodes": [node], "connections": {} }), Format::N8n);
        config(&imported, "httpRequest").get("body").cloned()
    };
    assert_eq!(sent(4.2, json!({})), None);
    assert_eq!(sent(4.2, json!({ "sendBody": true })), Some(json!({})));
    assert_eq!(sent(2.0, json!({})), None);
    // What is no JSON is not sent as a text in JSON.
    let raw = |data: &str| {
        let node = json!({ "type": "http-request", "title": "x", "method": "post", "url": "https://a.test/x", "body": { "type": "raw-text", "data": data } });
        let graph = json!({ "nodes": [{ "id": "h", "data": node }], "edges": [] });
        read(
            &json!({ "kind": "app", "app": { "mode": "workflow" }, "workflow": { "graph": graph } }),
            Format::Dify,
        )
    };
    assert_eq!(config(&raw("{\"a\": 1}"), "httpRequest")["body"], json!({ "a": 1 }));
    assert!(lost(&raw("a=1")).contains("Plait sends bodies in JSON."));
}
