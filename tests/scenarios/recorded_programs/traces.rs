//! Traces as runs.

use serde_json::{Value, json};

use super::{events, runs};
use crate::support::binary::Home;

/// Traces of an agent: two calls and a tool, in attributes of the current conventions.
fn traces() -> Value {
    let text = |key: &str, value: Value| {
        let value = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
        json!({ "key": key, "value": { "stringValue": value } })
    };
    let span = |id: &str, parent: &str, begun: u64, attributes: Vec<Value>| {
        json!({ "traceId": "t", "spanId": id, "parentSpanId": parent, "name": id, "startTimeUnixNano": format!("{begun}000000000"),
            "endTimeUnixNano": format!("{}000000000", begun + 1), "attributes": attributes })
    };
    let said = |role: &str, part: Value| json!({ "role": role, "parts": [part] });
    let asked = said("user", json!({ "type": "text", "content": "Weather in Paris?" }));
    let call = said(
        "assistant",
        json!({ "type": "tool_call", "id": "c1", "name": "weather", "arguments": { "city": "Paris" } }),
    );
    let result = said("tool", json!({ "type": "tool_call_response", "id": "c1", "response": "sunny" }));
    let answer = said("assistant", json!({ "type": "text", "content": "Sunny." }));
    let chat = |input: Value, output: Value| {
        vec![
            text("gen_ai.operation.name", json!("chat")),
            text("gen_ai.provider.name", json!("openai")),
            text("gen_ai.request.model", json!("gpt-4o-mini")),
            text("gen_ai.input.messages", input),
            text("gen_ai.output.messages", json!([output])),
            json!({ "key": "gen_ai.usage.input_tokens", "value": { "intValue": "30" } }),
            json!({ "key": "gen_ai.usage.output_tokens", "value": { "intValue": 5 } }),
        ]
    };
    let agent = vec![
        text("gen_ai.operation.name", json!("invoke_agent")),
        text("gen_ai.agent.name", json!("Weather clerk")),
    ];
    let tool = vec![
        text("gen_ai.operation.name", json!("execute_tool")),
        text("gen_ai.tool.name", json!("weather")),
    ];
    json!({ "resourceSpans": [{ "resource": {}, "scopeSpans": [{ "spans": [
        span("agent", "", 100, agent),
        span("one", "agent", 101, chat(json!([asked]), call.clone())),
        span("tool", "agent", 102, tool),
        span("two", "agent", 104, chat(json!([asked, call, result]), answer)),
    ] }] }] })
}

#[test]
fn traces_become_a_run_like_any_other() {
    let home = Home::default();
    let file = home.file("traces.jsonl", &format!("{}\n", traces()));
    let imported = home.plait(&["import", "otlp", &file]);
    assert_eq!(imported.code, 0, "{imported:#?}");
    let [run] = &runs(&home)[..] else { panic!("one run") };
    assert_eq!((&run["flowName"], &run["tokens"]["input"]), (&json!("Weather clerk"), &json!(60)));
    assert_eq!(run["startedAt"], 101_000);
    assert_eq!(events(&home, "tool.finished")[0]["result"], "sunny");
    assert_eq!(
        events(&home, "node.started").iter().filter(|event| event["node"] == "weather-clerk").count(),
        1
    );
    assert_eq!(home.plait(&["replay", "last"]).code, 0);
}

