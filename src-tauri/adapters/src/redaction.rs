//! Removes secrets from texts before anything stores, shows or sends them.
//!
//! A secret is a key that Plait holds, a value of the environment or of a `.env` file with a name that says so, or a
//! text in the published form of a key, or a match of the person's patterns. Secrets that are known by their value are
//! also found in disguise; `docs/keys.md` lists the disguises. A secret is replaced by a label that names it.

mod disguises;
mod environment;
mod folded_text;
mod invisible;
mod key_patterns;
mod patterns;
mod preceding;
mod secret_matcher;

use std::borrow::Cow;
use std::ops::Range;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::PathBuf;
use std::sync::Arc;

use parking_lot::RwLock;
use plait_core::error::Fault;
use secrecy::{ExposeSecret as _, SecretString};
use serde_json::Value;

use disguises::disguises;
use folded_text::FoldedText;
pub(crate) use invisible::is_invisible;
use patterns::PatternSet;
pub use patterns::{RedactionPattern, RedactionSettings};
pub(crate) use preceding::Preceding;
use secret_matcher::SecretMatcher;

/// Shorter keys ("none", "ollama") are placeholders for servers that need no key. They are not secret, and redacting them
/// would damage ordinary text.
const MIN_KEY_BYTES: usize = 8;
/// How much of a stream may be held back. More than the longest private key.
const MAX_HELD_BYTES: usize = 32 << 10;

/// Knows secrets and removes them from texts.
#[derive(Default)]
pub struct Redaction(RwLock<Arc<KnownSecrets>>);

#[derive(Default)]
struct KnownSecrets {
    secrets: Vec<Secret>,
    matcher: Arc<SecretMatcher>,
    /// What the person wants redacted, too.
    patterns: Arc<PatternSet>,
}

#[derive(Clone)]
struct Secret {
    /// What it is replaced by, without brackets.
    label: String,
    value: SecretString,
    /// Whether parts of it are secret, too.
    has_secret_parts: bool,
}

/// A secret in a text.
struct Finding {
    range: Range<usize>,
    label: String,
}

impl Redaction {
    /// Knows the secrets in the environment of this process and in the `.env` files of the working directory.
    pub fn of_process() -> Self {
        let redaction = Self::default();
        redaction.add(environment::process_secrets().into_iter().flat_map(environment_secret));
        if let Ok(folder) = std::env::current_dir() {
            redaction.add_env_files(&[folder]);
        }
        redaction
    }

    /// Redacts the secrets in the `.env` files of these folders from now on.
    pub fn add_env_files(&self, folders: &[PathBuf]) {
        let variables = folders.iter().flat_map(|folder| environment::folder_secrets(folder));
        self.add(variables.flat_map(environment_secret));
    }

    /// Redacts the key of `provider` from now on.
    pub(crate) fn add_key(&self, provider: &str, key: &SecretString) {
        self.add_keys([(provider, key)]);
    }

    /// Redacts a key that another program sends to `provider` from now on.
    pub fn add_sent_key(&self, provider: &str, key: &str) {
        self.add_key(provider, &SecretString::from(key));
    }

