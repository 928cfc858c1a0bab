//! The tables of error codes of all crates as one: for the page, for the window's union, and for what holds of all of them.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

use plait_core::error::{CodeDomain, CodeEntry};

use super::REPOSITORY;

/// The programs and what is above this crate: their tables are read from their files.
#[path = "../../../mcp-server/src/codes.rs"]
#[expect(unused_imports, reason = "the crate has the codes of the crates below, too")]
mod agents;
#[path = "../../../dap-server/src/codes.rs"]
#[expect(unused_imports, reason = "the crate has the codes of the crates below, too")]
mod editors;
#[path = "../../../host-store/src/codes.rs"]
#[expect(unused_imports, reason = "the crate has the codes of the crates below, too")]
mod host_databases;
#[path = "../../../server/src/codes.rs"]
#[expect(unused_imports, reason = "the program has the codes of the crates below, too")]
mod hosts;
#[path = "../../../cli/src/codes.rs"]
#[expect(unused_imports, reason = "the program has the codes of the crates below, too")]
mod terminal;
#[path = "../../../desktop/codes.rs"]
#[expect(unused_imports, reason = "the program has the codes of the crates below, too")]
mod window;

/// Every crate's table.
const TABLES: [&[CodeDomain]; 17] = [
    plait_core::codes::DOMAINS,
    plait_llm::codes::DOMAINS,
    plait_journal::codes::DOMAINS,
    plait_run::codes::DOMAINS,
    plait_nodes::codes::DOMAINS,
    plait_formats::codes::DOMAINS,
    plait_suites::codes::DOMAINS,
    plait_store::codes::DOMAINS,
    plait_adapters::codes::DOMAINS,
    plait_recorder::codes::DOMAINS,
    plait_api::codes::DOMAINS,
    agents::DOMAINS,
    editors::DOMAINS,
    terminal::DOMAINS,
    hosts::DOMAINS,
    host_databases::DOMAINS,
    window::DOMAINS,
];

/// All codes by subject, each subject's in order.
pub fn by_subject() -> BTreeMap<&'static str, BTreeMap<&'static str, &'static CodeEntry>> {
    let mut subjects: BTreeMap<_, BTreeMap<_, _>> = BTreeMap::new();
    for domain in TABLES.into_iter().flatten() {
        let codes = domain.codes.iter().map(|entry| (entry.code.as_str(), entry));
        subjects.entry(domain.title).or_default().extend(codes);
    }
    subjects
}

/// The union that the window knows the codes as.
pub fn typescript() -> String {
    let codes: BTreeSet<_> = by_subject().into_values().flat_map(BTreeMap::into_keys).collect();
    let literals: Vec<_> = codes.into_iter().map(|code| format!("\"{code}\"")).collect();
    format!(
        "/** The error codes that this version declares; `docs/error-codes.md` explains each. */\nexport type ErrorCode = {};\n",
        literals.join(" | ")
    )
}

/// `docs/error-codes.md`.
pub fn page() -> String {
    let mut page = String::from(
        "<!-- Generated from the tables `codes.rs` of the crates by `cargo xtask bindings`. Do not edit. -->\n\n\
         # Error codes\n\n\
         Every error carries a code, a message and usually a hint. Codes are stable: scripts may rely on them. A journal \
         of another version, or a script of the offline provider, may hold a code that is not listed here.\n",
    );
    for (subject, codes) in by_subject() {
        let _ = write!(page, "\n## {subject}\n\n| Code | Meaning | What to do |\n|---|---|---|\n");
        for (code, entry) in codes {
            let (meaning, action) = (entry.meaning.replace('|', "\\|"), entry.action.replace('|', "\\|"));
            let _ = writeln!(page, "| `{code}` | {meaning} | {action} |");
        }
    }
    page
}

#[test]
fn codes_are_unique() {
    let mut seen = BTreeSet::new();
    for entry in TABLES.into_iter().flatten().flat_map(|domain| domain.codes) {
        assert!(seen.insert(entry.code.as_str()), "`{}` is declared twice", entry.code);
    }
}

#[test]
fn codes_are_domain_dot_reason() {
    let is_word = |word: &str| {
        !word.is_empty()
            && word.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'_')
    };
    for code in by_subject().values().flat_map(BTreeMap::keys) {
        let (domain, reason) = code.split_once('.').unwrap();
        assert!(is_word(domain) && is_word(reason), "{code}");
    }
}

#[test]
fn entries_are_full_sentences() {
    for (code, entry) in by_subject().into_values().flatten() {
        for sentence in [entry.meaning, entry.action] {
            assert!(sentence.ends_with('.'), "{code}: {sentence}");
        }
    }
}

/// Command and event names have the same form as codes, and some are equal.
const OTHER_USES: [&str; 2] = ["rename = ", "const NAME: &'static str = "];

#[test]
fn literals_of_codes_stay_in_the_tables() {
    let codes: BTreeSet<_> = by_subject().into_values().flat_map(BTreeMap::into_keys).collect();
    let mut offenders = Vec::new();
    for file in rust_files(&Path::new(REPOSITORY).join("src-tauri")) {
        let text = fs::read_to_string(&file).unwrap();
        for (number, line) in text.lines().enumerate() {
            let is_comment = line.trim_start().starts_with("//");
            if is_comment || OTHER_USES.iter().any(|other| line.contains(other)) {
                continue;
            }
            if let Some(code) = line.split('"').skip(1).step_by(2).find(|literal| codes.contains(literal)) {
                offenders.push(format!("{}:{}: `{code}`", file.display(), number + 1));
            }
        }
    }
    assert!(offenders.is_empty(), "write these as constants of `codes`:\n{}", offenders.join("\n"));
}

/// All Rust files below `folder` but for tests, benchmarks and the tables.
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
            && !matches!(&*name, "tests.rs" | "codes.rs")
        {
            files.push(path);
        }
    }
    files
}
