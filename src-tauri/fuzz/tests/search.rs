//! The search itself: every target handles its seeds, and what fails is found and can be reproduced.

#![allow(clippy::unwrap_used, reason = "a test that can't go on fails")]

use std::path::Path;
use std::process::{Command, Output};

fn fuzz(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_plait-fuzz")).args(arguments).output().unwrap()
}

fn search(target: &str, inputs: &str, findings: &Path) -> Output {
    let findings = findings.display().to_string();
    fuzz(&[target, "--inputs", inputs, "--seed", "7", "--findings", &findings])
}

#[test]
fn targets_handle_their_seeds_and_mutations() {
    let findings = tempfile::tempdir().unwrap();
    for target in [
        "flow",
        "pipeline",
        "import",
        "journal",
        "expression",
        "template",
        "schema",
        "recording",
        "program",
        "response",
        "answer",
        "dap",
        "document",
        "suite",
    ] {
        let output = search(target, "100", findings.path());
        assert!(output.status.success(), "{target}: {output:?}");
    }
}

#[test]
#[cfg(target_os = "linux")]
fn crashes_hangs_and_memory_are_found_and_saved() {
    let findings = tempfile::tempdir().unwrap();
    let output = search("broken", "4", findings.path());
    assert!(!output.status.success(), "{output:?}");
    let printed = String::from_utf8(output.stdout).unwrap();
    assert!(printed.contains("4 inputs, 1 outcomes, 3 findings"), "{printed}");
    let saved: Vec<_> =
        std::fs::read_dir(findings.path().join("broken")).unwrap().map(|it| it.unwrap().path()).collect();
    let mut inputs: Vec<(String, String)> = Vec::new();
    for path in saved.iter().filter(|path| path.extension().is_none()) {
        let kind = path.file_name().unwrap().to_str().unwrap().split('-').next().unwrap().to_owned();
        inputs.push((kind, std::fs::read_to_string(path).unwrap()));
        assert!(path.with_extension("txt").is_file(), "what the worker printed");
    }
    inputs.sort();
    let expected = [("crash", "memory"), ("crash", "panic"), ("hang", "hang")];
    assert_eq!(inputs, expected.map(|(kind, input)| (kind.to_owned(), input.to_owned())));
    let panic = saved.iter().find(|path| std::fs::read(path).unwrap() == b"panic").unwrap();
    let again = fuzz(&["broken", "--input", panic.to_str().unwrap()]);
    assert!(String::from_utf8(again.stderr).unwrap().contains("on purpose"));
}
