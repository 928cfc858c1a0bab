//! The table of banned words: `word = replacement` a line, under `[words]` or `[identifiers]`; `#` begins a comment.

use std::collections::HashMap;

use anyhow::{Context, Result, bail};

/// The banned words and identifiers with their replacements.
pub(super) struct Table {
    pub phrases: Vec<Phrase>,
    pub identifiers: HashMap<String, String>,
}

/// A word, or several in a row, in lower case.
pub(super) struct Phrase {
    pub words: Vec<String>,
    pub replacement: String,
}

impl Table {
    /// Parses the table. The error names the invalid line.
    pub(super) fn parse(text: &str) -> Result<Self> {
        let mut table = Self { phrases: Vec::new(), identifiers: HashMap::new() };
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
                _ => bail!("line {}: neither under [words] nor under [identifiers]", at + 1),
            }
        }
        Ok(table)
    }
}
