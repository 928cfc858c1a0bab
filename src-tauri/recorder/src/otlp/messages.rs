//! The messages of a span: by attributes of the current conventions, by span events of older ones, or by numbered attributes.

use plait_adapters::telemetry::conventions as names;
use plait_llm::context::Role;
use serde_json::{Map, Value};

use super::span::{Span, structured};
use super::tool_call;
use crate::observed::{Said, add_system, text_of};

/// What a span says.
#[derive(Default)]
pub(super) struct Messages {
    pub(super) system: Option<String>,
    /// None if the trace has none.
    pub(super) input: Option<Vec<Said>>,
    pub(super) output: Option<Said>,
}

pub(super) fn messages_of(span: &Span) -> Messages {
    let mut found = of_attributes(&span.attributes);
    for (name, attributes) in &span.events {
        if name == "gen_ai.client.inference.operation.details" {
            let of_event = of_attributes(attributes);
            found.system = found.system.or(of_event.system);
            found.input = found.input.or(of_event.input);
            found.output = found.output.or(of_event.output);
        }
    }
    if found.input.is_none() {
        found = of_events(span, found);
    }
    if found.input.is_none() {
        found = of_numbers(span, found);
    }
    found
}

fn of_attributes(attributes: &Map<String, Value>) -> Messages {
    let list = |name: &str| match attributes.get(name).map(structured) {
        Some(Value::Array(list)) => Some(list),
        _ => None,
    };
    let mut found = Messages::default();
    for part in list(names::SYSTEM_INSTRUCTIONS).into_iter().flatten() {
        add_system(&mut found.system, content(&part));
    }
    if let Some(messages) = list(names::INPUT_MESSAGES) {
        let mut input = Vec::new();
        for message in &messages {
            add(&mut input, &mut found.system, message["role"].as_str().unwrap_or("user"), message);
        }
        found.input = Some(input);
    }
    if let Some(choice) = list(names::OUTPUT_MESSAGES).and_then(|choices| choices.into_iter().next()) {
        found.output = Some(said(Role::Assistant, &choice));
    }
    found
}

/// Events `gen_ai.user.message`, `gen_ai.choice` and the like.
fn of_events(span: &Span, mut found: Messages) -> Messages {
    let mut input = Vec::new();
    for (name, attributes) in &span.events {
        let mut message = Value::Object(attributes.clone());
        for field in ["content", "tool_calls", "message"] {
            if let Some(value) = attributes.get(field) {
                message[field] = structured(value);
            }
        }
        match name.strip_prefix("gen_ai.") {
            Some("choice") => {
                let choice = message.get("message").filter(|inner| inner.is_object()).unwrap_or(&message);
                found.output = found.output.or_else(|| Some(said(Role::Assistant, choice)));
            }
            Some(kind) => {
                if let Some(role) = kind.strip_suffix(".message") {
                    add(&mut input, &mut found.system, role, &message);
                }
            }
            None => {}
        }
    }
    if !input.is_empty() {
        found.input = Some(input);
    }
    found
}

/// Attributes `gen_ai.prompt.0.content` and `gen_ai.completion.0.content`.
fn of_numbers(span: &Span, mut found: Messages) -> Messages {
    let mut input = Vec::new();
    let message = |prefix: &str| {
        let content = span.attributes.get(&format!("{prefix}.content"))?.clone();
        let mut message =
            serde_json::json!({ "content": content, "id": span.text(&format!("{prefix}.tool_call_id")) });
        let calls = (0..).map_while(|number| {
            let call = format!("{prefix}.tool_calls.{number}");
            let name = span.text(&format!("{call}.name"))?;
            let (id, arguments) = (span.text(&format!("{call}.id")), span.text(&format!("{call}.arguments")));
            Some(serde_json::json!({ "id": id, "name": name, "arguments": arguments }))
        });
        message["tool_calls"] = calls.collect();
        Some(message)
    };
    for number in 0.. {
        let prefix = format!("gen_ai.prompt.{number}");
        let Some(message) = message(&prefix) else { break };
        let role = span.text(&format!("{prefix}.role")).unwrap_or("user").to_owned();
        add(&mut input, &mut found.system, &role, &message);
    }
    if !input.is_empty() {
        found.input = Some(input);
        found.output = found
            .output
            .or_else(|| message("gen_ai.completion.0").map(|message| said(Role::Assistant, &message)));
    }
    found
}

fn add(input: &mut Vec<Said>, system: &mut Option<String>, role: &str, message: &Value) {
    match role {
        "system" | "developer" if input.is_empty() => add_system(system, said(Role::System, message).text),
        "system" | "developer" => input.push(said(Role::System, message)),
        "assistant" | "model" => input.push(said(Role::Assistant, message)),
        "tool" => {
            let results = message["parts"].as_array().into_iter().flatten();
            let mut results: Vec<Said> = results
                .filter(|part| part["type"] == "tool_call_response")
                .map(|part| {
                    let result = part.get("response").or_else(|| part.get("result")).unwrap_or(&Value::Null);
                    Said::result(part["id"].as_str().unwrap_or_default(), text_of(result))
                })
                .collect();
            if results.is_empty() {
                let text = said(Role::Tool, message).text;
                results.push(Said::result(message["id"].as_str().unwrap_or_default(), text));
            }
            input.append(&mut results);
        }
        _ => input.push(said(Role::User, message)),
    }
}

/// A message with parts, or with content and calls.
fn said(role: Role, message: &Value) -> Said {
    let Some(parts) = message["parts"].as_array() else {
        let calls = message["tool_calls"].as_array().into_iter().flatten().map(tool_call);
        return Said { tool_calls: calls.collect(), ..Said::new(role, text_of(&message["content"])) };
    };
    let is_call = |part: &&Value| part["type"] == "tool_call";
    let texts = parts.iter().filter(|part| !is_call(part) && part["type"] != "reasoning").map(content);
    let text = texts.collect::<Vec<_>>().join("\n");
    Said { tool_calls: parts.iter().filter(is_call).map(tool_call).collect(), ..Said::new(role, text) }
}

fn content(part: &Value) -> String {
    match part.get("content") {
        Some(content) => text_of(content),
        None => format!("[{}]", part["type"].as_str().unwrap_or("attachment")),
    }
}
