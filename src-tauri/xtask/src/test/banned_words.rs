//! The lint for the vocabulary: reports the words of `banned-words.txt`, which describes the format.

use anyhow::{Context, Result, bail};

use crate::repo;

/// The table's file in the root of the repository.
const TABLE: &str = "banned-words.txt";
/// Files with one of these endings are read.
const EXTENSIONS: &[&str] = &["rs", "ts", "tsx", "mjs", "css", "html", "md", "py", "json", "toml"];
/// Paths with one of these parts are skipped: they quote other texts, are generated, or name the words to test this lint.
const EXCLUDED: &[&str] = &["package-lock.json", "/gen/", "tests/fixtures/bad/", "/banned_words/"];

/// A banned word, or several in a row, in lower case.
struct Phrase {
    words: Vec<String>,
    replacement: String,
}

/// Checks every tracked file. The error lists each position with the replacement.
pub(super) fn check() -> Result<()> {
    let text = std::fs::read_to_string(repo::root().join(TABLE)).with_context(|| format!("cannot read {TABLE}"))?;
    let table = parse(&text)?;
    let mut findings = Vec::new();
    for name in repo::tracked_files()? {
        let is_text = name.rsplit_once('.').is_some_and(|(_, ending)| EXTENSIONS.contains(&ending));
        if !is_text || EXCLUDED.iter().any(|part| name.contains(part)) {
            continue;
        }
        // A file that was deleted and not committed yet is still listed.
        if let Ok(text) = std::fs::read_to_string(repo::root().join(&name)) {
            findings.extend(find(&table, &text).into_iter().map(|found| format!("  {name}:{found}")));
        }
    }
    if findings.is_empty() {
        return Ok(());
    }
    bail!("{} banned words (see {TABLE}):\n{}", findings.len(), findings.join("\n"))
}

fn parse(table: &str) -> Result<Vec<Phrase>> {
    let lines = table.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with('#'));
    lines
        .map(|line| {
            let (words, replacement) = line.split_once('=').with_context(|| format!("{TABLE}: no `=`: {line}"))?;
            let words = words.split_whitespace().map(str::to_lowercase).collect();
            Ok(Phrase { words, replacement: replacement.trim().to_owned() })
        })
        .collect()
}

/// The findings in a text, each as `line: word → replacement`.
fn find(table: &[Phrase], text: &str) -> Vec<String> {
    let lines = text.lines().zip(1..);
    let tokens: Vec<(String, usize)> =
        lines.flat_map(|(line, at)| split_words(line).into_iter().map(move |word| (word, at))).collect();
    let mut found = Vec::new();
    for (start, (_, line)) in tokens.iter().enumerate() {
        for Phrase { words, replacement } in table {
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
