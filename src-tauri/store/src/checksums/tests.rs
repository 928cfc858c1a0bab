//! Which documents are refused, and how a person accepts them.

use std::fs;
use std::path::Path;

use serde_json::{Map, Value, json};

use crate::{Store, doctor};

fn settings(text: &Value) -> Map<String, Value> {
    text.as_object().expect("an object").clone()
}

fn dark() -> Map<String, Value> {
    settings(&json!({ "theme": "dark" }))
}

/// The settings of a data directory that Plait has written, and the code of what reading them says.
fn read(home: &Path) -> Result<Map<String, Value>, String> {
    Store::open(home).expect("opened").settings().map_err(|fault| fault.code.to_string())
}

fn written() -> tempfile::TempDir {
    let home = tempfile::tempdir().expect("folder");
    Store::open(home.path()).expect("opened").put_settings(&dark()).expect("written");
    home
}

#[test]
fn documents_that_were_there_first_are_taken_as_they_are() {
    let home = tempfile::tempdir().expect("folder");
    fs::write(home.path().join("settings.json"), r#"{"theme": "dark"}"#).expect("written");
    assert_eq!(
        Store::open_for_reading(home.path()).expect("opened").settings(),
        Ok(dark()),
        "nothing opened it"
    );
    assert_eq!(read(home.path()), Ok(dark()));
    assert_eq!(read(home.path()), Ok(dark()));
}

#[test]
fn changed_added_and_removed_documents_are_refused_until_they_are_accepted() {
    for (name, content) in [("changed", Some(r#"{"theme":"light"}"#)), ("removed", None)] {
        let home = written();
        let path = home.path().join("settings.json");
        match content {
            Some(text) => fs::write(&path, text).expect("written"),
            None => fs::remove_file(&path).expect("removed"),
        }
        assert_eq!(read(home.path()), Err("store.changed_outside".to_owned()), "{name}");
        let store = Store::open(home.path()).expect("opened");
        let put = store.put_settings(&dark()).expect_err("it would be lost");
        assert_eq!(put.code.as_str(), "store.changed_outside", "{name}");
        assert!(
            put.message.contains("settings.json") && put.hint.expect("a hint").contains("--accept-edits")
        );
        drop(store);
        let accepted = doctor::accept_edits(home.path()).expect("accepted");
        assert_eq!(accepted, [path], "{name}");
        assert!(read(home.path()).is_ok(), "{name}");
        assert!(doctor::accept_edits(home.path()).expect("accepted").is_empty(), "{name}");
    }
    let home = tempfile::tempdir().expect("folder");
    drop(Store::open(home.path()).expect("opened"));
    fs::write(home.path().join("settings.json"), "{}").expect("written");
    assert_eq!(read(home.path()), Err("store.changed_outside".to_owned()), "added");
}

#[test]
fn users_are_guarded_like_settings() {
    let home = tempfile::tempdir().expect("folder");
    let store = Store::open(home.path()).expect("opened");
    store.change_users(|users| users.add("Ada")).expect("added");
    assert_eq!(store.users().expect("read").names.len(), 2);
    let other = r#"{"current":"local","names":["local"]}"#;
    fs::write(home.path().join("users.json"), other).expect("written");
    assert_eq!(store.users().expect_err("changed").code.as_str(), "store.changed_outside");
    drop(store);
    doctor::accept_edits(home.path()).expect("accepted");
    assert_eq!(Store::open(home.path()).expect("opened").users().expect("read").names.len(), 1);
}

/// What a crash leaves between the three writes is one of two contents that Plait wrote.
#[test]
fn crash_while_a_document_is_replaced_leaves_an_accepted_one() {
    let home = written();
    let (path, sums) = (home.path().join("settings.json"), home.path().join("checksums.json"));
    let (before, sums_before) = (fs::read(&path).expect("read"), fs::read(&sums).expect("read"));
    let light = settings(&json!({ "theme": "light" }));
    Store::open(home.path()).expect("opened").put_settings(&light).expect("written");
    let (after, sums_after) = (fs::read(&path).expect("read"), fs::read(&sums).expect("read"));
    let known = |bytes: &[u8]| -> Map<String, Value> { serde_json::from_slice(bytes).expect("JSON") };
    let of = |sums: &[u8]| known(sums)["settings"].as_array().expect("a list").clone();
    let mut both = known(&sums_before);
    both.insert("settings".to_owned(), [of(&sums_before), of(&sums_after)].concat().into());
    fs::write(&sums, serde_json::to_vec(&both).expect("JSON")).expect("written");
    for content in [before, after] {
        fs::write(&path, content).expect("written");
        assert!(read(home.path()).is_ok());
    }
}

#[test]
fn damaged_checksums_refuse_the_documents_until_they_are_accepted() {
    let home = written();
    fs::write(home.path().join("checksums.json"), "{\"sett").expect("written");
    assert_eq!(read(home.path()), Err("store.corrupt".to_owned()));
    doctor::accept_edits(home.path()).expect("accepted");
    assert_eq!(read(home.path()), Ok(dark()));
    fs::write(home.path().join("settings.json"), "{\"theme").expect("written");
    assert_eq!(doctor::accept_edits(home.path()).expect_err("damaged").code.as_str(), "store.corrupt");
}

#[test]
fn salvaging_a_damaged_document_accepts_that_it_is_gone() {
    let home = written();
    fs::write(home.path().join("settings.json"), "{\"theme").expect("written");
    assert_eq!(read(home.path()), Err("store.corrupt".to_owned()));
    let report = doctor::check(home.path(), true, &mut |_, _| ()).expect("salvaged");
    assert!(report.has_losses());
    assert_eq!(read(home.path()), Ok(Map::new()));
}

#[test]
fn doctor_notes_a_document_that_was_changed_outside() {
    let home = written();
    fs::write(home.path().join("settings.json"), "{}").expect("written");
    let report = doctor::check(home.path(), false, &mut |_, _| ()).expect("checked");
    assert!(!report.has_losses());
    assert!(report.findings.iter().any(|found| found.message.contains("changed outside")), "{report:#?}");
}
