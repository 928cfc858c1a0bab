//! Error codes are written as `ErrorCode` variants: outside of the registry and of tests, no Rust file holds a code's string.

#![allow(clippy::unwrap_used, reason = "a test that can't go on ends")]

use std::fs;
use std::path::{Path, PathBuf};

use plait_core::error::ErrorCode;

const SOURCES: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/..");

/// Command and event names have the same form as codes, and some are equal.
const OTHER_USES: [&str; 2] = ["rename = ", "const NAME: &'static str = "];

#[test]
fn code_literals_stay_in_the_registry() {
    let mut offenders = Vec::new();
    for file in rust_files(Path::new(SOURCES)) {
        let text = fs::read_to_string(&file).unwrap();
        for (number, line) in text.lines().enumerate() {
            let is_comment = line.trim_start().starts_with("//");
            if is_comment || OTHER_USES.iter().any(|other| line.contains(other)) {
                continue;
            }
            if let Some(code) = line.split('"').skip(1).step_by(2).find(|literal| is_code(literal)) {
                offenders.push(format!("{}:{}: `{code}`", file.display(), number + 1));
            }
        }
    }
    assert!(offenders.is_empty(), "write these as `ErrorCode` variants:\n{}", offenders.join("\n"));
}

fn is_code(literal: &str) -> bool {
    !matches!(ErrorCode::from_wire(literal), ErrorCode::Unregistered(_))
}

/// All Rust files below `folder` but for tests, benchmarks and the registry.
fn rust_files(folder: &Path) -> Vec<PathBuf> {
    let mut files = Vec::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        if path.is_dir() {
            if !matches!(&*name, "tests" | "testing" | "benches" | "target") {
                files.extend(rust_files(&path));
            }
        } else if path.extension().is_some_and(|ending| ending == "rs")
            && name != "tests.rs"
            && !path.ends_with("error/code/registry.rs")
        {
            files.push(path);
        }
    }
    files
}
