//! What is said, as the messages of this wire: user and assistant in turns, each a list of blocks. Owns that neighbours of
//! one role become one message, that thoughts go back as they came, and where the history ends and what is newest begins.

use plait_engine::context::{Content, Message, Part, Role, SharedMessage, ToolCall};
use serde_json::{Value, json};

use super::{PROTOCOL, cache};
use crate::providers::tool_calls::arguments_object;

/// The messages, the system's left out: they go with the instructions.
pub(super) fn messages(history: &[SharedMessage]) -> Vec<Value> {
    let newest = history.iter().rposition(|message| message.role == Role::User);
    let mut turns: Vec<Turn> = Vec::new();
    for (at, message) in history.iter().enumerate() {
        if Some(at) == newest {
            mark_end(&mut turns);
        }
        let (role, blocks) = match message.role {
            Role::System => continue,
            Role::User => ("user", content(&message.content)),
            Role::Tool => ("user", vec![tool_result(message)]),
            Role::Assistant => ("assistant", assistant(message)),
        };
        match turns.last_mut() {
            _ if blocks.is_empty() => {}
            Some(turn) if turn.role == role => turn.blocks.extend(blocks),
            _ => turns.push(Turn { role, blocks }),
        }
    }
    let is_round = newest.is_some_and(|newest| newest + 1 < history.len());
    if is_round {
        mark_end(&mut turns);
    }
    turns.into_iter().map(|turn| json!({ "role": turn.role, "content": turn.blocks })).collect()
}

struct Turn {
    role: &'static str,
    blocks: Vec<Value>,
}

fn mark_end(turns: &mut [Turn]) {
    if let Some(block) = turns.last_mut().and_then(|turn| turn.blocks.last_mut()) {
        cache::mark(block);
    }
}

/// Empty texts are refused on this wire, so there are none.
fn text(text: &str) -> Option<Value> {
    (!text.trim().is_empty()).then(|| json!({ "type": "text", "text": text }))
}

fn content(content: &Content) -> Vec<Value> {
    let part = |part: &Part| match part {
        Part::Text { text: said } => text(said),
        Part::Image { media_type, data } => {
            let source = json!({ "type": "base64", "media_type": media_type, "data": data });
            Some(json!({ "type": "image", "source": source }))
        }
    };
    match content {
        Content::Text(said) => text(said).into_iter().collect(),
        Content::Parts(parts) => parts.iter().filter_map(part).collect(),
    }
}

fn tool_result(message: &Message) -> Value {
    let content = match &message.content {
        Content::Text(text) => json!(text),
        Content::Parts(_) => json!(content(&message.content)),
    };
    json!({ "type": "tool_result", "tool_use_id": message.tool_call_id, "content": content })
}

fn assistant(message: &Message) -> Vec<Value> {
    as_it_came(message).unwrap_or_else(|| {
        let calls = message.tool_calls.iter().map(tool_use);
        content(&message.content).into_iter().chain(calls).collect()
    })
}

/// The blocks in the order they came in, thoughts among them. Nothing where none were kept, or where what was kept is not
/// of this message any more.
fn as_it_came(message: &Message) -> Option<Vec<Value>> {
    let kept = message.provider_state.as_ref()?.get(PROTOCOL)?.as_array()?;
    let said = message.content.text();
    let (mut at, mut calls, mut blocks) = (0, message.tool_calls.iter(), Vec::new());
    for block in kept {
        match block.get("type")?.as_str()? {
            "text" => {
                let end = usize::try_from(block.get("bytes")?.as_u64()?).ok()?.checked_add(at)?;
                blocks.extend(text(said.get(at..end)?));
                at = end;
            }
            "tool_use" => blocks.push(tool_use(calls.next()?)),
            _ => blocks.push(block.clone()),
        }
    }
    (at == said.len() && calls.next().is_none()).then_some(blocks)
}

fn tool_use(call: &ToolCall) -> Value {
    let input = arguments_object(call, "arguments");
    json!({ "type": "tool_use", "id": call.id, "name": call.name, "input": input })
}
