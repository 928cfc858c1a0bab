//! Removes known keys from texts. A match is a whole key, or a prefix of a key (servers shorten messages) that is long
//! enough not to be a coincidence.

use aho_corasick::{AhoCorasick, Input};
use parking_lot::RwLock;
use plait_engine::error::Fault;
use secrecy::{ExposeSecret as _, SecretString};
use serde_json::Value;

/// Shorter keys ("none", "ollama") are placeholders for servers that need no key. They are not secret, and redacting them
/// would damage ordinary text.
const MIN_KEY_BYTES: usize = 8;
/// A prefix of a key of this length is redacted, too. Longer than the prefixes that many keys share (`sk-ant-api03-`).
const MIN_PREFIX_BYTES: usize = 16;

/// Redacts every key that this process has used.
#[derive(Default)]
pub(crate) struct Redaction(RwLock<KnownKeys>);

#[derive(Default)]
struct KnownKeys {
    keys: Vec<(String, SecretString)>,
    /// Finds the prefixes of keys.
    prefixes: Option<AhoCorasick>,
}

impl Redaction {
    /// Redacts the key of `provider` from now on.
    pub(super) fn add_key(&self, provider: &str, key: &SecretString) {
        let text = key.expose_secret();
        let is_known = |known: &KnownKeys| known.keys.iter().any(|(_, other)| other.expose_secret() == text);
        if text.len() < MIN_KEY_BYTES || is_known(&self.0.read()) {
            return;
        }
        let mut known = self.0.write();
        if !is_known(&known) {
            known.keys.push((provider.to_owned(), key.clone()));
            let prefixes = known.keys.iter().map(|(_, key)| prefix(key.expose_secret()));
            // Fails only for more patterns than fit in memory.
            known.prefixes = AhoCorasick::new(prefixes).ok();
        }
    }

    /// The text with every key replaced by `[key of NAME]`.
    pub(crate) fn text(&self, text: &str) -> String {
        let known = self.0.read();
        let Some(prefixes) = &known.prefixes else { return text.to_owned() };
        let (mut out, mut at) = (String::new(), 0);
        while let Some(found) = prefixes.find(Input::new(text).range(at..)) {
            let rest = &text[found.start()..];
            // Keys may share a prefix: the longest match wins.
            let (name, length) = known
                .keys
                .iter()
                .map(|(name, key)| (name, common_prefix_len(rest, key.expose_secret())))
                .max_by_key(|(_, length)| *length)
                .unwrap_or((&known.keys[0].0, found.len()));
            out.push_str(&text[at..found.start()]);
            out.push_str("[key of ");
            out.push_str(name);
            out.push(']');
            at = found.start() + length;
        }
        out.push_str(&text[at..]);
        out
    }

    /// The fault with every part redacted.
    pub(crate) fn fault(&self, mut fault: Fault) -> Fault {
        fault.message = self.text(&fault.message);
        fault.hint = fault.hint.map(|hint| self.text(&hint));
        self.value(&mut fault.details);
        fault
    }

    /// Redacts every text in a value.
    pub(crate) fn value(&self, value: &mut Value) {
        match value {
            Value::String(text) => *text = self.text(text),
            Value::Array(items) => items.iter_mut().for_each(|item| self.value(item)),
            Value::Object(map) => {
                *map = std::mem::take(map)
                    .into_iter()
                    .map(|(name, mut inner)| {
                        self.value(&mut inner);
                        (self.text(&name), inner)
                    })
                    .collect();
            }
            _ => {}
        }
    }

    /// How many bytes at the end of `text` may be the beginning of a key that continues in the next chunk.
    pub(crate) fn partial_key_len(&self, text: &str) -> usize {
        let known = self.0.read();
        let longest = |key: &str| {
            (1..key.len().min(text.len() + 1)).rev().find(|&length| text.ends_with(&key[..length]))
        };
        known.keys.iter().filter_map(|(_, key)| longest(key.expose_secret())).max().unwrap_or(0)
    }

    /// Whether there is no key to redact.
    pub(crate) fn is_idle(&self) -> bool {
        self.0.read().keys.is_empty()
    }
}

fn prefix(key: &str) -> &str {
    &key[..key.len().min(MIN_PREFIX_BYTES)]
}

/// The length in bytes of the prefix that two texts share.
fn common_prefix_len(one: &str, other: &str) -> usize {
    one.bytes().zip(other.bytes()).take_while(|(one, other)| one == other).count()
}

#[cfg(test)]
mod tests;
