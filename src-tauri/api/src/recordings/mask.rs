//! Masks names in a recording: each gets one placeholder, in flows, journals, settings and texts alike, in any case. Where it was part
//! of a request, the request is another one then; its key is made again by a rehearsal.

use std::borrow::Cow;
use std::collections::{BTreeMap, HashMap};
use std::ops::Range;
use std::sync::Arc;

use plait_adapters::Redaction;
use plait_core::flow;
use plait_core::hash::content_hash;
use plait_core::id::AttachmentHash;
use regex::{Regex, RegexBuilder};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

use super::content::{RecordedFlow, Recording};
use crate::ErrorReply;
use crate::codes;
use crate::flows::text::write_flow;

/// A name of one character would be everywhere.
const MIN_NAME_CHARS: usize = 2;

/// The names to mask.
pub(crate) struct Mask<'r> {
    names: Option<Regex>,
    /// The placeholders, by name in lower case.
    placeholders: HashMap<String, String>,
    /// Secrets that became known after the run are removed as well.
    redaction: &'r Redaction,
    /// The new hashes of flows and attachments with masked texts, and the sizes of these.
    hashes: HashMap<String, (String, u64)>,
}

impl<'r> Mask<'r> {
    /// `recording.mask` for a name that is too short.
    pub(crate) fn new(names: &[String], redaction: &'r Redaction) -> Result<Self, ErrorReply> {
        let mut placeholders = HashMap::new();
        for name in names.iter().map(|name| name.trim()) {
            if name.chars().count() < MIN_NAME_CHARS {
                return Err(refused(&format!("`{name}` is too short to be masked.")));
            }
            let number = placeholders.len() + 1;
            placeholders.entry(name.to_lowercase()).or_insert_with(|| format!("MASKED_{number}"));
        }
        let mut longest_first: Vec<&String> = placeholders.keys().collect();
        longest_first.sort_by_key(|name| std::cmp::Reverse(name.len()));
        let pattern: Vec<String> = longest_first.into_iter().map(|name| regex::escape(name)).collect();
        let names = (!pattern.is_empty())
            .then(|| RegexBuilder::new(&pattern.join("|")).case_insensitive(true).build())
            .transpose()
            .map_err(|error| refused(&format!("The names can't be searched for: {error}.")))?;
        Ok(Self { names, placeholders, redaction, hashes: HashMap::new() })
    }

    /// The recording with placeholders. `recording.mask` if it makes no sense with them.
    pub(crate) fn apply(mut self, recording: Recording) -> Result<Recording, ErrorReply> {
        let Recording { about, runs, flows, attachments } = recording;
        let mut masked_attachments = BTreeMap::new();
        for (hash, bytes) in attachments {
            let masked = text_of(&bytes).map(|text| self.text(text).into_owned().into_bytes());
            let bytes: Arc<[u8]> = masked.map_or(bytes, Into::into);
            let new = content_hash(&bytes);
            if new != hash.as_str() {
                self.hashes.insert(hash.as_str().to_owned(), (new.clone(), bytes.len() as u64));
            }
            masked_attachments.insert(AttachmentHash::from(new), bytes);
        }
        let mut masked_flows = BTreeMap::new();
        for (hash, flow) in flows {
            let value: Value = serde_json::from_str(&flow.text).map_err(|error| senseless(&error))?;
            let masked = self.value(value.clone());
            if masked == value {
                masked_flows.insert(hash, flow);
                continue;
            }
            let masked = masked.to_string();
            let flow = flow::read(&masked).map_err(|error| senseless(&error.diagnostic.message))?;
            let text = write_flow(&flow)?;
            let new = content_hash(text.as_bytes());
            masked_flows.insert(new.clone(), RecordedFlow::read(&new, text)?);
            self.hashes.insert(hash, (new, 0));
        }
        let about = self.changed(&about)?;
        let mut masked_runs = Vec::with_capacity(runs.len());
        for (run, entries) in runs {
            let entries = entries.iter().map(|entry| self.changed(entry)).collect::<Result<_, _>>()?;
            masked_runs.push((run, entries));
        }
        Ok(Recording { about, runs: masked_runs, flows: masked_flows, attachments: masked_attachments })
    }