#[test]
fn traces_that_cannot_be_read_say_why() {
    let home = Home::default();
    let import = |name: &str, text: &str| home.plait(&["import", "otlp", &home.file(name, text)]);
    for (text, code) in [
        ("garbage", "traces.form"),
        ("", "traces.form"),
        ("[]", "traces.form"),
        ("{}", "traces.form"),
        (r#"{"resourceSpans":[]}"#, "traces.no_calls"),
        (r#"{"resourceSpans":[{"scopeSpans":[{"spans":[{"name":"GET /"}]}]}]}"#, "traces.no_calls"),
    ] {
        let output = import("bad.json", text);
        assert!(output.code != 0 && output.err.contains(code), "{text}: {output:#?}");
    }
    assert!(runs(&home).is_empty());
    // Without content, and with parents in a circle.
    let mut bare = traces();
    let spans = bare.pointer_mut("/resourceSpans/0/scopeSpans/0/spans").unwrap();
    spans[0]["parentSpanId"] = json!("one");
    spans[0]["attributes"] = json!([]);
    for span in [1, 3] {
        spans[span]["attributes"]
            .as_array_mut()
            .unwrap()
            .retain(|pair| !pair["key"].as_str().unwrap().ends_with(".messages"));
    }
    let output = import("bare.json", &bare.to_string());
    assert_eq!(output.code, 0, "{output:#?}");
    assert!(
        output.err.contains("The messages are not in the trace") && output.err.contains("(2 spans)"),
        "{output:#?}"
    );
    assert!(output.err.contains("form a circle"), "{output:#?}");
}

#[test]
fn a_span_that_was_exported_twice_counts_once() {
    let home = Home::default();
    let twice = format!("\u{feff}{}\r\n{}\r\n", traces(), traces());
    let imported = home.plait(&["import", "otlp", &home.file("traces.jsonl", &twice)]);
    assert_eq!(imported.code, 0, "{imported:#?}");
    assert!(imported.err.contains("It counts once (4 spans)"), "{imported:#?}");
    assert_eq!(runs(&home)[0]["tokens"]["input"], 60);
}

#[test]
fn a_turn_begins_when_the_program_goes_on() {
    let home = Home::default();
    let text = |key: &str, value: &str| json!({ "key": key, "value": { "stringValue": value } });
    let said =
        |role: &str, said: &str| json!({ "role": role, "parts": [{ "type": "text", "content": said }] });
    let said_first = [said("user", "One"), said("assistant", "1"), said("user", "Two")];
    let call = |begun: u64, input: &[Value], output: &str| {
        let time = |second: u64| format!("{second}000000000");
        let attributes = [
            text("gen_ai.operation.name", "chat"),
            text("gen_ai.provider.name", "openai"),
            text("gen_ai.request.model", "gpt-4o-mini"),
            text("gen_ai.input.messages", &json!(input).to_string()),
            text("gen_ai.output.messages", &json!([said("assistant", output)]).to_string()),
        ];
        json!({ "traceId": "t", "spanId": begun.to_string(), "name": "chat", "startTimeUnixNano": time(begun),
            "endTimeUnixNano": time(begun + 1), "attributes": attributes })
    };
    // A minute between the turns.
    let spans = [call(100, &said_first[..1], "1"), call(161, &said_first, "2")];
    let traces = json!({ "resourceSpans": [{ "resource": {}, "scopeSpans": [{ "spans": spans }] }] });
    let imported = home.plait(&["import", "otlp", &home.file("traces.jsonl", &traces.to_string())]);
    assert_eq!(imported.code, 0, "{imported:#?}");
    let times = |kind: &str, node: &str| -> Vec<u64> {
        let of_node = events(&home, kind).into_iter().filter(|event| event["node"] == node);
        of_node.map(|event| event["at"].as_u64().unwrap()).collect()
    };
    let asks = events(&home, "input.provided");
    let chat = asks[0]["node"].as_str().unwrap().strip_suffix("-ask").unwrap().to_owned();
    // The last question is asked, and ended at once, after the last reply.
    let ask = format!("{chat}-ask");
    assert_eq!(times("run.paused", &ask), [100_000, 101_000, 162_000]);
    assert_eq!(times("input.provided", &ask), [100_000, 161_000, 162_000]);
    assert_eq!(times("node.started", &chat), [100_000, 161_000]);
    assert_eq!(times("node.finished", &chat), [101_000, 162_000]);
}
