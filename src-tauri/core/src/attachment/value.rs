//! Attachments as values on edges: the object that a part of a message has, or a list of them.

use serde::Deserialize;
use serde_json::{Value, json};

use super::Attachment;
use crate::codes;
use crate::error::Fault;
use crate::origin::{Origin, Origins};

/// The most attachments of one message: what Anthropic takes in a request for a model with a window of 200,000 tokens
/// (<https://docs.anthropic.com/en/docs/build-with-claude/vision>).
pub const MAX_ATTACHMENTS: usize = 100;

pub fn to_value(attachment: &Attachment) -> Value {
    let mut value = serde_json::to_value(attachment).unwrap_or_default();
    value["type"] = json!("attachment");
    value
}

/// The value of several attachments: a list.
pub fn to_values(attachments: &[Attachment]) -> Value {
    attachments.iter().map(to_value).collect()
}

/// The origins of all attachments in a value: each is a file of its name that a person gave.
pub fn origins_of_attachments(value: &Value) -> Origins {
    let mut names = Vec::new();
    let mut open = vec![value];
    while let Some(value) = open.pop() {
        match value {
            Value::Array(items) => open.extend(items),
            Value::Object(members) => {
                names.extend(read(value).ok().map(|attachment| Origin::Attachment(attachment.name)));
                open.extend(members.values());
            }
            _ => {}
        }
    }
    names.into_iter().collect()
}

/// Set in the JSON Schema of an answer: images and files may be attached to it.
pub const TAKES_ATTACHMENTS: &str = "x-attachments";

/// Whether images and files may be attached to an answer with this schema.
pub fn takes_attachments(schema: &Value) -> bool {
    schema.get(TAKES_ATTACHMENTS) == Some(&Value::Bool(true))
}

/// The attachments that a value is: one, a list of them, or null for none. Faults `attachment.bad_value`, `attachment.too_many`.
pub fn attachments_of(value: &Value) -> Result<Vec<Attachment>, Fault> {
    let attachments = match value {
        Value::Null => Vec::new(),
        Value::Array(values) => {
            let values = values.iter().filter(|value| !value.is_null());
            values.map(read).collect::<Result<Vec<_>, Fault>>()?
        }
        value => vec![read(value)?],
    };
    if attachments.len() > MAX_ATTACHMENTS {
        let message = format!(
            "A message has {} attachments; at most {MAX_ATTACHMENTS} are allowed.",
            attachments.len()
        );
        return Err(Fault::new(codes::ATTACHMENT_TOO_MANY, message).hint("Attach fewer files."));
    }
    Ok(attachments)
}

fn read(value: &Value) -> Result<Attachment, Fault> {
    let is_attachment = value.get("type").and_then(Value::as_str) == Some("attachment");
    let read = if is_attachment { Attachment::deserialize(value).ok() } else { None };
    read.ok_or_else(|| {
        let kind = match value {
            Value::String(_) => "a text",
            Value::Object(_) => "an object of another form",
            _ => "another value",
        };
        Fault::new(
            codes::ATTACHMENT_BAD_VALUE,
            format!("The value on `attach` is {kind}, not an image or a file."),
        )
        .hint("Connect the output `attachments` of a `userInput`, or give a file with `--attach`.")
    })
}