    fn changed<T: Serialize + DeserializeOwned>(&self, whole: &T) -> Result<T, ErrorReply> {
        let value = serde_json::to_value(whole).map_err(|error| senseless(&error))?;
        T::deserialize(self.value(value)).map_err(|error| senseless(&error))
    }

    fn value(&self, value: Value) -> Value {
        match value {
            Value::String(text) => match self.hashes.get(&text) {
                Some((hash, _)) => Value::String(hash.clone()),
                None => Value::String(self.text(&text).into_owned()),
            },
            Value::Array(items) => items.into_iter().map(|item| self.value(item)).collect(),
            Value::Object(fields) => {
                let size =
                    attachment_hash(&fields).and_then(|hash| self.hashes.get(hash)).map(|(_, size)| *size);
                let masked =
                    fields.into_iter().map(|(key, value)| (self.text(&key).into_owned(), self.value(value)));
                let mut masked: Map<String, Value> = masked.collect();
                if let Some(size) = size {
                    masked.insert("bytes".to_owned(), size.into());
                }
                Value::Object(masked)
            }
            other => other,
        }
    }

    fn text<'t>(&self, text: &'t str) -> Cow<'t, str> {
        let redacted = self.redaction.text(text);
        let Some(names) = self.names.as_ref().filter(|names| names.is_match(&redacted)) else {
            return redacted;
        };
        let (mut masked, mut copied, mut from) = (String::with_capacity(redacted.len()), 0, 0);
        while let Some(found) = names.find_at(&redacted, from) {
            if stands_alone(&redacted, found.range()) {
                masked.push_str(&redacted[copied..found.start()]);
                let name = found.as_str().to_lowercase();
                // A letter may have another lower case than the pattern had: then no name is lost, but its number.
                masked.push_str(self.placeholders.get(&name).map_or("MASKED", String::as_str));
                copied = found.end();
                from = found.end();
            } else {
                from = found.start() + found.as_str().chars().next().map_or(1, char::len_utf8);
            }
        }
        masked.push_str(&redacted[copied..]);
        Cow::Owned(masked)
    }
}

/// Whether a name is no part of a longer word: `Ada` is in `Ada's`, `ada_notes` and `AdaLovelace`, but not in `metadata`. Scripts
/// without upper case have no gaps between words: there it is everywhere.
fn stands_alone(text: &str, Range { start, end }: Range<usize>) -> bool {
    let goes_on = |left: Option<char>, right: Option<char>| match (left, right) {
        (Some(left), Some(right)) => {
            let is_letter = |letter: char| letter.is_lowercase() || letter.is_uppercase();
            is_letter(left) && is_letter(right) && !(left.is_lowercase() && right.is_uppercase())
        }
        _ => false,
    };
    let (name, before, after) = (&text[start..end], &text[..start], &text[end..]);
    !goes_on(before.chars().next_back(), name.chars().next())
        && !goes_on(name.chars().next_back(), after.chars().next())
}

/// The text of an attachment that is one.
pub(super) fn text_of(bytes: &[u8]) -> Option<&str> {
    str::from_utf8(bytes).ok().filter(|text| !text.contains('\0') && !text.starts_with("%PDF"))
}

/// The hash of an attachment, if this is one.
pub(super) fn attachment_hash(fields: &Map<String, Value>) -> Option<&str> {
    fields.get("mediaType")?.as_str()?;
    fields.get("hash")?.as_str()
}

fn senseless(error: &impl ToString) -> ErrorReply {
    let message =
        format!("With the names masked, the recording can't be read any more: {}", error.to_string());
    refused(&message)
}

pub(crate) fn refused(message: &str) -> ErrorReply {
    ErrorReply::new(codes::RECORDING_MASK, message.to_owned()).hint(
        "Name what you want masked as it is written, without words that flow files themselves consist of.",
    )
}

#[cfg(test)]
mod tests;
