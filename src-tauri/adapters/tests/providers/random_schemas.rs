//! Random schemas of replies. The sent schemas mean the same; the vendors' own packages judge the same bodies (`cargo
//! xtask test --only vendors`).

use plait_adapters::providers::ProviderKind;
use plait_core::expression::schema::accepts;
use plait_llm::provider::ModelRequest;
use proptest::collection::vec;
use proptest::prelude::{Strategy, any};
use proptest::strategy::ValueTree as _;
use proptest::test_runner::TestRunner;
use serde_json::{Map, Value, json};

use crate::server::{Answer, Server, call, request};

const SCHEMAS: usize = 400;
/// How many values of each schema are tried.
const VALUES: u32 = 12;

fn leaf() -> impl Strategy<Value = Value> {
    let fixed = [
        json!(true),
        json!({}),
        json!({"description": "Anything."}),
        json!({"type": "null"}),
        json!({"type": "boolean", "default": true}),
        json!({"type": "string"}),
        json!({"type": "string", "title": "Text", "examples": ["a"]}),
        json!({"type": "string", "format": "date"}),
        json!({"type": "integer"}),
        json!({"type": "number", "$comment": "Any."}),
        json!({"type": ["string", "null"], "description": "If known."}),
        json!({"type": ["integer", "string", "null"]}),
        json!({"enum": ["a", "b"]}),
        json!({"enum": ["a", 1, null, true]}),
        json!({"enum": [["a"], {"b": 1}]}),
        json!({"type": "string", "enum": ["a", 7]}),
        json!({"type": "integer", "enum": ["a"]}),
        json!({"const": "a"}),
        json!({"type": "integer", "const": 3}),
        json!({"type": "string", "const": "a", "default": "a"}),
        json!({"not": {"type": "string"}}),
        json!({"$ref": "#/$defs/nowhere"}),
        json!({"type": "array"}),
        json!({"type": "object"}),
    ];
    (0..fixed.len()).prop_map(move |at| fixed[at].clone())
}

fn object(properties: Vec<(Value, bool)>, closed: Option<bool>) -> Value {
    let name = |at: usize| format!("p{at}");
    let required: Vec<_> = properties
        .iter()
        .enumerate()
        .filter(|(_, (_, required))| *required)
        .map(|(at, _)| name(at))
        .collect();
    let schemas: Map<_, _> =
        properties.into_iter().enumerate().map(|(at, (schema, _))| (name(at), schema)).collect();
    let mut schema = json!({"type": "object", "properties": schemas, "required": required});
    if let Some(closed) = closed {
        schema["additionalProperties"] = json!(!closed);
    }
    schema
}

fn schema() -> impl Strategy<Value = Value> {
    leaf().prop_recursive(4, 24, 3, |inner| {
        let property = (inner.clone(), proptest::bool::weighted(0.8));
        // Mostly closed, or hardly any would be strict.
        let closed = proptest::option::weighted(0.9, proptest::bool::weighted(0.9));
        proptest::prop_oneof![
            6 => (vec(property, 0..4), closed).prop_map(|(properties, closed)| object(properties, closed)),
            2 => inner.clone().prop_map(|items| json!({"type": "array", "items": items})),
            2 => vec(inner.clone(), 1..3).prop_map(|any| json!({"anyOf": any, "description": "Some."})),
            1 => vec(inner.clone(), 1..3).prop_map(|one| json!({"oneOf": one})),
            1 => vec(inner.clone(), 1..3).prop_map(|all| json!({"allOf": all})),
            1 => inner.prop_map(|any| json!({"type": "object", "anyOf": [any]})),
        ]
    })
}

/// A value that often follows the schema, chosen by `seed`.
fn value_of(schema: &Value, seed: u32) -> Value {
    let pick = |many: &[Value]| many.get(seed as usize % many.len().max(1)).cloned().unwrap_or_default();
    if let Some(only) = schema.get("const") {
        return only.clone();
    }
    if let Some(some) = schema.get("enum").and_then(Value::as_array) {
        return pick(some);
    }
    if let Some(some) = ["anyOf", "oneOf", "allOf"].iter().find_map(|key| schema.get(key)?.as_array()) {
        return value_of(&pick(some), seed / 3);
    }
    let kind = schema.get("type").cloned().unwrap_or(json!(["string", "null", "integer", "object"]));
    let kind = kind.as_array().map_or(kind.clone(), |kinds| pick(kinds));
    match kind.as_str().unwrap_or_default() {
        "null" => Value::Null,
        "boolean" => json!(seed.is_multiple_of(2)),
        "integer" => json!(seed),
        "number" => json!(f64::from(seed) / 2.0),
        "array" => json!([value_of(&schema["items"], seed / 2)]),
        "object" => {
            let properties = schema["properties"].as_object().cloned().unwrap_or_default();
            let numbered = (0..).zip(properties).filter(|(at, _)| seed % 7 != at + 1);
            numbered.map(|(at, (name, schema))| (name, value_of(&schema, seed / 2 + at))).collect()
        }
        _ => json!(["a", "b", "2026-01-01"][seed as usize % 3]),
    }
}

