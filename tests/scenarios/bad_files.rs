//! Invalid flow files produce diagnostics with positions, and their content is preserved.

use std::fmt::Write as _;

use plait_api::{Options, Plait, dispatch};
use plait_core::flow;
use serde_json::{Value, json};

use crate::support::binary::{CliOutput, Home};
use crate::support::fixture;

/// Runs `plait check` on a file of `tests/fixtures/flows/bad`, from that folder.
fn check(file: &str) -> CliOutput {
    let home = Home::default();
    home.command(&["check", file]).current_dir(fixture("flows/bad")).output().unwrap().into()
}

macro_rules! diagnostic_snapshots {
    ($($name:ident: $file:literal),* $(,)?) => {
        $(
            #[test]
            fn $name() {
                let output = check($file);
                assert_eq!(output.code, 2, "{output:#?}");
                assert_eq!(output.out, "");
                insta::assert_snapshot!(output.err);
            }
        )*
    };
}

diagnostic_snapshots! {
    truncated_file_is_diagnosed: "truncated.flow.json",
    non_json_is_diagnosed: "not-json.flow.json",
    newer_version_is_diagnosed: "newer-version.flow.json",
    unknown_node_types_are_diagnosed: "unknown-types.flow.json",
    dangling_edge_is_diagnosed: "dangling-edge.flow.json",
    duplicate_ids_are_diagnosed: "duplicate-ids.flow.json",
    invalid_config_is_diagnosed: "wrong-config.flow.json",
    invalid_edges_are_diagnosed: "wrong-edges.flow.json",
    unbounded_cycle_is_diagnosed: "cyclic.flow.json",
    missing_file_is_diagnosed: "no-such-file.flow.json",
}

#[test]
fn check_reports_diagnostics_as_json() {
    let home = Home::default();
    for file in std::fs::read_dir(fixture("flows/bad")).unwrap() {
        let path = file.unwrap().path().display().to_string();
        let output = home.plait(&["check", &path, "--json"]);
        assert_eq!(output.code, 2, "{output:#?}");
        let report: Value = serde_json::from_str(&output.out).unwrap();
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
fn invalid_flow_is_refused_without_opening_the_store() {
    let home = Home::default();
    let path = fixture("flows/bad/cyclic.flow.json").display().to_string();
    let output = home.plait(&["run", &path, "--json"]);
    assert_eq!((output.code, output.out.as_str()), (2, ""));
    assert!(output.err.contains("Circular dependency detected at node a"), "{output:#?}");
    assert_eq!(std::fs::read_dir(home.path()).unwrap().count(), 0);
}

/// Its line number takes more than 16 bits.
#[test]
fn invalid_node_among_100_000_is_located() {
    const NODES: usize = 100_000;
    let mut text = String::from("{\"version\": 1, \"name\": \"Many\", \"nodes\": {\n");
    for at in 0..NODES {
        let node_type = if at == 76_543 { "valve" } else { "value" };
        let comma = if at == 0 { "" } else { ",\n" };
        write!(text, "{comma}\"n{at}\": {{\"type\": \"{node_type}\"}}").unwrap();
    }
    text.push_str("\n}, \"edges\": {}}\n");
    let home = Home::default();
    let output = home.plait(&["check", &home.file("many.flow.json", &text)]);
    assert_eq!(output.code, 2, "{output:#?}");
    // The first node is on the second line.
    assert!(output.err.contains("many.flow.json:76545:"), "{}", output.err);
    assert!(output.err.contains("There is no node type `valve`."), "{}", output.err);
    assert!(output.err.contains("1 error in"), "{}", output.err);
}

#[tokio::test]
async fn unknown_node_types_survive_open_and_save() {
    let original = std::fs::read_to_string(fixture("flows/bad/unknown-types.flow.json")).unwrap();
    let home = Home::default();
    let path = home.file("kept.flow.json", &original);
    let app = Plait::open(Options::new(home.path().join("data"), plait_app::parts())).unwrap();

    let opened = dispatch(&app, "flow.open", json!({ "path": path })).await.unwrap();
    let codes: Vec<_> = opened["diagnostics"].as_array().unwrap().iter().map(|one| &one["code"]).collect();
    assert!(codes.contains(&&json!("node.unknown_type")), "{codes:?}");
    let save = json!({ "path": path, "flow": opened["flow"], "baseHash": opened["hash"] });
    dispatch(&app, "flow.save", save).await.unwrap();

    let saved = std::fs::read_to_string(&path).unwrap();
    let (before, after): (Value, Value) =
        (serde_json::from_str(&original).unwrap(), serde_json::from_str(&saved).unwrap());
    assert_eq!(before, after);
    // Saving again changes nothing.
    assert_eq!(flow::write(&flow::read(&saved).unwrap()).unwrap(), saved);
}

#[tokio::test]
async fn file_changed_on_disk_is_not_overwritten() {
    let home = Home::default();
    let path = home.file("shared.flow.json", "{\"version\": 1, \"nodes\": {}, \"edges\": {}}");
    let app = Plait::open(Options::new(home.path().join("data"), plait_app::parts())).unwrap();
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

/// The excerpt of a long line begins and ends anywhere, also within a secret.
#[test]
fn excerpts_show_no_part_of_a_secret() {
    const TOKEN: &str = "ghp_abcdefghijklmnopqrstuvwxyz0123456789";
    let text = json!({
        "version": 1, "name": "S", "edges": {},
        "nodes": {
            "a": { "type": "text", "config": { "template": TOKEN } },
            "b": { "type": "nope", "config": { "padding": "x".repeat(60), "template": TOKEN } },
        },
    });
    let home = Home::default();
    let path = home.path().join("secret.flow.json");
    for width in 0..TOKEN.len() {
        let text = text.to_string().replace("\"S\"", &format!("\"{}\"", "S".repeat(width + 1)));
        std::fs::write(&path, text).unwrap();
        let output = home.plait(&["check", path.to_str().unwrap()]);
        assert_eq!(output.code, 2, "{output:#?}");
        for part in TOKEN.as_bytes().windows(8) {
            assert!(!output.err.contains(std::str::from_utf8(part).unwrap()), "{output:#?}");
        }
    }
}
