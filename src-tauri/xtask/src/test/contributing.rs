//! The lint for the paths of `ARCHITECTURE.md`, which exist, and for the lists of `CONTRIBUTING.md`: each names the
//! files that its example touches, and no other.
//!
//! A section with a line `Example:` has the names of its example in code spans, and the files in its numbered list. A
//! file touches the example if it mentions one of these, or if its path does. A path that ends in `/` is a folder.

use anyhow::{Result, bail};

use crate::repo;

const PAGE: &str = "CONTRIBUTING.md";
const ENDINGS: &[&str] = &[".rs", ".ts", ".tsx", ".css", ".md", ".py", ".json"];
const MAP: &str = "ARCHITECTURE.md";
/// Paths with one of these parts need not be listed: tests, recordings, measurements, and pages about everything.
const UNLISTED: &[&str] = &[
    "/tests/",
    "/tests.rs",
    ".test.ts",
    "/benches/",
    "/recordings/",
    "tests/",
    "examples/",
    "perf/",
    MAP,
    "BENCHMARKS.md",
    "CHANGELOG.md",
    "README.md",
    PAGE,
];

/// Checks the lists. The error names files that a list lacks, and paths in a list that do not touch its example.
pub(super) fn check() -> Result<()> {
    let texts = repo::texts(ENDINGS)?;
    let findings: Vec<String> =
        examples(&repo::text(PAGE)?).iter().flat_map(|example| example.check(&texts)).collect();
    if findings.is_empty() {
        return Ok(());
    }
    bail!("{PAGE}, \"What a change touches\":\n  {}", findings.join("\n  "))
}

/// Checks the map. The error names the paths that no file has, neither as a whole nor as a part.
pub(super) fn check_map() -> Result<()> {
    let files = repo::texts(&[""])?;
    let map = repo::text(MAP)?;
    let missing: Vec<&str> =
        paths(&map).filter(|path| !files.iter().any(|(file, _)| file.contains(path))).collect();
    if missing.is_empty() {
        return Ok(());
    }
    bail!("{MAP} names paths that do not exist:\n  {}", missing.join("\n  "))
}

/// A section: what it adds, the names of its example, and the paths in its list.
struct Example<'a> {
    title: &'a str,
    names: Vec<&'a str>,
    paths: Vec<&'a str>,
}

fn examples(page: &str) -> Vec<Example<'_>> {
    let sections = page.split("\n### ").skip(1);
    sections
        .filter_map(|section| {
            let (title, rest) = section.split_once('\n')?;
            let (_, rest) = rest.split_once("Example: ")?;
            let (names, rest) = rest.split_once("\n\n")?;
            let list = rest.split("\n\n").next()?;
            Some(Example { title, names: code_spans(names).collect(), paths: paths(list).collect() })
        })
        .collect()
}

impl Example<'_> {
    fn check(&self, texts: &[(String, String)]) -> Vec<String> {
        let has_name = |(path, text): &&(String, String)| {
            self.names.iter().any(|name| mentions(path, name) || mentions(text, name))
        };
        let touched: Vec<&str> = texts.iter().filter(has_name).map(|(path, _)| path.as_str()).collect();
        let covers =
            |listed: &str, path: &str| path == listed || listed.ends_with('/') && path.starts_with(listed);
        let is_listed = |path: &str| self.paths.iter().any(|listed| covers(listed, path));
        let missing = touched
            .iter()
            .filter(|path| !UNLISTED.iter().any(|part| path.contains(part)) && !is_listed(path));
        let missing = missing.map(|path| format!("{}: {path} is missing", self.title));
        let stale = self.paths.iter().filter(|listed| !touched.iter().any(|path| covers(listed, path)));
        missing
            .chain(stale.map(|path| format!("{}: {path} does not touch the example", self.title)))
            .collect()
    }
}

/// Whether a text has the name, and not only as a part of a longer one.
fn mentions(text: &str, name: &str) -> bool {
    let is_in_name = |char: Option<char>| char.is_some_and(|char| char.is_alphanumeric() || char == '_');
    text.match_indices(name).any(|(at, _)| {
        !is_in_name(text[..at].chars().next_back()) && !is_in_name(text[at + name.len()..].chars().next())
    })
}

fn paths(text: &str) -> impl Iterator<Item = &str> {
    code_spans(text).filter(|span| span.contains('/') && !span.contains(char::is_whitespace))
}

fn code_spans(text: &str) -> impl Iterator<Item = &str> {
    text.split('`').skip(1).step_by(2)
}

#[cfg(test)]
mod tests;
