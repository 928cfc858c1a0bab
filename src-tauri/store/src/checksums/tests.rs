//! Which documents are refused, and how a person accepts them.

use std::fs;
use std::path::Path;

use serde_json::{Map, Value, json};

use super::GuardedDocument;
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

#[test]
fn reader_beside_a_writer_finds_no_change_from_outside() {
    let home = written();
    let path = home.path().join("settings.json");
    let writer = Store::open(home.path()).expect("opened");
    let mut reads = 0;
    let (bytes, verified) = super::read_verified(home.path(), "settings", || {
        let bytes = fs::read(&path).expect("read");
        reads += 1;
        if reads == 1 {
            writer.put_settings(&settings(&json!({ "theme": "light" }))).expect("written");
        }
        Ok(Some(bytes))
    })
    .expect("read");
    assert_eq!((verified, bytes), (Ok(()), Some(br#"{"theme":"light"}"#.to_vec())));
}

#[test]
fn grants_and_mcp_documents_are_guarded_like_settings() {
    let home = tempfile::tempdir().expect("folder");
    let store = Store::open(home.path()).expect("opened");
    let servers = json!({ "files": { "command": "files" } });
    store.put_mcp_servers(&servers).expect("written");
    store.put_mcp_tools(&servers).expect("written");
    let texts = [("grants.json", "{}"), ("mcp-servers.json", r#"{"other":{}}"#), ("mcp-tools.json", "{}")];
    for (name, text) in texts {
        fs::write(home.path().join(name), text).expect("written");
    }
    let code = |fault: plait_core::error::Fault| fault.code.to_string();
    let changed = "store.changed_outside".to_owned();
    assert_eq!(store.grants().map_err(code), Err(changed.clone()));
    assert_eq!(store.mcp_servers::<Map<String, Value>>().map_err(code), Err(changed.clone()));
    assert_eq!(store.mcp_tools::<Map<String, Value>>().map_err(code), Err(changed.clone()));
    assert_eq!(store.put_mcp_tools(&servers).map_err(code), Err(changed.clone()), "it would be lost");
    assert_eq!(store.put_mcp_servers(&servers).map_err(code), Err(changed), "it would be lost");
    let report = doctor::check(home.path(), false, &mut |_, _| ()).expect("checked");
    let noted = |name: &str| report.findings.iter().any(|found| found.path.ends_with(name));
    assert!(texts.iter().all(|(name, _)| noted(name)), "{report:#?}");
    drop(store);
    assert_eq!(doctor::accept_edits(home.path()).expect("accepted").len(), texts.len());
    let servers = Store::open(home.path()).expect("opened").mcp_servers::<Map<String, Value>>();
    assert_eq!(servers.expect("read"), settings(&json!({ "other": {} })));
}

#[test]
fn documents_that_an_older_version_did_not_guard_are_taken_as_they_are() {
    let home = written();
    let sums = home.path().join("checksums.json");
    let mut known: Map<String, Value> =
        serde_json::from_slice(&fs::read(&sums).expect("read")).expect("JSON");
    known.retain(|name, _| name == "settings" || name == "users");
    fs::write(&sums, serde_json::to_vec(&known).expect("JSON")).expect("written");
    fs::write(home.path().join("mcp-servers.json"), "{}").expect("written");
    let servers = |store: &Store| store.mcp_servers::<Map<String, Value>>();
    assert!(servers(&Store::open_for_reading(home.path()).expect("opened")).is_ok());
    assert!(servers(&Store::open(home.path()).expect("opened")).is_ok());
    fs::write(home.path().join("mcp-servers.json"), r#"{"evil":{}}"#).expect("written");
    assert!(servers(&Store::open(home.path()).expect("opened")).is_err());
}

#[test]
fn only_the_content_that_was_shown_is_accepted() {
    let home = written();
    let path = home.path().join("settings.json");
    let store = Store::open(home.path()).expect("opened");
    fs::write(&path, r#"{"theme":"light"}"#).expect("written");
    let shown = store.settings().expect_err("changed");
    assert_eq!(shown.details["document"], "settings");
    fs::write(&path, r#"{"theme":"dark","limits":{}}"#).expect("written");
    let accept = |fault: &plait_core::error::Fault| {
        store.accept(GuardedDocument::Settings, fault.details["hash"].as_str().expect("a hash"))
    };
    let refused = accept(&shown).expect_err("another content");
    assert_eq!(refused.code, "store.changed_outside");
    assert!(store.settings().is_err());
    accept(&refused).expect("accepted");
    assert_eq!(store.settings().expect("read")["theme"], "dark");
    fs::remove_file(&path).expect("removed");
    accept(&store.settings().expect_err("removed")).expect("accepted");
    assert_eq!(store.settings(), Ok(Map::new()));
}
