//! Spans as OTLP JSON: the message `ExportTraceServiceRequest` in protobuf's JSON form, as the OTLP specification 1.x defines it
//! (ids in hexadecimal, 64-bit integers as text).

use serde_json::{Value, json};
use std::fmt::Write as _;

use super::conventions::SCHEMA_URL;
use super::span::{Span, SpanEvent, SpanKind};

/// The body of one request.
pub fn encode(spans: &[Span]) -> Value {
    let version = env!("CARGO_PKG_VERSION");
    let resource = [("service.name", json!("plait")), ("service.version", json!(version))];
    json!({
        "resourceSpans": [{
            "resource": { "attributes": attributes(&resource) },
            "scopeSpans": [{
                "scope": { "name": "plait", "version": version },
                "spans": spans.iter().map(encode_span).collect::<Vec<_>>(),
                "schemaUrl": SCHEMA_URL,
            }],
            "schemaUrl": SCHEMA_URL,
        }],
    })
}

fn encode_span(span: &Span) -> Value {
    let mut encoded = json!({
        "traceId": hex(&span.trace.0),
        "spanId": hex(&span.id.0),
        "name": span.name,
        "kind": match span.kind {
            SpanKind::Internal => 1,
            SpanKind::Client => 3,
        },
        "startTimeUnixNano": nanoseconds(span.start_ms),
        "endTimeUnixNano": nanoseconds(span.end_ms.max(span.start_ms)),
        "attributes": attributes(&span.attributes),
        "events": span.events.iter().map(encode_event).collect::<Vec<_>>(),
    });
    if let Some(parent) = span.parent {
        encoded["parentSpanId"] = json!(hex(&parent.0));
    }
    // Without an error it stays unset: only applications declare success.
    if let Some(error) = &span.error {
        encoded["status"] = json!({ "code": 2, "message": error });
    }
    encoded
}

fn encode_event(event: &SpanEvent) -> Value {
    json!({
        "timeUnixNano": nanoseconds(event.at_ms),
        "name": event.name,
        "attributes": attributes(&event.attributes),
    })
}

fn attributes(attributes: &[(&str, Value)]) -> Value {
    attributes.iter().map(|(key, value)| json!({ "key": key, "value": any_value(value) })).collect()
}

fn any_value(value: &Value) -> Value {
    match value {
        Value::Bool(value) => json!({ "boolValue": value }),
        Value::Number(number) => match number.as_i64() {
            Some(integer) => json!({ "intValue": integer.to_string() }),
            None => json!({ "doubleValue": number }),
        },
        Value::Array(items) => {
            json!({ "arrayValue": { "values": items.iter().map(any_value).collect::<Vec<_>>() } })
        }
        Value::String(text) => json!({ "stringValue": text }),
        Value::Null | Value::Object(_) => json!({ "stringValue": value.to_string() }),
    }
}

fn nanoseconds(ms: u64) -> String {
    ms.saturating_mul(1_000_000).to_string()
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().fold(String::new(), |mut hex, byte| {
        // Writing to a string never fails.
        let _ = write!(hex, "{byte:02x}");
        hex
    })
}
