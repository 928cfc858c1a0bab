//! The lint for the vocabulary: reports the words of `banned-words.txt`, which describes the format.

use anyhow::{Context as _, Result, bail};

use crate::repo;

/// The table's file in the root of the repository.
const TABLE: &str = "banned-words.txt";
/// Files with one of these endings are read.
const ENDINGS: &[&str] = &[".rs", ".ts", ".tsx", ".mjs", ".css", ".html", ".md", ".py", ".json", ".toml"];
/// Paths with one of these parts are skipped: they quote other texts, are generated, or name the words to test this lint.
const EXCLUDED: &[&str] = &["package-lock.json", "/gen/", "tests/fixtures/bad/", "/banned_words/"];

/// A banned word, or several in a row, in lower case.
struct Phrase {
    words: Vec<String>,
    replacement: String,
}

/// Checks every tracked file. The error lists each position with the replacement.
pub(super) fn check() -> Result<()> {
    let table = parse(&repo::text(TABLE)?)?;
    let texts = repo::texts(ENDINGS)?.into_iter();
    let checked = texts.filter(|(name, _)| !EXCLUDED.iter().any(|part| name.contains(part)));
    let findings: Vec<String> = checked
        .flat_map(|(name, text)| {
            find(&table, &text).into_iter().map(move |found| format!("  {name}:{found}"))
        })
        .collect();
    if findings.is_empty() {
        return Ok(());
    }
    bail!("{} banned words (see {TABLE}):\n{}", findings.len(), findings.join("\n"))
}

fn parse(table: &str) -> Result<Vec<Phrase>> {
    let lines = table.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with('#'));
    lines
        .map(|line| {
            let (words, replacement) =
                line.split_once('=').with_context(|| format!("{TABLE}: no `=`: {line}"))?;
            let words = words.split_whitespace().map(str::to_lowercase).collect();
            Ok(Phrase { words, replacement: replacement.trim().to_owned() })
        })
        .collect()
}

/// The findings in a text, each as `line: word → replacement`.
fn find(table: &[Phrase], text: &str) -> Vec<String> {
    // Almost all files have none of the words: this is much faster than to split them.
    let lower_case = text.to_lowercase();
    let possible: Vec<&Phrase> =
        table.iter().filter(|phrase| phrase.words.iter().all(|word| lower_case.contains(word))).collect();
    if possible.is_empty() {
        return Vec::new();
    }
    let lines = text.lines().zip(1..);
    let tokens: Vec<(String, usize)> =
        lines.flat_map(|(line, at)| split_words(line).into_iter().map(move |word| (word, at))).collect();
    let mut found = Vec::new();
    for (start, (_, line)) in tokens.iter().enumerate() {
        for Phrase { words, replacement } in &possible {
            let here = tokens[start..].iter().map(|(word, _)| word).take(words.len());
            if here.eq(words) {
                found.push(format!("{line}: {} → {replacement}", words.join(" ")));
            }
        }
    }
    found
}

/// The words of a line in lower case, also those of its identifiers: `nodes_shown` and `nodesShown` are both `nodes`, `shown`.
fn split_words(line: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    let mut was_lower = false;
    for letter in line.chars() {
        if !letter.is_alphanumeric() || (letter.is_uppercase() && was_lower) {
            words.push(String::new());
        }
        was_lower = letter.is_lowercase() || letter.is_ascii_digit();
        if let Some(word) = words.last_mut().filter(|_| letter.is_alphanumeric()) {
            word.extend(letter.to_lowercase());
        }
    }
    words.retain(|word| !word.is_empty());
    words
}

#[cfg(test)]
mod tests;
