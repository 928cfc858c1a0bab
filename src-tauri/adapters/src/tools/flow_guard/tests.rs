//! Which files and texts are refused.

use std::fs;

use plait_core::id::RunId;
use plait_run::grant::{GrantRule, Grants};

use super::FlowGuard;
use plait_store::Store;

fn code(checked: Result<(), plait_core::error::Fault>) -> Option<String> {
    checked.err().map(|fault| fault.code.to_string())
}

#[test]
fn flows_and_files_with_grants_are_not_written() {
    let (home, project) = (tempfile::tempdir().expect("folder"), tempfile::tempdir().expect("folder"));
    let store = Store::open(home.path()).expect("opened");
    let guard = FlowGuard::new(&store, |text| text.starts_with("steps:"));
    let root = project.path().canonicalize().expect("folder");
    let refused = Some("tool.protected_file".to_owned());
    let notes = root.join("notes.md");
    assert_eq!(code(guard.check(&notes, None, "Milk.", None)), None);
    assert_eq!(code(guard.check(&notes, Some("Milk."), "Bread.", None)), None);
    assert_eq!(code(guard.check(&notes, None, "steps: []", None)), refused, "it would be a flow");
    assert_eq!(code(guard.check(&notes, Some("steps: []"), "", None)), refused, "it is a flow");

    let granted = root.join("article.yaml");
    fs::write(&granted, "not any more").expect("written");
    let path = granted.to_str().expect("Unicode").to_owned();
    let rule = GrantRule::allow("host=a.com".parse().expect("a pattern"));
    store.change_grants(&path, |_| Ok(Grants::new([rule]))).expect("granted");
    assert_eq!(code(guard.check(&granted, Some("not any more"), "x", None)), refused);
    let missing = RunId::from("0190a000-0000-7000-8000-000000000001");
    assert!(guard.check(&notes, None, "x", Some(&missing)).is_err(), "a run that is not known is no proof");
}