/// The schemas, the same in every run.
fn schemas() -> Vec<Value> {
    let mut runner = TestRunner::deterministic();
    let sample = (schema(), any::<bool>()).prop_map(|(schema, is_object)| {
        if is_object { object(vec![(schema, true)], Some(true)) } else { schema }
    });
    let mut all: Vec<_> =
        (0..SCHEMAS).map(|_| sample.new_tree(&mut runner).expect("a schema").current()).collect();
    all.extend([json!(true), json!({})]);
    all
}

/// The bodies that are sent for the schemas, with the schemas.
async fn bodies(kind: ProviderKind, model: &str) -> Vec<(Value, Value)> {
    // Any answer will do: the request counts.
    let server = Server::with_answers([Answer::json(500, "{}")]).await;
    let provider = server.provider(kind);
    let schemas = schemas();
    for schema in &schemas {
        let request =
            ModelRequest { model: model.into(), response_schema: Some(schema.clone()), ..request() };
        drop(call(&*provider, request).await);
    }
    let bodies: Vec<_> = server.received().into_iter().map(|received| received.body).collect();
    assert_eq!(bodies.len(), schemas.len(), "every schema can be sent");
    schemas.into_iter().zip(bodies).collect()
}

fn asks_in_words(body: &Value) -> bool {
    body.to_string().contains("by this JSON Schema")
}

/// Asserts that strict schemas accept exactly what the schema does, and returns how many were strict.
fn check_strict(bodies: &[(Value, Value)], format: &str) -> usize {
    let mut strict = 0;
    for (schema, body) in bodies {
        let Some(format) = body.pointer(format) else {
            assert!(asks_in_words(body), "{schema}: {body}");
            continue;
        };
        assert_eq!(format["schema"]["type"], "object", "{schema}");
        if format["strict"] != true {
            continue;
        }
        strict += 1;
        for seed in 0..VALUES {
            for value in [value_of(schema, seed), value_of(&format["schema"], seed)] {
                assert_eq!(accepts(schema, &value), accepts(&format["schema"], &value), "{schema}: {value}");
            }
        }
    }
    strict
}

#[tokio::test]
async fn strict_schema_of_chat_completions_means_the_same() {
    let bodies = bodies(ProviderKind::OpenAi, "tiny").await;
    assert!(check_strict(&bodies, "/response_format/json_schema") > SCHEMAS / 20);
}

#[tokio::test]
async fn strict_schema_of_responses_means_the_same() {
    let bodies = bodies(ProviderKind::OpenAiResponses, "tiny").await;
    assert!(check_strict(&bodies, "/text/format") > SCHEMAS / 20);
}

#[tokio::test]
async fn format_of_messages_accepts_nothing_that_the_schema_does_not() {
    let (mut formats, mut tools) = (0, 0);
    for (schema, body) in bodies(ProviderKind::Anthropic, "claude-opus-4-8").await {
        if let Some(format) = body.pointer("/output_config/format/schema") {
            formats += 1;
            for seed in 0..VALUES {
                let value = value_of(format, seed);
                assert!(!accepts(format, &value) || accepts(&schema, &value), "{schema}: {value}");
            }
        } else if let Some(tool) = body.pointer("/tools/0/input_schema") {
            tools += 1;
            assert_eq!(tool["type"], "object", "{schema}");
        } else {
            assert!(asks_in_words(&body), "{schema}: {body}");
        }
    }
    assert!(formats > SCHEMAS / 10 && tools > SCHEMAS / 20, "{formats} {tools}");
}

#[tokio::test]
async fn every_schema_reaches_gemini_and_ollama_in_some_form() {
    for (kind, pointer) in [
        (ProviderKind::Gemini, "/generationConfig/responseJsonSchema"),
        (ProviderKind::GeminiInteractions, "/response_format/schema"),
    ] {
        for (schema, body) in bodies(kind, "gemini-3-pro").await {
            let format = body.pointer(pointer);
            assert!(
                format.is_some_and(Value::is_object) || asks_in_words(&body),
                "{kind:?} {schema}: {body}"
            );
        }
    }
    for (schema, body) in bodies(ProviderKind::Ollama, "tiny").await {
        assert_eq!(body["format"], if schema == true { json!("json") } else { schema });
    }
}
