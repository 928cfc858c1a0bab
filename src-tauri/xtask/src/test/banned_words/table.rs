//! The table of banned words: `word = replacement` a line, under `[words]` or `[identifiers]`; `word = paths` under
//! `[allowed]`; `#` begins a comment.

use std::collections::HashMap;

use anyhow::{Context, Result, bail};

/// The banned words and identifiers with their replacements.
pub(super) struct Table {
    pub phrases: Vec<Phrase>,
    pub identifiers: HashMap<String, String>,
    /// The parts of paths where a word is allowed, by its spelling in the table.
    pub allowed: HashMap<String, Vec<String>>,
}

/// A word, or several in a row, in lower case.
pub(super) struct Phrase {
    pub words: Vec<String>,
    pub replacement: String,
}

impl Table {
    /// Parses the table. The error names the invalid line.
    pub(super) fn parse(text: &str) -> Result<Self> {
        let mut table = Self { phrases: Vec::new(), identifiers: HashMap::new(), allowed: HashMap::new() };
        let mut section = "";
        for (at, line) in text.lines().enumerate() {
            let line = line.trim();
            if line.is_empty() || line.starts_with('#') {
                continue;
            }
            if line.starts_with('[') {
                section = line;
                continue;
            }
            let (word, replacement) =
                line.split_once('=').with_context(|| format!("line {}: not `word = replacement`", at + 1))?;
            let (word, replacement) = (word.trim(), replacement.trim().to_owned());
            match section {
                "[words]" => {
                    let words: Vec<String> = word.split_whitespace().map(str::to_lowercase).collect();
                    if words.is_empty() {
                        bail!("line {}: no word before `=`", at + 1);
                    }
                    table.phrases.push(Phrase { words, replacement });
                }
                "[identifiers]" => {
                    table.identifiers.insert(word.to_owned(), replacement);
                }
                "[allowed]" => {
                    let parts = replacement.split(',').map(|part| part.trim().to_owned()).collect();
                    table.allowed.insert(word.to_owned(), parts);
                }
                _ => bail!("line {}: not under [words], [identifiers] or [allowed]", at + 1),
            }
        }
        Ok(table)
    }

    /// Whether a word may stand in the file at `path`.
    pub(super) fn allows(&self, word: &str, path: &str) -> bool {
        self.allowed.get(word).is_some_and(|parts| parts.iter().any(|part| path.contains(part)))
    }
}
