//! Taking known keys out of texts. Owns what counts as a key in a text: the whole of it, or so long a beginning of it
//! (servers' words are cut short) that it is no coincidence.

use std::sync::{PoisonError, RwLock};

use aho_corasick::{AhoCorasick, Input};
use plait_engine::error::Fault;
use secrecy::{ExposeSecret as _, SecretString};
use serde_json::Value;

/// Shorter ones ("none", "ollama") are words that people give to servers that want no key. They are no secrets, and
/// taking them out would hurt ordinary text.
const SHORTEST: usize = 8;
/// A beginning of a key that long is taken out, too. What many keys begin with (`sk-ant-api03-`) is shorter.
const BEGINNING: usize = 16;

/// The keys that this process has had in hand.
#[derive(Default)]
pub(crate) struct Redaction(RwLock<Known>);

#[derive(Default)]
struct Known {
    keys: Vec<(String, SecretString)>,
    /// Finds where a key begins.
    beginnings: Option<AhoCorasick>,
}

impl Redaction {
    /// From now on the key of `provider` is taken out.
    pub(super) fn learn(&self, provider: &str, key: &SecretString) {
        let text = key.expose_secret();
        let is_known = |known: &Known| known.keys.iter().any(|(_, other)| other.expose_secret() == text);
        if text.len() < SHORTEST || is_known(&self.read()) {
            return;
        }
        let mut known = self.0.write().unwrap_or_else(PoisonError::into_inner);
        if !is_known(&known) {
            known.keys.push((provider.to_owned(), key.clone()));
            let beginnings = known.keys.iter().map(|(_, key)| beginning(key.expose_secret()));
            // It fails only for more patterns than memory holds.
            known.beginnings = AhoCorasick::new(beginnings).ok();
        }
    }

    /// The text with `[key of NAME]` where a key was.
    pub(crate) fn text(&self, text: &str) -> String {
        let known = self.read();
        let Some(beginnings) = &known.beginnings else { return text.to_owned() };
        let (mut out, mut at) = (String::new(), 0);
        while let Some(found) = beginnings.find(Input::new(text).range(at..)) {
            let rest = &text[found.start()..];
            // Keys may begin alike: the one that goes on longest is meant.
            let (name, length) = known
                .keys
                .iter()
                .map(|(name, key)| (name, common(rest, key.expose_secret())))
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

    /// The fault with no key in any of its parts.
    pub(crate) fn fault(&self, mut fault: Fault) -> Fault {
        fault.message = self.text(&fault.message);
        fault.hint = fault.hint.map(|hint| self.text(&hint));
        self.value(&mut fault.details);
        fault
    }

    /// Takes keys out of every text of a value.
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

    /// How many bytes at the end of `text` may be the beginning of a key that goes on in what comes next.
    pub(crate) fn unfinished(&self, text: &str) -> usize {
        let known = self.read();
        let longest = |key: &str| {
            (1..key.len().min(text.len() + 1)).rev().find(|&length| text.ends_with(&key[..length]))
        };
        known.keys.iter().filter_map(|(_, key)| longest(key.expose_secret())).max().unwrap_or(0)
    }

    /// Whether there is any key to take out.
    pub(crate) fn is_idle(&self) -> bool {
        self.read().keys.is_empty()
    }

    fn read(&self) -> std::sync::RwLockReadGuard<'_, Known> {
        self.0.read().unwrap_or_else(PoisonError::into_inner)
    }
}

fn beginning(key: &str) -> &str {
    &key[..key.len().min(BEGINNING)]
}

/// How many bytes two texts begin with alike.
fn common(one: &str, other: &str) -> usize {
    one.bytes().zip(other.bytes()).take_while(|(one, other)| one == other).count()
}

#[cfg(test)]
mod tests;
