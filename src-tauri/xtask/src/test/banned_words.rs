//! The lint for the vocabulary: reports words and identifiers that `banned-words.txt` lists.
//!
//! A *word* matches in any case, alone, inside an identifier (`shownNodes`, `nodes_shown`) and across the line breaks of a
//! comment; several words are a phrase. An *identifier* matches only as a whole and in its exact spelling.

mod table;

use std::collections::HashMap;

use anyhow::{Context, Result, bail};

use crate::repo;
use table::Table;

/// The table's file in the root of the repository.
const TABLE: &str = "banned-words.txt";

/// Files with one of these endings are read.
const EXTENSIONS: &[&str] = &["rs", "ts", "tsx", "mjs", "css", "html", "md", "py", "json", "toml"];

/// Paths with one of these parts are skipped: they quote other texts or are generated.
const EXCLUDED: &[&str] =
    &["package-lock.json", "/gen/", "tests/fixtures/bad/", "CHANGELOG.md", "/banned_words/"];

/// The maximum number of printed findings.
const MAX_FINDINGS: usize = 2_000;

/// Checks every tracked file. The error lists each position with the replacement.
pub fn check() -> Result<()> {
    let path = repo::root().join(TABLE);
    let text = std::fs::read_to_string(&path).with_context(|| format!("cannot read {}", path.display()))?;
    let table = Table::parse(&text)?;
    let mut findings = Vec::new();
    for name in repo::tracked_files()? {
        let is_text = name.rsplit_once('.').is_some_and(|(_, ending)| EXTENSIONS.contains(&ending));
        if !is_text || EXCLUDED.iter().any(|part| name.contains(part)) {
            continue;
        }
        // A file that was deleted and not committed yet is still listed.
        if let Ok(text) = std::fs::read_to_string(repo::root().join(&name)) {
            findings.extend(find(&table, &name, &text).into_iter().map(|found| format!("  {name}:{found}")));
        }
    }
    if findings.is_empty() {
        return Ok(());
    }
    let count = findings.len();
    findings.truncate(MAX_FINDINGS);
    bail!("{count} banned words (see {TABLE}):\n{}", findings.join("\n"))
}

/// One lower-case word of a text.
struct Token {
    word: String,
    line: usize,
}

/// The findings in the text of the file at `path`, each as `line: word → replacement`, in order of their lines.
fn find(table: &Table, path: &str, text: &str) -> Vec<String> {
    let mut tokens = Vec::new();
    let mut found = Vec::new();
    for (at, line) in text.lines().enumerate() {
        for identifier in
            line.split(|c: char| !c.is_alphanumeric() && c != '_').filter(|part| !part.is_empty())
        {
            if let Some(replacement) = table.identifiers.get(identifier)
                && !table.allows(identifier, path)
            {
                found.push((at + 1, format!("{identifier} → {replacement}")));
            }
            tokens.extend(split_words(identifier).map(|word| Token { word, line: at + 1 }));
        }
    }
    let mut by_first: HashMap<&str, Vec<_>> = HashMap::new();
    for phrase in table.phrases.iter().filter(|phrase| !table.allows(&phrase.words.join(" "), path)) {
        by_first.entry(&phrase.words[0]).or_default().push(phrase);
    }
    for (at, token) in tokens.iter().enumerate() {
        for phrase in by_first.get(token.word.as_str()).into_iter().flatten() {
            let here = tokens[at..].iter().map(|token| token.word.as_str()).take(phrase.words.len());
            if here.eq(phrase.words.iter().map(String::as_str)) {
                found.push((token.line, format!("{} → {}", phrase.words.join(" "), phrase.replacement)));
            }
        }
    }
    found.sort();
    found.into_iter().map(|(line, text)| format!("{line}: {text}")).collect()
}

/// The words of an identifier in lower case: `nodes_shown` and `nodesShown` are both `nodes`, `shown`.
fn split_words(identifier: &str) -> impl Iterator<Item = String> {
    let mut words = vec![String::new()];
    let mut was_lower = false;
    for letter in identifier.chars() {
        if letter == '_' || (letter.is_uppercase() && was_lower) {
            words.push(String::new());
        }
        was_lower = letter.is_lowercase() || letter.is_ascii_digit();
        if let Some(word) = words.last_mut().filter(|_| letter != '_') {
            word.extend(letter.to_lowercase());
        }
    }
    words.into_iter().filter(|word| !word.is_empty())
}

#[cfg(test)]
mod tests;
