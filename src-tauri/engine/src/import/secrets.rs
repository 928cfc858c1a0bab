//! What of a file must not enter a flow: keys and passwords that other tools store in their files.

use serde_json::Value;

/// The ends of names of settings that hold a secret.
const SECRET_NAMES: [&str; 9] = [
    "apikey",
    "api_key",
    "password",
    "secret",
    "accesstoken",
    "access_token",
    "auth_token",
    "private_key",
    "bearer",
];
/// What values begin with that are keys of well-known services.
const SECRET_PREFIXES: [&str; 7] = ["sk-", "ghp_", "xoxb-", "xoxp-", "AKIA", "AIza", "gsk_"];
/// Shorter values are no keys.
const MIN_SECRET_CHARS: usize = 12;

/// The value without what looks like a secret, and how many were removed. Bounded by the depth of the file.
pub(super) fn without_secrets(value: &Value) -> (Value, usize) {
    let mut value = value.clone();
    let removed = remove(&mut value, false);
    (value, removed)
}

fn remove(value: &mut Value, is_secret: bool) -> usize {
    match value {
        Value::String(text) if !text.is_empty() && (is_secret || looks_like_key(text)) => {
            text.clear();
            1
        }
        Value::Array(items) => items.iter_mut().map(|item| remove(item, is_secret)).sum(),
        Value::Object(entries) => {
            // Fields of forms: `{name: "api_key", password: true, value: "…"}`.
            let is_field = entries.get("password").and_then(Value::as_bool) == Some(true);
            entries
                .iter_mut()
                .map(|(key, value)| {
                    remove(value, is_secret_name(key) && value.is_string() || is_field && key == "value")
                })
                .sum()
        }
        _ => 0,
    }
}

fn is_secret_name(key: &str) -> bool {
    let key = key.to_lowercase();
    SECRET_NAMES.iter().any(|name| key.ends_with(name))
}

fn looks_like_key(text: &str) -> bool {
    let is_one_word = !text.contains(char::is_whitespace) && text.len() >= MIN_SECRET_CHARS;
    is_one_word && SECRET_PREFIXES.iter().any(|prefix| text.starts_with(prefix))
}
