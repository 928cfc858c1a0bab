//! Edits of a history by a person: which are refused, and what they make of it.
//!
//! Providers refuse conversations in which a tool's result has no call, a call has no result, or one side speaks twice in a row. An edit may
//! not bring that about. Where a history is like that already, the edit is not to blame.

use std::collections::BTreeMap;
use std::sync::Arc;

use rustc_hash::FxHashSet;
use serde::{Deserialize, Serialize};
use ts_rs::TS;

use super::{Content, ContextRecord, History, Message, Role, SharedMessage, ToolCall};
use crate::codes;
use plait_core::error::Fault;
use plait_core::id::MessageId;
use plait_core::origin::{Origin, Origins};

/// What a person wants of a message.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct MessageEdit {
    pub message: MessageId,
    /// What it says from now on. Without a text, it is removed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub text: Option<String>,
}

/// A message of a history that a person replaced or removed.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct EditedMessage {
    /// The message that stood there.
    pub message: MessageId,
    /// The message that stands there now. Without one, it was removed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(as = "Option<super::Message>", optional)]
    pub by: Option<SharedMessage>,
}

/// Works out what edits make of the history of a context. `number` makes the ids of new messages unique in the run, `count` says how many
/// tokens a message has. Fault `debug.bad_history`.
pub fn edited_messages(
    context: &ContextRecord,
    edits: &[MessageEdit],
    number: u64,
    count: impl Fn(&Content, &[ToolCall]) -> u32,
) -> Result<Vec<EditedMessage>, Fault> {
    let history = &context.message_history;
    let mut edited = Vec::new();
    for edit in edits {
        let Some(message) = history.position(&edit.message).and_then(|at| history.get(at)) else {
            return Err(refused(format!("The history has no message `{}`.", edit.message)));
        };
        let by = edit.text.as_ref().map(|text| reworded(message, text, number, &count)).transpose()?;
        edited.push(EditedMessage { message: edit.message.clone(), by });
    }
    let known: FxHashSet<Problem<'_>> =
        problems(history.iter().map(|message| (&message.id, message))).collect();
    let by_id = by_id(&edited);
    let after = history.iter().filter_map(|message| match by_id.get(&message.id) {
        None => Some((&message.id, message)),
        Some(by) => by.map(|by| (&message.id, by)),
    });
    let introduced =
        problems(after).find(|problem| !known.contains(problem)).map(|problem| problem.message());
    match introduced {
        Some(message) => Err(refused(message)),
        None => Ok(edited),
    }
}

/// The history with edits.
#[must_use]
pub fn with_edits(history: &History, edits: &[EditedMessage]) -> History {
    let by_id = by_id(edits);
    let messages = history.iter().filter_map(|message| match by_id.get(&message.id) {
        None => Some(Arc::clone(message)),
        Some(by) => by.cloned(),
    });
    messages.collect()
}

fn by_id(edits: &[EditedMessage]) -> BTreeMap<&MessageId, Option<&SharedMessage>> {
    edits.iter().map(|edit| (&edit.message, edit.by.as_ref())).collect()
}

/// The same message with another text. It is a message of its own, since prompts that were sent refer to the first one.
fn reworded(
    message: &Message,
    text: &str,
    number: u64,
    count: impl Fn(&Content, &[ToolCall]) -> u32,
) -> Result<SharedMessage, Fault> {
    let content = Content::with_attachments(text.to_owned(), message.content.attachments().cloned());
    if text.trim().is_empty() {
        return Err(refused("A message has to say something.".to_owned()));
    }
    Ok(Arc::new(Message {
        id: format!("{}~{number}", message.id).into(),
        tokens: count(&content, &message.tool_calls),
        content,
        // They were those of the first text.
        reasoning: None,
        provider_state: None,
        truncated: false,
        // What it says in place of the first one is not said to a model beside it.
        repeats: message.repeats.clone().or_else(|| Some(message.id.clone())),
        origins: Origins::of(Origin::Person),
        ..message.clone()
    }))
}

/// Something about a history that providers refuse.
#[derive(PartialEq, Eq, Hash)]
enum Problem<'a> {
    /// A message of the same side follows.
    SameSide(&'a MessageId, &'a MessageId),
    StartsWithReply(&'a MessageId),
    EndsWithQuestion(&'a MessageId),
    CallWithoutResult(&'a str),
    ResultWithoutCall(&'a str),
}

impl Problem<'_> {
    fn message(&self) -> String {
        match self {
            Self::SameSide(first, second) => format!(
                "`{first}` and `{second}` would follow each other, and are of the same side. Remove a question with its reply."
            ),
            Self::StartsWithReply(_) => {
                "The history would start with a reply that has no question.".to_owned()
            }
            Self::EndsWithQuestion(_) => "The history would end without a reply.".to_owned(),
            Self::CallWithoutResult(id) => format!("The tool call `{id}` would have no result."),
            Self::ResultWithoutCall(id) => format!("The result of the tool call `{id}` would have no call."),
        }
    }
}

/// What providers refuse about messages, each with the id that it had before edits.
fn problems<'a>(
    messages: impl Iterator<Item = (&'a MessageId, &'a SharedMessage)>,
) -> impl Iterator<Item = Problem<'a>> {
    let mut found = Vec::new();
    let mut previous: Option<(&MessageId, &SharedMessage)> = None;
    let mut open: Vec<&str> = Vec::new();
    for (id, message) in messages.filter(|(_, message)| message.role != Role::System) {
        if message.role == Role::Tool {
            let call = message.tool_call_id.as_deref().unwrap_or_default();
            match open.iter().position(|known| *known == call) {
                Some(at) => drop(open.swap_remove(at)),
                None => found.push(Problem::ResultWithoutCall(call)),
            }
        } else {
            found.extend(open.drain(..).map(Problem::CallWithoutResult));
            match previous {
                Some((before, last))
                    if last.role == message.role
                        || (last.role == Role::Tool && message.role == Role::User) =>
                {
                    found.push(Problem::SameSide(before, id));
                }
                None if message.role == Role::Assistant => found.push(Problem::StartsWithReply(id)),
                _ => {}
            }
            open.extend(message.tool_calls.iter().map(|call| call.id.as_str()));
        }
        previous = Some((id, message));
    }
    found.extend(open.into_iter().map(Problem::CallWithoutResult));
    if let Some((id, last)) = previous
        && last.role != Role::Assistant
    {
        found.push(Problem::EndsWithQuestion(id));
    }
    found.into_iter()
}

fn refused(message: String) -> Fault {
    Fault::new(codes::DEBUG_BAD_HISTORY, message)
        .hint("Questions and replies have to alternate, and each tool call needs its result, as models are sent them.")
}

#[cfg(test)]
mod tests;
