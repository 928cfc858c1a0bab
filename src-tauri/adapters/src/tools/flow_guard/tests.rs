//! Which files and texts are refused.

use std::fs;
use std::path::Path;

use plait_core::id::RunId;
use plait_journal::{Entry, FlowRef, Journal as _};
use plait_llm::grant::{GrantRule, Grants};

use super::FlowGuard;
use plait_store::Store;
use plait_testing::RunStart;

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

/// A run of this flow that goes on, as a part of another one if there is a `parent`.
fn start(store: &Store, run: &RunId, parent: Option<&RunId>, flow: &Path) {
    let flow = FlowRef {
        name: "Flow".into(),
        path: Some(flow.to_str().expect("Unicode").to_owned()),
        hash: "0".repeat(64),
    };
    let started = RunStart { flow, parent_run_id: parent.cloned(), ..RunStart::new(run.clone()) };
    let entry = Entry { seq: Some(0), at: 1_700_000_000_000, event: started.into(), interrupted_ms: 0 };
    store.journal(run).expect("journal").append(&[entry]).expect("appended");
}

/// Also while the file holds no flow: a person may have broken it since the run began, or have moved it away.
#[test]
fn files_of_the_running_flow_and_of_those_above_it_are_not_written() {
    let (home, project) = (tempfile::tempdir().expect("folder"), tempfile::tempdir().expect("folder"));
    let store = Store::open(home.path()).expect("opened");
    let guard = FlowGuard::new(&store, |_| false);
    let root = project.path().canonicalize().expect("folder");
    let [above, inside, other] = ["above.yaml", "inside.yaml", "other.yaml"].map(|name| root.join(name));
    for file in [&above, &other] {
        fs::write(file, "broken").expect("written");
    }
    let run = |number: u8| RunId::from(format!("0190a000-0000-7000-8000-00000000000{number}").as_str());
    start(&store, &run(1), None, &above);
    start(&store, &run(2), Some(&run(1)), &inside);
    let refused = Some("tool.protected_file".to_owned());
    let write = |path: &Path, by: u8| code(guard.check(path, Some("broken"), "Milk.", Some(&run(by))));
    assert_eq!(write(&above, 1), refused);
    assert_eq!(write(&above, 2), refused, "the flow above");
    assert_eq!(write(&inside, 2), refused, "a file that is not there");
    assert_eq!(write(&inside, 1), None, "the flow above does not run from it");
    assert_eq!(write(&other, 2), None);
}
