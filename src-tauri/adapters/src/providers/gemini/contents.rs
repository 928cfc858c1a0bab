//! What is said, as the contents of this wire: user and model in turns, each a list of parts. Owns that neighbours of one
//! role become one content, that signatures and ids go back as they came, and to which function a result belongs.

use std::collections::HashMap;

use plait_engine::context::{Content, Message, Part, Role, SharedMessage, ToolCall};
use serde_json::{Value, json};

use super::PROTOCOL;
use crate::providers::tool_calls::arguments_object;

/// A model's own name, without the collection it stands in.
pub(super) fn own_name(model: &str) -> &str {
    model.strip_prefix("models/").unwrap_or(model)
}

/// The contents, the system's left out: they go with the instructions.
pub(super) fn contents(history: &[SharedMessage]) -> Vec<Value> {
    let mut turns: Vec<(&str, Vec<Value>)> = Vec::new();
    // By the id that results refer to: the function's name, and the id the provider gave.
    let mut called: HashMap<&str, (&str, Option<Value>)> = HashMap::new();
    for message in history {
        let (role, parts) = match message.role {
            Role::System => continue,
            Role::User => ("user", content(&message.content)),
            Role::Tool => ("user", vec![function_response(message, &called)]),
            Role::Assistant => {
                let ids = given_ids(message);
                let calls = message.tool_calls.iter().zip(ids);
                called.extend(calls.map(|(call, id)| (call.id.as_str(), (call.name.as_str(), id))));
                ("model", as_it_came(message).unwrap_or_else(|| plain(message)))
            }
        };
        match turns.last_mut() {
            _ if parts.is_empty() => {}
            Some((last, turn)) if *last == role => turn.extend(parts),
            _ => turns.push((role, parts)),
        }
    }
    turns.into_iter().map(|(role, parts)| json!({ "role": role, "parts": parts })).collect()
}

fn text(text: &str) -> Option<Value> {
    (!text.is_empty()).then(|| json!({ "text": text }))
}

fn content(content: &Content) -> Vec<Value> {
    let part = |part: &Part| match part {
        Part::Text { text: said } => text(said),
        Part::Image { media_type, data } => {
            Some(json!({ "inlineData": { "mimeType": media_type, "data": data } }))
        }
    };
    match content {
        Content::Text(said) => text(said).into_iter().collect(),
        Content::Parts(parts) => parts.iter().filter_map(part).collect(),
    }
}

fn plain(message: &Message) -> Vec<Value> {
    let calls = message.tool_calls.iter().map(|call| function_call(call, None));
    content(&message.content).into_iter().chain(calls).collect()
}

/// The parts in the order they came in, with the ids and signatures they came with. Nothing where none were kept, or where
/// what was kept is not of this message any more.
fn as_it_came(message: &Message) -> Option<Vec<Value>> {
    let said = message.content.text();
    let (mut at, mut calls, mut parts) = (0, message.tool_calls.iter(), Vec::new());
    for kept in kept(message)? {
        let mut part = if let Some(id) = kept.get("call") {
            function_call(calls.next()?, Some(id).filter(|id| !id.is_null()))
        } else {
            let end = usize::try_from(kept.get("text")?.as_u64()?).ok()?.checked_add(at)?;
            let piece = said.get(at..end)?;
            at = end;
            json!({ "text": piece })
        };
        match kept.get("thoughtSignature") {
            Some(signature) => part["thoughtSignature"] = signature.clone(),
            None if part["text"] == "" => continue,
            None => {}
        }
        parts.push(part);
    }
    (at == said.len() && calls.next().is_none()).then_some(parts)
}

fn kept(message: &Message) -> Option<&Vec<Value>> {
    message.provider_state.as_ref()?.get(PROTOCOL)?.as_array()
}

/// For each call of a message the id the provider gave, where it gave one. Ids that were made here mean nothing to it.
fn given_ids(message: &Message) -> Vec<Option<Value>> {
    let given = kept(message).into_iter().flatten().filter_map(|kept| kept.get("call"));
    let mut given: Vec<_> = given.map(|id| Some(id).filter(|id| !id.is_null()).cloned()).collect();
    given.resize(message.tool_calls.len(), None);
    given
}

fn function_call(call: &ToolCall, id: Option<&Value>) -> Value {
    let mut function = json!({ "name": call.name, "args": arguments_object(call, "arguments") });
    if let Some(id) = id {
        function["id"] = id.clone();
    }
    json!({ "functionCall": function })
}

/// A result is an object on this wire: that of the tool, or one with what it gave as its output.
fn function_response(message: &Message, called: &HashMap<&str, (&str, Option<Value>)>) -> Value {
    let said = message.content.text();
    let parsed = serde_json::from_str::<Value>(&said).ok().filter(Value::is_object);
    let id = message.tool_call_id.as_deref().unwrap_or_default();
    let (name, given) = called.get(id).map_or((id, None), |(name, given)| (*name, given.as_ref()));
    let mut function =
        json!({ "name": name, "response": parsed.unwrap_or_else(|| json!({ "output": said })) });
    if let Some(given) = given {
        function["id"] = given.clone();
    }
    json!({ "functionResponse": function })
}
