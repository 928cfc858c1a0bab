//! Regular expressions of the person for other texts to redact: customer numbers, names of machines.
//!
//! Their length, number and compiled size are bounded, and matching takes time linear in the text. One that cannot be
//! used is reported and skipped.

use std::ops::Range;

use plait_core::error::Fault;
use regex::{Regex, RegexBuilder};
use serde::{Deserialize, Serialize};
use ts_rs::TS;

use crate::codes;

const MAX_PATTERNS: usize = 50;
/// Maximum length of one, in bytes.
const MAX_PATTERN_BYTES: usize = 500;
/// Maximum size of a compiled one, in bytes.
const MAX_COMPILED_BYTES: usize = 1 << 20;
/// How much of the end of a stream is held back, in bytes: a match up to this length is never shown in part.
const MAX_STREAMED_MATCH_BYTES: usize = 256;

/// What is redacted besides keys and values of the environment.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase", default)]
pub struct RedactionSettings {
    /// Patterns, each with a name; at most 50.
    pub patterns: Vec<RedactionPattern>,
}

/// A regular expression.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase", default)]
pub struct RedactionPattern {
    /// What a match is replaced by, in brackets. If empty, `redacted`.
    pub name: String,
    /// The expression, in the syntax of the Rust crate `regex`: no lookaround, no backreferences.
    pub regex: String,
}

impl RedactionSettings {
    /// Whether there are no patterns.
    pub fn is_empty(&self) -> bool {
        self.patterns.is_empty()
    }

    /// Why some of the patterns cannot be used: `settings.redaction`.
    pub fn problems(&self) -> Vec<Fault> {
        PatternSet::new(self).1
    }
}

/// Patterns that are ready to be searched for.
#[derive(Default)]
pub(super) struct PatternSet(Vec<CompiledPattern>);

struct CompiledPattern {
    name: String,
    regex: Regex,
    /// Makes the search fail.
    #[cfg(test)]
    panics: bool,
}

impl PatternSet {
    /// The patterns that can be used, and why others cannot.
    pub(super) fn new(settings: &RedactionSettings) -> (Self, Vec<Fault>) {
        let (mut patterns, mut faults) = (Vec::new(), Vec::new());
        for (index, pattern) in settings.patterns.iter().enumerate() {
            let problem = if index >= MAX_PATTERNS {
                Some(format!("there are more than {MAX_PATTERNS} patterns"))
            } else {
                match compile(&pattern.regex) {
                    Ok(regex) => {
                        let name = pattern.name.trim();
                        let name = if name.is_empty() { "redacted" } else { name }.to_owned();
                        patterns.push(CompiledPattern {
                            name,
                            regex,
                            #[cfg(test)]
                            panics: false,
                        });
                        None
                    }
                    Err(problem) => Some(problem),
                }
            };
            faults.extend(problem.map(|problem| unusable(index, &pattern.name, &problem)));
        }
        (Self(patterns), faults)
    }

    /// The matches of the patterns, each with its name.
    pub(super) fn find<'a>(&'a self, text: &str) -> Vec<(Range<usize>, &'a str)> {
        let mut found = Vec::new();
        for pattern in &self.0 {
            #[cfg(test)]
            assert!(!pattern.panics, "a search that fails");
            let matches = pattern.regex.find_iter(text).filter(|found| !found.is_empty());
            found.extend(matches.map(|found| (found.range(), pattern.name.as_str())));
        }
        found
    }

    /// How much of the beginning of a streamed text no match can reach into that begins later.
    pub(super) fn decided_len(&self, text: &str) -> usize {
        if self.0.is_empty() {
            return text.len();
        }
        text.floor_char_boundary(text.len().saturating_sub(MAX_STREAMED_MATCH_BYTES))
    }

    /// A set that fails to search.
    #[cfg(test)]
    pub(super) fn panicking() -> Self {
        let regex = Regex::new("x").unwrap();
        Self(vec![CompiledPattern { name: String::new(), regex, panics: true }])
    }
}

fn compile(pattern: &str) -> Result<Regex, String> {
    if pattern.is_empty() {
        return Err("it is empty".to_owned());
    }
    if pattern.len() > MAX_PATTERN_BYTES {
        return Err(format!("it is longer than {MAX_PATTERN_BYTES} bytes"));
    }
    let regex = RegexBuilder::new(pattern)
        .size_limit(MAX_COMPILED_BYTES)
        .dfa_size_limit(MAX_COMPILED_BYTES)
        .build()
        .map_err(|error| match error {
            regex::Error::CompiledTooBig(_) => "it is too large when compiled".to_owned(),
            // The last line names the problem; the lines before point into the pattern.
            error => error.to_string().lines().last().unwrap_or_default().trim().to_owned(),
        })?;
    if regex.is_match("") { Err("it matches the empty text".to_owned()) } else { Ok(regex) }
}

fn unusable(index: usize, name: &str, problem: &str) -> Fault {
    let name = if name.trim().is_empty() { String::new() } else { format!(" (`{}`)", name.trim()) };
    let message = format!("The redaction pattern {}{name} is not used: {problem}.", index + 1);
    Fault::new(codes::SETTINGS_REDACTION, message)
        .hint("Correct the regular expression in the settings, or remove it.")
}

#[cfg(test)]
mod tests;