    /// Redacts keys from now on, each with the provider that it belongs to.
    pub(crate) fn add_keys<'a>(&self, keys: impl IntoIterator<Item = (&'a str, &'a SecretString)>) {
        let keys = keys.into_iter().filter(|(_, key)| key.expose_secret().len() >= MIN_KEY_BYTES);
        self.add(keys.map(|(provider, key)| Secret {
            label: format!("key of {provider}"),
            value: key.clone(),
            has_secret_parts: true,
        }));
    }

    /// Redacts what these patterns match from now on, in place of earlier ones. Returns why some cannot be used; the others are.
    pub fn set_patterns(&self, settings: &RedactionSettings) -> Vec<Fault> {
        let (patterns, faults) = PatternSet::new(settings);
        let mut known = self.0.write();
        let (secrets, matcher) = (known.secrets.clone(), Arc::clone(&known.matcher));
        *known = Arc::new(KnownSecrets { secrets, matcher, patterns: Arc::new(patterns) });
        faults
    }

    fn add(&self, new: impl IntoIterator<Item = Secret>) {
        let is_key = |secret: &Secret| secret.label.starts_with("key of ");
        let is_known = |known: &KnownSecrets, secret: &Secret| {
            let mut equal =
                known.secrets.iter().filter(|one| one.value.expose_secret() == secret.value.expose_secret());
            equal.any(|one| is_key(one) || !is_key(secret))
        };
        let current = Arc::clone(&self.0.read());
        let new: Vec<Secret> = new.into_iter().filter(|secret| !is_known(&current, secret)).collect();
        if new.is_empty() {
            return;
        }
        let mut known = self.0.write();
        // A key is called by its provider, also if a variable holds it, too.
        let replaces =
            |secret: &Secret| new.iter().any(|one| one.value.expose_secret() == secret.value.expose_secret());
        let kept = known.secrets.iter().filter(|secret| !replaces(secret)).cloned();
        let mut secrets: Vec<Secret> = kept.collect();
        secrets.extend(new);
        let forms =
            secrets.iter().map(|secret| disguises(secret.value.expose_secret(), secret.has_secret_parts));
        let (matcher, patterns) = (Arc::new(SecretMatcher::new(forms)), Arc::clone(&known.patterns));
        *known = Arc::new(KnownSecrets { secrets, matcher, patterns });
    }

    /// The text with every secret replaced by its label in brackets.
    pub fn text<'a>(&self, text: &'a str) -> Cow<'a, str> {
        self.text_after(text, Preceding::default())
    }

    /// The same for a part of a text, with what precedes it.
    pub(crate) fn text_after<'a>(&self, text: &'a str, preceding: Preceding) -> Cow<'a, str> {
        let findings = self.find(text, preceding);
        if findings.is_empty() {
            return Cow::Borrowed(text);
        }
        let (mut out, mut at) = (String::with_capacity(text.len()), 0);
        for Finding { range, label } in findings {
            out.push_str(&text[at..range.start]);
            out.push('[');
            out.push_str(&label);
            out.push(']');
            at = range.end;
        }
        out.push_str(&text[at..]);
        Cow::Owned(out)
    }

    /// The secrets in a text, in order, each with the label in brackets that takes its place.
    pub fn replacements(&self, text: &str) -> Vec<(Range<usize>, String)> {
        let findings = self.find(text, Preceding::default()).into_iter();
        findings.map(|Finding { range, label }| (range, format!("[{label}]"))).collect()
    }

    /// The text with each byte of a secret replaced by an asterisk, so that all positions in it stay what they are. Line ends and
    /// what structures JSON stays, too.
    pub fn masked<'a>(&self, text: &'a str) -> Cow<'a, str> {
        let findings = self.find(text, Preceding::default());
        if findings.is_empty() {
            return Cow::Borrowed(text);
        }
        let (mut out, mut at) = (String::with_capacity(text.len()), 0);
        for Finding { range, .. } in findings {
            out.push_str(&text[at..range.start]);
            for character in text[range.clone()].chars() {
                match character {
                    '"' | '\\' | '\n' | '\r' => out.push(character),
                    _ => (0..character.len_utf8()).for_each(|_| out.push('*')),
                }
            }
            at = range.end;
        }
        out.push_str(&text[at..]);
        Cow::Owned(out)
    }

    /// What the text gives away, if it holds a secret: the label of the first one.
    pub fn first_secret(&self, text: &str) -> Option<String> {
        self.find(text, Preceding::default()).into_iter().next().map(|finding| finding.label)
    }

    /// Redacts every text in a value, and numbers that are secrets. Returns whether there was a secret.
    pub fn value(&self, value: &mut Value) -> bool {
        match value {
            Value::String(text) => match self.text(text) {
                Cow::Borrowed(_) => false,
                Cow::Owned(redacted) => {
                    *text = redacted;
                    true
                }
            },
            Value::Number(number) => match self.text(&number.to_string()) {
                Cow::Borrowed(_) => false,
                Cow::Owned(redacted) => {
                    *value = Value::String(redacted);
                    true
                }
            },
            Value::Array(items) => items.iter_mut().fold(false, |found, item| self.value(item) | found),
            Value::Object(map) => {
                let mut found = map.values_mut().fold(false, |found, inner| self.value(inner) | found);
                if map.keys().any(|name| matches!(self.text(name), Cow::Owned(_))) {
                    found = true;
                    let entries = std::mem::take(map).into_iter();
                    *map = entries.map(|(name, inner)| (self.text(&name).into_owned(), inner)).collect();
                }
                found
            }
            Value::Null | Value::Bool(_) => false,
        }
    }

    /// The fault with every part redacted.
    pub fn fault(&self, mut fault: Fault) -> Fault {
        fault.message = self.text(&fault.message).into_owned();
        fault.hint = fault.hint.map(|hint| self.text(&hint).into_owned());
        self.value(&mut fault.details);
        let mut cause = fault.cause.as_deref_mut();
        while let Some(one) = cause {
            one.message = self.text(&one.message).into_owned();
            cause = one.cause.as_deref_mut();
        }
        fault
    }

    /// How much of the beginning of a streamed text can be redacted and passed on before the rest arrives. The rest may
    /// be the beginning of a secret.
    pub(crate) fn decided_len(&self, text: &str, preceding: Preceding) -> usize {
        // If the search fails, nothing of the text is shown before its end.
        catch_unwind(AssertUnwindSafe(|| self.decide(text, preceding))).unwrap_or(0)
    }

    fn decide(&self, text: &str, preceding: Preceding) -> usize {
        let known = Arc::clone(&self.0.read());
        let complete = &text[..folded_text::incomplete_escape_start(text)];
        let Some(folded) = FoldedText::new(complete) else { return text.len() };
        let bytes = &folded.bytes()[..folded.complete_len()];
        let undecided = folded.start_of(bytes.len() - known.matcher.undecided_len(bytes));
        let open = key_patterns::scan(text, preceding).open_from.unwrap_or(text.len());
        let mut decided = undecided.min(open).min(known.patterns.decided_len(text));
        // A secret is replaced as a whole.
        for finding in self.find(text, preceding).iter().rev() {
            let rest = complete.get(finding.range.end..).unwrap_or_default();
            let reaches_end = rest.chars().all(invisible::is_invisible);
            if finding.range.start < decided && (decided < finding.range.end || reaches_end) {
                decided = finding.range.start;
            }
        }
        if text.len() - decided > MAX_HELD_BYTES { text.len() } else { decided }
    }

    /// All secrets in a text, in order, without overlap. If the search itself fails, the whole text counts as one.
    fn find(&self, text: &str, preceding: Preceding) -> Vec<Finding> {
        let search = AssertUnwindSafe(|| self.search(text, preceding));
        catch_unwind(search).unwrap_or_else(|_| {
            let label = "text that could not be searched for secrets".to_owned();
            vec![Finding { range: 0..text.len(), label }]
        })
    }

    fn search(&self, text: &str, preceding: Preceding) -> Vec<Finding> {
        let known = Arc::clone(&self.0.read());
        // Known secrets come first: their label says more.
        let mut all: Vec<(Range<usize>, &str)> = Vec::new();
        if !known.matcher.is_empty() {
            let Some(folded) = FoldedText::new(text) else {
                let label = "text too large to search for secrets".to_owned();
                return vec![Finding { range: 0..text.len(), label }];
            };
            all.extend(
                known.matcher.find(folded.bytes()).into_iter().map(|found| {
                    (folded.source_range(found.range), known.secrets[found.secret].label.as_str())
                }),
            );
        }
        let patterns = key_patterns::scan(text, preceding).matches;
        all.extend(patterns.into_iter().map(|found| (found.range, found.name)));
        all.extend(known.patterns.find(text));
        all.sort_by_key(|(range, _)| range.start);
        let mut findings: Vec<Finding> = Vec::new();
        for (range, label) in all {
            match findings.last_mut().filter(|last| range.start < last.range.end) {
                Some(last) => {
                    // The longer one names both.
                    if range.len() > last.range.len() {
                        label.clone_into(&mut last.label);
                    }
                    last.range.end = last.range.end.max(range.end);
                }
                None => findings.push(Finding { range, label: label.to_owned() }),
            }
        }
        findings
    }
}

