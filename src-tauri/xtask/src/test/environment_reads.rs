//! The lint for the environment: values come from the settings and from flows, so each program reads its environment in one file.

use anyhow::{Result, bail};

use crate::repo;

/// The files that read the environment, one for each program and for the library below them.
const ALLOWED: &[&str] = &[
    "src-tauri/adapters/src/environment.rs",
    "src-tauri/build.rs",
    "src-tauri/cli/src/environment.rs",
    "src-tauri/desktop/environment.rs",
    "src-tauri/xtask/src/environment.rs",
];

/// Paths with one of these parts are tests and measurements, which a variable may control.
const TESTS: &[&str] = &["/tests/", "/tests.rs", "/benches/", "/testing/"];

/// Checks every Rust file of the repository. The error lists each place.
pub fn check() -> Result<()> {
    let mut findings = Vec::new();
    for (name, text) in repo::texts(&[".rs"])? {
        let is_test = name.starts_with("tests/") || TESTS.iter().any(|part| name.contains(part));
        if !is_test && !ALLOWED.contains(&name.as_str()) {
            findings.extend(find(&text).into_iter().map(|line| format!("  {name}:{line}")));
        }
    }
    if findings.is_empty() {
        return Ok(());
    }
    bail!(
        "{} places read the environment. Make it a setting, or read it in one of {}:\n{}",
        findings.len(),
        ALLOWED.join(", "),
        findings.join("\n")
    )
}

/// The lines on which a source reads variables of the environment: `env::var` and its kin, or an import of them. Comments and
/// texts do not count.
fn find(text: &str) -> Vec<usize> {
    let mut found = Vec::new();
    for (at, line) in text.lines().enumerate() {
        let code = without_texts(line);
        let reads = code.match_indices("env::").any(|(start, path)| {
            let rest = &code[start + path.len()..];
            let is_whole = code[..start].chars().next_back().is_none_or(|before| !is_in_name(before));
            // Of an import, any name in it: `env::{args, var}`.
            let mut names = rest.split(|char| !is_in_name(char)).filter(|name| !name.is_empty());
            let is_import = rest.starts_with(['{', '*']);
            is_whole
                && (rest.starts_with('*')
                    || if is_import {
                        names.any(reads_variables)
                    } else {
                        names.next().is_some_and(reads_variables)
                    })
        });
        // What is called through another name could not be seen.
        if reads || code.contains("std::env as ") {
            found.push(at + 1);
        }
    }
    found
}

fn reads_variables(name: &str) -> bool {
    matches!(name, "var" | "var_os" | "vars" | "vars_os")
}

fn is_in_name(char: char) -> bool {
    char.is_alphanumeric() || char == '_'
}

/// A line without the texts in it and without a comment at its end.
fn without_texts(line: &str) -> String {
    let mut code = String::with_capacity(line.len());
    let mut is_text = false;
    let mut chars = line.chars().peekable();
    while let Some(char) = chars.next() {
        match char {
            '\\' if is_text => {
                chars.next();
            }
            '"' => is_text = !is_text,
            '/' if !is_text && chars.peek() == Some(&'/') => break,
            _ if is_text => {}
            char => code.push(char),
        }
    }
    code
}

#[cfg(test)]
mod tests;
