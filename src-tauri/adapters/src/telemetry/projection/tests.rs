use plait_journal::Entry;

use super::*;
use crate::telemetry::otlp;

/// A journal of these events, one every 10 ms.
fn journal(events: &[Value]) -> Vec<Entry> {
    let entry = |(seq, event): (usize, &Value)| {
        let mut event = event.clone();
        event["seq"] = json!(seq);
        event["at"] = json!(1_000 + seq * 10);
        serde_json::from_value(event).unwrap()
    };
    events.iter().enumerate().map(entry).collect()
}

fn of(node: &str, kind: &str, mut more: Value) -> Value {
    more["type"] = json!(kind);
    more["node"] = json!(node);
    more["epoch"] = json!([]);
    more
}

fn started() -> Value {
    json!({ "type": "run.started", "run": "r1", "flow": { "name": "Support", "hash": "h" } })
}

fn prompt() -> Value {
    json!({ "provider": "openai", "model": "gpt", "parts": [
        { "kind": "message", "role": "system", "text": "Be brief.", "tokens": 3 },
        { "kind": "message", "role": "user", "text": "A secret question", "tokens": 3 },
    ], "tools": [], "toolTokens": 0, "tokens": 6, "window": 100, "reserve": 20,
        "settings": { "temperature": 0.5, "maxTokens": 9 } })
}

fn spans(entries: &[Entry], content: bool) -> Vec<Span> {
    let run = RunId::from("r1");
    let mut projector = SpanProjector::new(run.clone(), RunPlace::root(&run), content);
    entries.iter().flat_map(|entry| projector.apply(entry).0).collect()
}

fn chat_run() -> Vec<Entry> {
    let call = json!({ "id": "c1", "name": "look", "arguments": { "at": "a secret place" } });
    journal(&[
        started(),
        of("chat", "node.started", json!({ "attempt": 1 })),
        of("chat", "prompt.rendered", json!({ "step": 0, "prompt": prompt() })),
        of(
            "chat",
            "model.replied",
            json!({ "step": 0, "reply": { "text": "A secret answer", "stopReason": "end",
            "toolCalls": [call], "usage": { "input": 11, "output": 4 }, "responseId": "resp_1" } }),
        ),
        of("chat", "tool.called", json!({ "step": 0, "call": call })),
        of("chat", "tool.finished", json!({ "step": 0, "callId": "c1", "result": "a secret result" })),
        of("chat", "node.finished", json!({ "outputs": {}, "metadata": { "durationMs": 1 } })),
        json!({ "type": "run.finished", "outputs": {} }),
    ])
}

fn find<'s>(spans: &'s [Span], name: &str) -> &'s Span {
    spans.iter().find(|span| span.name == name).unwrap_or_else(|| panic!("no span {name}: {spans:#?}"))
}

#[test]
fn names_and_attributes_follow_the_conventions() {
    let spans = spans(&chat_run(), false);
    let names: Vec<&str> = spans.iter().map(|span| span.name.as_str()).collect();
    assert_eq!(names, ["chat gpt", "execute_tool look", "chat", "invoke_workflow Support"]);
    let chat = find(&spans, "chat gpt");
    let expected = [
        ("gen_ai.operation.name", json!("chat")),
        ("gen_ai.provider.name", json!("openai")),
        ("gen_ai.request.model", json!("gpt")),
        ("gen_ai.request.temperature", json!(0.5)),
        ("gen_ai.request.max_tokens", json!(9)),
        ("gen_ai.usage.input_tokens", json!(11)),
        ("gen_ai.usage.output_tokens", json!(4)),
        ("gen_ai.response.finish_reasons", json!(["stop"])),
        ("gen_ai.response.id", json!("resp_1")),
    ];
    for (name, value) in expected {
        assert_eq!(chat.attribute(name), Some(&value), "{name}");
    }
    assert_eq!((chat.kind, chat.start_ms, chat.end_ms), (SpanKind::Client, 1_020, 1_030));
    let tool = find(&spans, "execute_tool look");
    assert_eq!(tool.attribute("gen_ai.operation.name"), Some(&json!("execute_tool")));
    assert_eq!(tool.attribute("gen_ai.tool.name"), Some(&json!("look")));
    assert_eq!(tool.attribute("gen_ai.tool.call.id"), Some(&json!("c1")));
    let run = find(&spans, "invoke_workflow Support");
    assert_eq!(run.attribute("gen_ai.workflow.name"), Some(&json!("Support")));
    // Run, node, calls.
    let node = find(&spans, "chat");
    assert_eq!((run.parent, node.parent), (None, Some(run.id)));
    assert_eq!((chat.parent, tool.parent), (Some(node.id), Some(node.id)));
}

