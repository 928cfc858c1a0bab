//! What of a file must not enter a flow: keys and passwords that other tools store in their files. Found by the names of
//! settings, and by what keys look like.

use std::borrow::Cow;

use serde_json::Value;

/// What the names of settings end with that hold a secret, in lower case and without dashes.
const SECRET_NAMES: [&str; 12] = [
    "apikey",
    "password",
    "passwd",
    "passphrase",
    "secret",
    "token",
    "privatekey",
    "secretkey",
    "accesskey",
    "bearer",
    "authorization",
    "cookie",
];
/// Names that mean a secret in requests, and anything in other settings.
const SECRET_REQUEST_NAMES: [&str; 7] =
    ["key", "auth", "appid", "sig", "signature", "credential", "credentials"];
/// What keys of well-known services begin with.
const SECRET_PREFIXES: [&str; 12] =
    ["sk-", "sk_", "rk_", "ghp_", "gho_", "github_pat_", "xoxb-", "xoxp-", "AKIA", "AIza", "gsk_", "glpat-"];
/// Shorter words are no keys.
const MIN_SECRET_CHARS: usize = 12;

/// The value without what looks like a secret, and how many were removed. Bounded by the depth of the file.
pub(super) fn without_secrets(value: &Value) -> (Value, usize) {
    let mut value = value.clone();
    let removed = remove(&mut value, false);
    (value, removed)
}

/// Removes words that look like keys, in settings of any name. Returns how many texts had some.
pub(super) fn remove_keys(value: &mut Value) -> usize {
    match value {
        Value::String(text) => match without_keys(text) {
            Cow::Borrowed(_) => 0,
            Cow::Owned(rest) => {
                *text = rest;
                1
            }
        },
        Value::Array(items) => items.iter_mut().map(remove_keys).sum(),
        Value::Object(entries) => entries.values_mut().map(remove_keys).sum(),
        _ => 0,
    }
}

/// Whether a header, a parameter or a field of a request is one that proves who sends it.
pub(super) fn is_credential_name(name: &str) -> bool {
    is_secret_name(name) || SECRET_REQUEST_NAMES.contains(&normalized(name).as_str())
}

/// A text without words that look like keys.
pub(super) fn without_keys(text: &str) -> Cow<'_, str> {
    if !may_hold_keys(text) {
        return Cow::Borrowed(text);
    }
    let mut kept = String::new();
    let mut done = 0;
    for (start, end) in words(text) {
        if start < done {
            continue;
        }
        let end = match &text[end..] {
            // The name and the password before the host of an address.
            rest if rest.starts_with("://") => {
                let host = &rest[3..];
                let length = host.find(|one: char| one.is_whitespace() || "/?#\"'`<>".contains(one));
                let Some((user, _)) = host[..length.unwrap_or(host.len())].rsplit_once('@') else { continue };
                if user.contains("{{") {
                    continue;
                }
                kept.push_str(&text[done..end + 3]);
                done = end + 3 + user.len() + 1;
                continue;
            }
            _ => end,
        };
        let is_after_scheme = ["bearer ", "basic "].iter().any(|scheme| {
            let before = &text.as_bytes()[..start];
            before.len() >= scheme.len()
                && before[before.len() - scheme.len()..].eq_ignore_ascii_case(scheme.as_bytes())
        });
        if looks_like_key(&text[start..end], is_after_scheme) {
            kept.push_str(&text[done..start]);
            done = end;
        }
    }
    if done == 0 {
        return Cow::Borrowed(text);
    }
    kept.push_str(&text[done..]);
    Cow::Owned(kept)
}

/// Whether it is worth to look at each word.
fn may_hold_keys(text: &str) -> bool {
    let marks = ["://", "earer ", "EARER ", "asic ", "ASIC "];
    SECRET_PREFIXES.iter().chain(&marks).any(|mark| text.contains(mark))
}

/// Where the words of a text are, of the characters that keys consist of.
fn words(text: &str) -> impl Iterator<Item = (usize, usize)> {
    let is_part = |one: char| one.is_ascii_alphanumeric() || matches!(one, '-' | '_' | '.' | '+');
    let mut at = 0;
    std::iter::from_fn(move || {
        let start = at + text[at..].find(is_part)?;
        let length = text[start..].find(|one| !is_part(one)).unwrap_or(text.len() - start);
        at = start + length;
        Some((start, at))
    })
}

fn looks_like_key(word: &str, is_after_scheme: bool) -> bool {
    word.len() >= MIN_SECRET_CHARS
        && word.bytes().any(|one| one.is_ascii_digit())
        && (is_after_scheme || SECRET_PREFIXES.iter().any(|prefix| word.starts_with(prefix)))
}

/// Whether a text is nothing but a value of the flow, as all of these tools write one.
fn is_reference(text: &str) -> bool {
    let text = text.trim().trim_start_matches('=').trim();
    let inner = text.strip_prefix("{{").and_then(|rest| rest.strip_suffix("}}"));
    inner.is_some_and(|inner| !inner.contains("}}"))
}

fn remove(value: &mut Value, is_secret: bool) -> usize {
    match value {
        Value::String(text) if is_secret && !text.is_empty() && !is_reference(text) => {
            text.clear();
            1
        }
        Value::String(_) => remove_keys(value),
        Value::Array(items) => items.iter_mut().map(|item| remove(item, is_secret)).sum(),
        Value::Object(entries) => {
            // Fields of forms, `{name: "api_key", password: true, value: "…"}`, and pairs, `{name: "X-API-Key", value: "…"}`.
            let names = ["name", "key", "header"].iter().filter_map(|key| entries.get(*key)?.as_str());
            let is_field = is_secret
                || entries.get("password").and_then(Value::as_bool) == Some(true)
                || names.into_iter().any(is_secret_name);
            let remove_entry = |(key, value): (&String, &mut Value)| {
                let is_named = is_secret_name(key) && !value.is_number() && !value.is_boolean();
                remove(value, is_named || is_field && key == "value")
            };
            entries.iter_mut().map(remove_entry).sum()
        }
        _ => 0,
    }
}

fn is_secret_name(name: &str) -> bool {
    let name = normalized(name);
    SECRET_NAMES.iter().any(|end| name.ends_with(end))
}

/// A name in lower case, without what separates its words.
fn normalized(name: &str) -> String {
    name.chars().filter(char::is_ascii_alphanumeric).map(|one| one.to_ascii_lowercase()).collect()
}

#[cfg(test)]
mod tests;
