//! Spans of OTLP in JSON, with their attributes as plain values.

use serde_json::{Map, Value};

/// A span.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Span {
    pub(super) trace: String,
    pub(super) id: String,
    /// Empty for a root.
    pub(super) parent: String,
    pub(super) name: String,
    pub(super) service: Option<String>,
    pub(super) attributes: Map<String, Value>,
    /// The names and attributes of its events, in order.
    pub(super) events: Vec<(String, Map<String, Value>)>,
    pub(super) begun_ms: u64,
    pub(super) ended_ms: u64,
    pub(super) failed: bool,
    /// What its status says.
    pub(super) status: Option<String>,
}

impl Span {
    pub(super) fn text(&self, name: &str) -> Option<&str> {
        self.attributes.get(name).and_then(Value::as_str).filter(|text| !text.is_empty())
    }

    pub(super) fn number(&self, name: &str) -> Option<f64> {
        self.attributes.get(name).and_then(Value::as_f64)
    }

    pub(super) fn count(&self, name: &str) -> Option<u64> {
        self.attributes.get(name).and_then(Value::as_u64)
    }

    /// A structured value, which most exporters write as JSON in a text.
    pub(super) fn json(&self, name: &str) -> Option<Value> {
        self.attributes.get(name).map(structured)
    }
}

/// A value, or what the JSON in a text says.
pub(super) fn structured(value: &Value) -> Value {
    match value {
        Value::String(text) => serde_json::from_str(text).unwrap_or_else(|_| value.clone()),
        other => other.clone(),
    }
}

/// Adds the spans of one document. The error says what it is instead.
pub(super) fn collect_spans(document: &Value, spans: &mut Vec<Span>) -> Result<(), String> {
    let Some(fields) = document.as_object() else { return Err("it is JSON, but no object".to_owned()) };
    let resources = fields.get("resourceSpans").or_else(|| fields.get("resource_spans"));
    let Some(resources) = resources.and_then(Value::as_array) else {
        // Collectors write logs and metrics into files of the same kind.
        let is_other = ["resourceLogs", "resourceMetrics"].iter().any(|name| fields.contains_key(*name));
        return if is_other { Ok(()) } else { Err("it has no `resourceSpans`".to_owned()) };
    };
    for resource in resources {
        let service = attributes(&resource["resource"]["attributes"]);
        let service = service.get("service.name").and_then(Value::as_str).map(str::to_owned);
        let scopes = resource.get("scopeSpans").or_else(|| resource.get("instrumentationLibrarySpans"));
        for scope in scopes.and_then(Value::as_array).into_iter().flatten() {
            for one in scope["spans"].as_array().into_iter().flatten() {
                spans.push(span(one, service.clone()));
            }
        }
    }
    Ok(())
}

fn span(one: &Value, service: Option<String>) -> Span {
    let text = |name: &str| one[name].as_str().unwrap_or_default().to_owned();
    let events = one["events"].as_array().into_iter().flatten();
    let events = events.map(|event| {
        (event["name"].as_str().unwrap_or_default().to_owned(), attributes(&event["attributes"]))
    });
    let code = &one["status"]["code"];
    // A span of which one end is not known took no time, rather than since 1970.
    let (begun, ended) = (millis(&one["startTimeUnixNano"]), millis(&one["endTimeUnixNano"]));
    Span {
        trace: text("traceId"),
        id: text("spanId"),
        parent: text("parentSpanId"),
        name: text("name"),
        service,
        attributes: attributes(&one["attributes"]),
        events: events.collect(),
        begun_ms: begun.or(ended).unwrap_or_default(),
        ended_ms: ended.or(begun).unwrap_or_default(),
        failed: code.as_u64() == Some(2) || code.as_str() == Some("STATUS_CODE_ERROR"),
        status: one["status"]["message"].as_str().filter(|text| !text.is_empty()).map(str::to_owned),
    }
}

/// 64-bit numbers are texts in the JSON of Protocol Buffers.
fn millis(nanos: &Value) -> Option<u64> {
    let nanos: u64 = nanos.as_u64().or_else(|| nanos.as_str()?.parse().ok())?;
    Some(nanos / 1_000_000)
}

fn attributes(list: &Value) -> Map<String, Value> {
    let pairs = list.as_array().into_iter().flatten();
    pairs.filter_map(|pair| Some((pair["key"].as_str()?.to_owned(), plain(&pair["value"])))).collect()
}

/// The value in an `AnyValue`. The nesting is bounded by the parser of JSON.
fn plain(any: &Value) -> Value {
    let Some((kind, value)) = any.as_object().and_then(|fields| fields.iter().next()) else {
        return Value::Null;
    };
    match kind.as_str() {
        "intValue" => {
            let number = value.as_i64().or_else(|| value.as_str()?.parse().ok());
            number.map_or(Value::Null, Value::from)
        }
        "arrayValue" => value["values"].as_array().into_iter().flatten().map(plain).collect(),
        "kvlistValue" => Value::Object(attributes(&value["values"])),
        _ => value.clone(),
    }
}