/// The secrets that the value of a variable holds: itself and, where it is more than one word, the parts that are secret
/// alone.
fn environment_secret((name, value): (String, String)) -> Vec<Secret> {
    /// Shorter parts match ordinary text.
    const MIN_PART_CHARS: usize = 20;
    let value = value.trim();
    let secret = |value: &str, has_secret_parts| Secret {
        label: format!("value of {name}"),
        value: SecretString::from(value),
        has_secret_parts,
    };
    let is_structured = value.contains(char::is_whitespace)
        || value.contains("://")
        || value.contains("\\n")
        || value.starts_with(['/', '{', '[', '~', '.']);
    if !is_structured {
        return vec![secret(value, true)];
    }
    let mut secrets = vec![secret(value, false)];
    let is_separator = |char: char| char.is_whitespace() || "\"'`,;:@?&{}[]()<>\\".contains(char);
    let looks_random = |part: &&str| {
        part.len() >= MIN_PART_CHARS
            && part.bytes().any(|byte| byte.is_ascii_digit())
            && part.bytes().any(|byte| byte.is_ascii_lowercase())
            && part.bytes().any(|byte| byte.is_ascii_uppercase())
    };
    secrets.extend(value.split(is_separator).filter(looks_random).map(|part| secret(part, true)));
    let password = url::Url::parse(value).ok().and_then(|url| url.password().map(str::to_owned));
    secrets.extend(
        password.filter(|password| password.len() >= MIN_KEY_BYTES).map(|password| secret(&password, true)),
    );
    secrets
}

#[cfg(test)]
mod tests;
