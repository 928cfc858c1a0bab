use serde_json::json;

use super::*;

fn file(attributes: &Value, events: &Value) -> String {
    let span = json!({ "traceId": "t", "spanId": "s", "name": "chat", "startTimeUnixNano": "5000000", "endTimeUnixNano": 9_000_000,
        "attributes": attributes, "events": events });
    json!({ "resourceSpans": [{ "scopeSpans": [{ "spans": [span] }] }] }).to_string()
}

fn attribute(key: &str, value: &Value) -> Value {
    json!({ "key": key, "value": value })
}

fn text(key: &str, value: &str) -> Value {
    attribute(key, &json!({ "stringValue": value }))
}

fn only_call(file: &str) -> ObservedCall {
    let mut traces = read(file, |_| true).unwrap();
    assert_eq!(traces.calls.len(), 1);
    traces.calls.remove(0)
}

fn check(call: &ObservedCall) {
    assert_eq!((call.begun_ms, call.ended_ms), (5, 9));
    assert_eq!(call.request.system.as_deref(), Some("Be brief."));
    assert_eq!(call.request.messages, [Said::new(Role::User, "Hello")]);
    assert_eq!(call.reply().unwrap().text, "Hi");
}

#[test]
fn structured_attributes_are_read() {
    let kv = |pairs: &Value| json!({ "kvlistValue": { "values": pairs } });
    let list = |item: &Value| json!({ "arrayValue": { "values": [item] } });
    let part = |content: &str| list(&kv(&json!([text("type", "text"), text("content", content)])));
    let message = |role: &str, content: &str| {
        list(&kv(&json!([text("role", role), attribute("parts", &part(content))])))
    };
    let attributes = json!([
        text("gen_ai.operation.name", "chat"),
        text("gen_ai.provider.name", "anthropic"),
        text("gen_ai.request.model", "claude"),
        attribute("gen_ai.request.temperature", &json!({ "doubleValue": 0.5 })),
        attribute("gen_ai.system_instructions", &part("Be brief.")),
        attribute("gen_ai.input.messages", &message("user", "Hello")),
        attribute("gen_ai.output.messages", &message("assistant", "Hi")),
    ]);
    let call = only_call(&file(&attributes, &json!([])));
    check(&call);
    assert_eq!((&*call.provider, call.request.temperature), ("anthropic", Some(0.5)));
}

#[test]
fn events_of_older_conventions_are_read() {
    let attributes = json!([text("gen_ai.system", "openai"), text("gen_ai.request.model", "gpt")]);
    let event = |name: &str, attributes: Value| json!({ "name": name, "attributes": attributes });
    let events = json!([
        event("gen_ai.system.message", json!([text("content", "Be brief.")])),
        event("gen_ai.user.message", json!([text("content", "Hello")])),
        event("gen_ai.choice", json!([text("message", r#"{"role":"assistant","content":"Hi"}"#)])),
    ]);
    check(&only_call(&file(&attributes, &events)));
}

#[test]
fn numbered_attributes_are_read() {
    let attributes = json!([
        text("gen_ai.system", "openai"),
        text("gen_ai.request.model", "gpt"),
        text("gen_ai.prompt.0.role", "system"),
        text("gen_ai.prompt.0.content", "Be brief."),
        text("gen_ai.prompt.1.role", "user"),
        text("gen_ai.prompt.1.content", "Hello"),
        text("gen_ai.completion.0.content", "Hi"),
    ]);
    check(&only_call(&file(&attributes, &json!([]))));
}

#[test]
fn a_failed_span_is_a_failed_call() {
    let attributes = json!([text("gen_ai.operation.name", "chat"), text("gen_ai.request.model", "gpt")]);
    let mut failed: Value = serde_json::from_str(&file(&attributes, &json!([]))).unwrap();
    failed["resourceSpans"][0]["scopeSpans"][0]["spans"][0]["status"] =
        json!({ "code": 2, "message": "quota" });
    let call = only_call(&failed.to_string());
    let Outcome::Failed(fault) = &call.outcome else { panic!("it failed") };
    assert!(fault.message.contains("quota"));
}

#[test]
fn a_span_with_one_time_takes_none() {
    let attributes = json!([text("gen_ai.operation.name", "chat"), text("gen_ai.request.model", "gpt")]);
    for (unread, given, times) in [("startTimeUnixNano", "soon", (9, 9)), ("endTimeUnixNano", "-1", (5, 5))] {
        let mut traces: Value = serde_json::from_str(&file(&attributes, &json!([]))).unwrap();
        traces["resourceSpans"][0]["scopeSpans"][0]["spans"][0][unread] = json!(given);
        let call = only_call(&traces.to_string());
        assert_eq!((call.begun_ms, call.ended_ms), times, "{unread}");
    }
}
