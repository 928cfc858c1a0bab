//! Secrets in environment variables and in `.env` files. They are read in order to be redacted, and for nothing else.

use std::collections::BTreeMap;
use std::fs;
use std::io::Read as _;
use std::path::{Path, PathBuf};

/// Shorter values are settings, not secrets, and would match ordinary text.
const MIN_VALUE_CHARS: usize = 12;
/// A larger file is no list of variables.
const MAX_FILE_BYTES: u64 = 1 << 20;

/// Parts of the names of secrets, in any case.
const SECRET_WORDS: &[&str] = &["KEY", "TOKEN", "SECRET", "PASSWORD", "PASSWD", "PASSPHRASE"];
/// Words that contain one of them and mean something else.
const HARMLESS_WORDS: &[&str] = &["KEYBOARD", "KEYMAP", "KEYRING_CONTROL", "KEYWORD", "TOKENIZER"];

pub(super) fn process_secrets() -> BTreeMap<String, String> {
    let text = |name: std::ffi::OsString| name.into_string().ok();
    let variables =
        crate::environment::os_variables().filter_map(|(name, value)| Some((text(name)?, text(value)?)));
    variables.filter(|(name, value)| is_secret(name, value)).collect()
}

/// The names and values of the secrets in the `.env` files of a folder. Files that can't be read are skipped.
pub(super) fn folder_secrets(folder: &Path) -> BTreeMap<String, String> {
    let mut secrets = BTreeMap::new();
    for file in env_files(folder) {
        let variables = read(&file).map(|text| parse(&text)).unwrap_or_default();
        secrets.extend(variables.into_iter().filter(|(name, value)| is_secret(name, value)));
    }
    secrets
}

fn is_secret(name: &str, value: &str) -> bool {
    let mut name = name.to_uppercase();
    for word in HARMLESS_WORDS {
        name = name.replace(word, "");
    }
    let is_path =
        ["FILE", "PATH", "DIR"].iter().any(|end| name.ends_with(end)) && Path::new(value).is_absolute();
    SECRET_WORDS.iter().any(|word| name.contains(word))
        && !is_path
        && value.trim().chars().count() >= MIN_VALUE_CHARS
}

/// `.env`, `.env.local` and the like, and `.envrc`; not the examples, which hold no secrets.
fn env_files(folder: &Path) -> Vec<PathBuf> {
    const EXAMPLES: &[&str] = &["example", "sample", "template", "dist"];
    let is_env_file = |path: &Path| {
        let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
        let is_example = EXAMPLES.iter().any(|end| name.ends_with(end));
        name == ".env" || name == ".envrc" || name.starts_with(".env.") && !is_example
    };
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let mut files: Vec<PathBuf> =
        entries.map(|entry| entry.path()).filter(|path| is_env_file(path)).collect();
    files.sort();
    files
}

/// The text of a file. Opening a pipe would wait for its writer.
fn read(path: &Path) -> Option<String> {
    if !fs::metadata(path).ok()?.is_file() {
        return None;
    }
    let mut bytes = Vec::new();
    fs::File::open(path).ok()?.take(MAX_FILE_BYTES).read_to_end(&mut bytes).ok()?;
    Some(String::from_utf8_lossy(&bytes).into_owned())
}

/// Parses `NAME=value` lines: `export`, quotes, values of several lines in quotes, and comments. Escapes stay as they are,
/// since texts are searched without them.
fn parse(text: &str) -> Vec<(String, String)> {
    let mut variables = Vec::new();
    let mut at = 0;
    while at < text.len() {
        let line_end = text[at..].find('\n').map_or(text.len(), |length| at + length);
        let line = &text[at..line_end];
        at = line_end + 1;
        let Some((name, value)) = line.split_once('=') else { continue };
        let name = name.trim_start_matches(['\u{feff}', ' ', '\t']);
        let name = name.strip_prefix("export ").unwrap_or(name).trim();
        if name.is_empty() || name.contains(|char: char| char.is_whitespace() || char == '#') {
            continue;
        }
        let value = value.trim_start();
        let value_start = line_end - value.len();
        let quoted =
            value.chars().next().filter(|first| matches!(first, '"' | '\'' | '`')).and_then(|quote| {
                let end = closing_quote(&text[value_start + 1..], quote)?;
                Some(&text[value_start + 1..value_start + 1 + end])
            });
        let value = match quoted {
            Some(quoted) => {
                // It may end on a later line.
                at = at.max(value_start + quoted.len() + 2);
                quoted
            }
            None => value.split(" #").next().unwrap_or(value).trim(),
        };
        variables.push((name.to_owned(), value.to_owned()));
    }
    variables
}

fn closing_quote(text: &str, quote: char) -> Option<usize> {
    let mut is_escaped = false;
    text.char_indices().find_map(|(at, char)| {
        let ends = char == quote && !is_escaped;
        is_escaped = char == '\\' && !is_escaped;
        ends.then_some(at)
    })
}

#[cfg(test)]
mod tests;
