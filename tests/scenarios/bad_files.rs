//! A flow file that is wrong gives diagnostics that name the place, and nothing of it is lost.

use std::fmt::Write as _;

use plait_api::engine::flow;
use plait_api::{Options, Plait, dispatch};
use serde_json::{Value, json};

use crate::support::binary::{CliOutput, Home};
use crate::support::fixture;

/// `plait check` on a file of `tests/fixtures/flows/bad`, named as a person who stands in that folder would.
fn check(file: &str) -> CliOutput {
    let home = Home::default();
    home.command(&["check", file]).current_dir(fixture("flows/bad")).output().unwrap().into()
}

macro_rules! drawn {
    ($($name:ident: $file:literal),* $(,)?) => {
        $(
            #[test]
            fn $name() {
                let said = check($file);
                assert_eq!(said.code, 2, "{said:#?}");
                assert_eq!(said.out, "");
                insta::assert_snapshot!(said.err);
            }
        )*
    };
}

drawn! {
    truncated: "truncated.flow.json",
    not_json: "not-json.flow.json",
    newer_version: "newer-version.flow.json",
    unknown_node_types: "unknown-types.flow.json",
    dangling_edge: "dangling-edge.flow.json",
    duplicate_ids: "duplicate-ids.flow.json",
    wrong_config: "wrong-config.flow.json",
    wrong_edges: "wrong-edges.flow.json",
    cyclic: "cyclic.flow.json",
    missing_file: "no-such-file.flow.json",
}

#[test]
fn the_same_findings_as_json() {
    let home = Home::default();
    for file in std::fs::read_dir(fixture("flows/bad")).unwrap() {
        let path = file.unwrap().path().display().to_string();
        let said = home.plait(&["check", &path, "--json"]);
        assert_eq!(said.code, 2, "{said:#?}");
        let report: Value = serde_json::from_str(&said.out).unwrap();
        assert_eq!(report["valid"], false);
        let found = report["diagnostics"].as_array().unwrap();
        assert!(!found.is_empty(), "{path}");
        for one in found {
            assert!(one["code"].as_str().unwrap().contains('.'), "{one}");
            assert!(one["pointer"].is_string(), "{one}");
        }
    }
}

#[test]
fn running_a_wrong_flow_says_why_and_touches_no_store() {
    let home = Home::default();
    let path = fixture("flows/bad/cyclic.flow.json").display().to_string();
    let said = home.plait(&["run", &path, "--json"]);
    assert_eq!((said.code, said.out.as_str()), (2, ""));
    assert!(said.err.contains("Circular dependency detected at node a"), "{said:#?}");
    assert_eq!(std::fs::read_dir(home.path()).unwrap().count(), 0);
}

#[test]
fn a_wrong_node_among_a_million_is_named() {
    const NODES: usize = 1_000_000;
    let mut text = String::from("{\"version\": 1, \"name\": \"Many\", \"nodes\": {\n");
    for at in 0..NODES {
        let node_type = if at == 654_321 { "valve" } else { "value" };
        let comma = if at == 0 { "" } else { ",\n" };
        write!(text, "{comma}\"n{at}\": {{\"type\": \"{node_type}\"}}").unwrap();
    }
    text.push_str("\n}, \"edges\": {}}\n");
    let home = Home::default();
    let said = home.plait(&["check", &home.file("many.flow.json", &text)]);
    assert_eq!(said.code, 2, "{said:#?}");
    // The first node stands on the second line.
    assert!(said.err.contains("many.flow.json:654323:"), "{}", said.err);
    assert!(said.err.contains("There is no node type `valve`."), "{}", said.err);
    assert!(said.err.contains("1 error in"), "{}", said.err);
}

#[tokio::test]
async fn unknown_node_types_survive_opening_and_saving() {
    let original = std::fs::read_to_string(fixture("flows/bad/unknown-types.flow.json")).unwrap();
    let home = Home::default();
    let path = home.file("kept.flow.json", &original);
    let app = Plait::open(Options::new(home.path().join("data"))).unwrap();

    let opened = dispatch(&app, "flow.open", json!({ "path": path })).await.unwrap();
    let codes: Vec<_> = opened["diagnostics"].as_array().unwrap().iter().map(|one| &one["code"]).collect();
    assert!(codes.contains(&&json!("node.unknown_type")), "{codes:?}");
    let save = json!({ "path": path, "flow": opened["flow"], "baseHash": opened["hash"] });
    dispatch(&app, "flow.save", save).await.unwrap();

    let saved = std::fs::read_to_string(&path).unwrap();
    let (before, after): (Value, Value) =
        (serde_json::from_str(&original).unwrap(), serde_json::from_str(&saved).unwrap());
    assert_eq!(before, after);
    // And what was saved is saved the same again: git sees no change.
    assert_eq!(flow::write(&flow::read(&saved).unwrap()).unwrap(), saved);
}

#[tokio::test]
async fn a_file_that_changed_on_disk_is_not_overwritten() {
    let home = Home::default();
    let path = home.file("shared.flow.json", "{\"version\": 1, \"nodes\": {}, \"edges\": {}}");
    let app = Plait::open(Options::new(home.path().join("data"))).unwrap();
    let opened = dispatch(&app, "flow.open", json!({ "path": path })).await.unwrap();
    let theirs = "{\"version\": 1, \"name\": \"theirs\", \"nodes\": {}, \"edges\": {}}";
    std::fs::write(&path, theirs).unwrap();

    let mut save = json!({ "path": path, "flow": opened["flow"], "baseHash": opened["hash"] });
    let refused = dispatch(&app, "flow.save", save.clone()).await.unwrap_err();
    assert_eq!(refused.code, "flow.changed_on_disk");
    assert_eq!(std::fs::read_to_string(&path).unwrap(), theirs);
    save["force"] = json!(true);
    dispatch(&app, "flow.save", save).await.unwrap();
    assert!(!std::fs::read_to_string(&path).unwrap().contains("theirs"));
}