#[test]
fn content_is_left_out_unless_wanted() {
    let text = |content| otlp::encode(&spans(&chat_run(), content)).to_string();
    assert!(!text(false).contains("secret"), "{}", text(false));
    let with = spans(&chat_run(), true);
    let parsed = |span: &str, attribute: &str| -> Value {
        let value = find(&with, span).attribute(attribute).and_then(Value::as_str).unwrap();
        serde_json::from_str(value).unwrap()
    };
    let input = json!([{ "role": "user", "parts": [{ "type": "text", "content": "A secret question" }] }]);
    assert_eq!(parsed("chat gpt", "gen_ai.input.messages"), input);
    let system = json!([{ "type": "text", "content": "Be brief." }]);
    assert_eq!(parsed("chat gpt", "gen_ai.system_instructions"), system);
    let output = parsed("chat gpt", "gen_ai.output.messages");
    assert_eq!(output[0]["finish_reason"], "stop");
    assert_eq!(output[0]["parts"][1]["name"], "look");
    assert_eq!(parsed("execute_tool look", "gen_ai.tool.call.arguments"), json!({ "at": "a secret place" }));
}

#[test]
fn failed_call_ends_with_its_attempt_and_its_code() {
    let error =
        json!({ "code": "provider.timeout", "message": "A secret question timed out.", "retryable": true });
    let spans = spans(
        &journal(&[
            started(),
            of("chat", "node.started", json!({ "attempt": 1 })),
            of("chat", "prompt.rendered", json!({ "step": 0, "prompt": prompt() })),
            of("chat", "node.retrying", json!({ "attempt": 1, "delayMs": 5, "error": error })),
            of("chat", "node.started", json!({ "attempt": 2 })),
            of("chat", "prompt.rendered", json!({ "step": 0, "prompt": prompt() })),
            of("chat", "node.failed", json!({ "error": error, "handled": false })),
            json!({ "type": "run.failed", "node": "chat", "epoch": [], "error": error, "outputs": {} }),
        ]),
        false,
    );
    let errors: Vec<_> =
        spans.iter().map(|span| (span.name.as_str(), span.error.as_deref().unwrap_or_default())).collect();
    let code = "provider.timeout";
    assert_eq!(
        errors,
        [("chat gpt", code), ("chat gpt", code), ("chat", code), ("invoke_workflow Support", code)]
    );
    let node = find(&spans, "chat");
    assert_eq!((node.start_ms, node.events.len()), (1_010, 1), "one span for both attempts");
    let encoded = otlp::encode(&spans).to_string();
    assert!(!encoded.contains("secret"), "the message of an error may quote what was said: {encoded}");
}

#[test]
fn ids_follow_from_the_run_and_child_runs_hang_under_their_node() {
    let ids = |spans: &[Span]| spans.iter().map(|span| (span.trace, span.id)).collect::<Vec<_>>();
    assert_eq!(ids(&spans(&chat_run(), false)), ids(&spans(&chat_run(), true)));
    let entries = journal(&[
        started(),
        of("sub", "node.started", json!({ "attempt": 1 })),
        of("sub", "child.started", json!({ "run": "r2" })),
    ]);
    let run = RunId::from("r1");
    let mut projector = SpanProjector::new(run.clone(), RunPlace::root(&run), false);
    let child = entries.iter().filter_map(|entry| projector.apply(entry).1).last();
    let (child, place) = child.unwrap();
    assert_eq!(child, RunId::from("r2"));
    assert_eq!((place.trace, place.parent), (TraceId::of_tree(&run), Some(SpanId::of_entry(&run, 1))));
}

#[test]
fn encoded_span_has_the_json_form_of_otlp() {
    let encoded = otlp::encode(&spans(&chat_run(), false)[..1]);
    let scope = &encoded["resourceSpans"][0]["scopeSpans"][0];
    assert_eq!(scope["schemaUrl"], "https://opentelemetry.io/schemas/1.41.0");
    let span = &scope["spans"][0];
    let is_hex = |value: &Value, digits: usize| {
        value.as_str().is_some_and(|id| id.len() == digits && id.bytes().all(|byte| byte.is_ascii_hexdigit()))
    };
    assert!(is_hex(&span["traceId"], 32) && is_hex(&span["spanId"], 16) && is_hex(&span["parentSpanId"], 16));
    assert_eq!((&span["kind"], &span["startTimeUnixNano"]), (&json!(3), &json!("1020000000")));
    let attributes = span["attributes"].as_array().unwrap();
    let value = |name: &str| {
        attributes.iter().find(|one| one["key"] == name).map(|one| one["value"].clone()).unwrap()
    };
    assert_eq!(value("gen_ai.usage.input_tokens"), json!({ "intValue": "11" }));
    assert_eq!(value("gen_ai.request.temperature"), json!({ "doubleValue": 0.5 }));
    let reasons = json!({ "arrayValue": { "values": [{ "stringValue": "stop" }] } });
    assert_eq!(value("gen_ai.response.finish_reasons"), reasons);
}
