use std::collections::BTreeSet;

use serde_json::{from_str, to_string};

use super::{CodeEntry, ErrorCode};

fn entries() -> impl Iterator<Item = &'static CodeEntry> {
    ErrorCode::DOMAINS.iter().flat_map(|domain| domain.codes)
}

#[test]
fn codes_are_unique() {
    let mut seen = BTreeSet::new();
    for entry in entries() {
        assert!(seen.insert(entry.code.as_str()), "`{}` is declared twice", entry.code);
    }
}

#[test]
fn codes_are_domain_dot_reason() {
    let is_word = |word: &str| {
        !word.is_empty()
            && word.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'_')
    };
    for entry in entries() {
        let (domain, reason) = entry.code.as_str().split_once('.').unwrap();
        assert!(is_word(domain) && is_word(reason), "{}", entry.code);
    }
}

#[test]
fn entries_are_full_sentences() {
    for entry in entries() {
        for sentence in [entry.meaning, entry.action] {
            assert!(sentence.ends_with('.'), "{}: {sentence}", entry.code);
        }
    }
}

#[test]
fn declared_codes_survive_json() {
    for entry in entries() {
        let json = to_string(&entry.code).unwrap();
        assert_eq!(from_str::<ErrorCode>(&json).unwrap(), entry.code);
    }
}

#[test]
fn undeclared_codes_survive_json() {
    let code: ErrorCode = from_str("\"plugin.failed\"").unwrap();
    assert_eq!(code, ErrorCode::Unregistered("plugin.failed".into()));
    assert_eq!(to_string(&code).unwrap(), "\"plugin.failed\"");
}
