//! Encodes the conversation as contents: user and model alternate, each with a list of parts. Merges adjacent messages of
//! one role, sends signatures and ids back unchanged, and assigns each result to its function.

use std::collections::HashMap;

use plait_core::attachment::Attachment;
use plait_llm::context::{Content, Message, Part, Role, SharedMessage, ToolCall};
use serde_json::{Value, json};

use super::STATE_KEY;
use crate::providers::protocol::tool_calls::arguments_object;

/// The contents without system messages, which are part of the instructions.
pub(super) fn contents(history: &[SharedMessage]) -> Vec<Value> {
    let mut turns: Vec<(&str, Vec<Value>)> = Vec::new();
    // The function's name and the provider's id of each call, by the id that results refer to.
    let mut called: HashMap<&str, (&str, Option<Value>)> = HashMap::new();
    for message in history {
        let (role, parts) = match message.role {
            Role::System => continue,
            Role::User => ("user", content(&message.content)),
            Role::Tool => ("user", vec![function_response(message, &called)]),
            Role::Assistant => {
                let ids = provider_ids(message);
                let calls = message.tool_calls.iter().zip(ids);
                called.extend(calls.map(|(call, id)| (call.id.as_str(), (call.name.as_str(), id))));
                ("model", from_provider_state(message).unwrap_or_else(|| plain(message)))
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

fn inline_data(attachment: &Attachment) -> Value {
    json!({ "inlineData": { "mimeType": attachment.media_type, "data": attachment.base64() } })
}

fn content(content: &Content) -> Vec<Value> {
    let part = |part: &Part| match part {
        Part::Text { text: content } => text(content),
        Part::Attachment(attachment) => Some(inline_data(attachment)),
    };
    match content {
        Content::Text(content) => text(content).into_iter().collect(),
        Content::Parts(parts) => parts.iter().filter_map(part).collect(),
    }
}

fn plain(message: &Message) -> Vec<Value> {
    let calls = message.tool_calls.iter().map(|call| function_call(call, None));
    content(&message.content).into_iter().chain(calls).collect()
}

/// The parts in their original order, with their ids and signatures. None if there is no state, or if it no longer matches
/// the message.
fn from_provider_state(message: &Message) -> Option<Vec<Value>> {
    let text = message.content.text();
    let (mut at, mut calls, mut parts) = (0, message.tool_calls.iter(), Vec::new());
    let mut attachments = message.content.attachments();
    for entry in state_parts(message)? {
        let mut part = if let Some(id) = entry.get("call") {
            function_call(calls.next()?, Some(id).filter(|id| !id.is_null()))
        } else if entry.get("attachment").is_some() {
            inline_data(attachments.next()?)
        } else {
            let end = usize::try_from(entry.get("text")?.as_u64()?).ok()?.checked_add(at)?;
            let fragment = text.get(at..end)?;
            at = end;
            json!({ "text": fragment })
        };
        match entry.get("thoughtSignature") {
            Some(signature) => part["thoughtSignature"] = signature.clone(),
            None if part["text"] == "" => continue,
            None => {}
        }
        parts.push(part);
    }
    let is_whole = at == text.len() && calls.next().is_none() && attachments.next().is_none();
    is_whole.then_some(parts)
}

fn state_parts(message: &Message) -> Option<&Vec<Value>> {
    message.provider_state.as_ref()?.get(STATE_KEY)?.as_array()
}

/// The provider's id of each call of a message, if it sent one. Ids that Plait generated mean nothing to the provider.
fn provider_ids(message: &Message) -> Vec<Option<Value>> {
    let ids = state_parts(message).into_iter().flatten().filter_map(|entry| entry.get("call"));
    let mut ids: Vec<_> = ids.map(|id| Some(id).filter(|id| !id.is_null()).cloned()).collect();
    ids.resize(message.tool_calls.len(), None);
    ids
}

fn function_call(call: &ToolCall, id: Option<&Value>) -> Value {
    let mut function = json!({ "name": call.name, "args": arguments_object(call, "arguments") });
    if let Some(id) = id {
        function["id"] = id.clone();
    }
    json!({ "functionCall": function })
}

/// A result must be an object: the tool's own, or one with the tool's result as `output`.
fn function_response(message: &Message, called: &HashMap<&str, (&str, Option<Value>)>) -> Value {
    let text = message.content.text();
    let parsed = serde_json::from_str::<Value>(&text).ok().filter(Value::is_object);
    let id = message.tool_call_id.as_deref().unwrap_or_default();
    let (name, provider_id) =
        called.get(id).map_or((id, None), |(name, provider_id)| (*name, provider_id.as_ref()));
    let mut function =
        json!({ "name": name, "response": parsed.unwrap_or_else(|| json!({ "output": text })) });
    if let Some(provider_id) = provider_id {
        function["id"] = provider_id.clone();
    }
    json!({ "functionResponse": function })
}
