//! The real `plait` binary when something goes wrong around it: signals, a closed pipe, a store in use, a full disk, damaged files.

use std::io::{BufRead as _, BufReader};
use std::process::{Child, Command};

use plait_api::{Options, Plait};
use serde_json::Value;

use crate::commands::flow;
use crate::support::binary::{CliOutput, Home};

#[test]
fn damaged_documents_are_named_and_salvaged() {
    let home = Home::default();
    assert_eq!(home.plait(&["users", "add", "ada"]).code, 0);
    let names = ["settings", "users", "grants", "mcp-servers", "mcp-tools"];
    for name in names {
        home.file(&format!("{name}.json"), "{\"cur");
    }
    let refused = home.plait(&["runs", "list"]);
    assert!(refused.code == 1 && refused.err.contains("plait doctor --salvage"), "{refused:#?}");
    let salvaged = home.plait(&["doctor", "--salvage"]);
    assert_eq!(salvaged.code, 1, "something is lost: {salvaged:#?}");
    assert!(salvaged.out.contains("Goes on with the default settings"), "{salvaged:#?}");
    assert!(salvaged.out.contains("Goes on with the user `local` alone"), "{salvaged:#?}");
    for name in names {
        let kept = std::fs::read(home.path().join("damaged").join(format!("{name}.json"))).unwrap();
        assert_eq!(kept, b"{\"cur");
        assert!(!home.path().join(format!("{name}.json")).exists(), "{name}");
    }
    let healthy = home.plait(&["doctor"]);
    assert!(healthy.code == 0 && healthy.out.contains("No problems found."), "{healthy:#?}");
    assert_eq!(home.plait(&["runs", "list"]).code, 0);
}

#[cfg(unix)]
#[test]
fn interrupted_run_exits_with_130() {
    let home = Home::default();
    let mut child = home.command(&["run", &flow("long"), "--json"]).spawn().unwrap();
    let mut out = BufReader::new(child.stdout.take().unwrap()).lines().map(Result::unwrap);
    out.by_ref().find(|line| line.contains("node.started") && line.contains("\"wait\"")).unwrap();
    signal(&child, "-INT");
    let rest: Vec<Value> = out.map(|line| serde_json::from_str(&line).unwrap()).collect();
    assert_eq!(child.wait().unwrap().code(), Some(130));
    let types: Vec<_> = rest.iter().map(|event| event["type"].as_str().unwrap()).collect();
    assert_eq!(types.first(), Some(&"run.cancelling"));
    assert_eq!(types.last(), Some(&"run.cancelled"));
    let listed = home.plait(&["runs", "list", "--json"]);
    let listed: Value = serde_json::from_str(&listed.out).unwrap();
    assert_eq!(listed[0]["status"], "cancelled");
}

#[cfg(unix)]
fn signal(child: &Child, name: &str) {
    let sent = Command::new("kill").args([name, &child.id().to_string()]).status().unwrap();
    assert!(sent.success());
}

#[test]
fn killed_run_is_interrupted_and_can_be_canceled() {
    let home = Home::default();
    let mut child = home.command(&["run", &flow("long"), "--json"]).spawn().unwrap();
    let mut out = BufReader::new(child.stdout.take().unwrap()).lines().map(Result::unwrap);
    out.by_ref().find(|line| line.contains("node.started") && line.contains("\"wait\"")).unwrap();
    child.kill().unwrap();
    child.wait().unwrap();
    let status = |home: &Home| {
        let listed: Value = serde_json::from_str(&home.plait(&["runs", "list", "--json"]).out).unwrap();
        listed[0]["status"].as_str().unwrap().to_owned()
    };
    assert_eq!(status(&home), "interrupted");
    let output = home.plait(&["cancel", "last"]);
    assert_eq!(output.code, 0, "{output:#?}");
    assert_eq!(status(&home), "cancelled");
    let again = home.plait(&["cancel", "last"]);
    assert_eq!(again.code, 2, "{again:#?}");
}

#[test]
fn closed_pipe_exits_without_a_panic() {
    let home = Home::default();
    for args in [&["nodes"][..], &["schema"], &["run", "hello", "--json"]] {
        let mut child = home.command(args).spawn().unwrap();
        drop(child.stdout.take());
        let output: CliOutput = child.wait_with_output().unwrap().into();
        assert_eq!(output.code, 141, "{args:?}: {output:#?}");
        assert_eq!(output.err, "", "{args:?}");
    }
}

#[test]
fn store_in_use_is_reported() {
    let home = Home::default();
    let window = Plait::open(Options::new(home.path(), plait_app::parts())).unwrap();
    let output = home.plait(&["run", "hello"]);
    assert_eq!((output.code, output.out.as_str()), (1, ""));
    assert!(output.err.contains("error[store.locked]") && output.err.contains("help:"), "{output:#?}");
    // What only reads, or needs no store, works all the same.
    for args in [
        &["check", "hello"][..],
        &["runs", "list"],
        &["usage"],
        &["keys", "list"],
        &["conversations", "list"],
        &["doctor"],
    ] {
        let output = home.plait(args);
        assert_eq!(output.code, 0, "{args:?}: {output:#?}");
    }
    drop(window);
    assert_eq!(home.plait(&["run", "hello"]).code, 0);
}

/// Simulates a full disk with a file size limit for one process.
#[cfg(unix)]
#[test]
fn full_disk_is_reported_and_loses_nothing() {
    let home = Home::default();
    assert_eq!(home.plait(&["run", "hello"]).code, 0);
    let binary = env!("CARGO_BIN_EXE_plait");
    let script = format!("trap '' XFSZ; ulimit -f 1; exec '{binary}' run tool-brief --answer Go --json");
    let output: CliOutput =
        Command::new("sh").args(["-c", &script]).env("PLAIT_HOME", home.path()).output().unwrap().into();
    assert_eq!(output.code, 1, "{output:#?}");
    assert!(output.err.contains("error[store."), "{output:#?}");
    assert!(!output.err.contains("panicked"), "{output:#?}");
    let listed: Value = serde_json::from_str(&home.plait(&["runs", "list", "--json"]).out).unwrap();
    assert!(
        listed
            .as_array()
            .unwrap()
            .iter()
            .any(|run| run["flowName"] == "Hello" && run["status"] == "finished")
    );
}

#[cfg(unix)]
#[test]
fn disk_full_midway_interrupts_only_the_run() {
    let home = Home::default();
    assert_eq!(home.plait(&["run", "hello"]).code, 0);
    // More bytes than the file size limit.
    let flow = serde_json::json!({ "version": 1, "name": "Big", "nodes": {
        "ask": { "type": "userInput" },
        "letters": { "type": "value", "config": { "value": "x".repeat(60_000) } },
        "many": { "type": "text", "config": { "template": format!("{{{{go}}}}{}", "{{letters}}".repeat(60)) } },
    }, "edges": {
        "go": { "source": "ask", "sourceOutput": "message", "target": "many", "targetInput": "go" },
        "letters": { "source": "letters", "sourceOutput": "value", "target": "many", "targetInput": "letters" },
    } });
    let path = home.file("big.flow.json", &flow.to_string());
    let binary = env!("CARGO_BIN_EXE_plait");
    let script = format!("trap '' XFSZ; ulimit -f 2100; exec '{binary}' run '{path}' --answer Go");
    let output: CliOutput =
        Command::new("sh").args(["-c", &script]).env("PLAIT_HOME", home.path()).output().unwrap().into();
    assert_eq!(output.code, 1, "{output:#?}");
    assert!(output.err.contains("error[store.full]") && output.err.contains("help:"), "{output:#?}");
    let listed: Value = serde_json::from_str(&home.plait(&["runs", "list", "--json"]).out).unwrap();
    let statuses: Vec<_> =
        listed.as_array().unwrap().iter().map(|run| run["status"].as_str().unwrap()).collect();
    assert_eq!(statuses, ["interrupted", "finished"]);
    // Without the limit it continues, with the answer kept.
    let resumed = home.plait(&["resume", "last"]);
    assert_eq!((resumed.code, resumed.out.len()), (0, 60 * 60_000 + 3));
}

#[test]
fn damaged_journal_is_shown_as_far_as_it_can_be_read() {
    let home = Home::default();
    let asked = home.plait(&["run", "chat-loop", "--answer", "Hello"]);
    assert_eq!(asked.code, 3, "{asked:#?}");
    let whole = home.plait(&["runs", "show", "last", "--json"]);
    assert_eq!(whole.code, 0, "{whole:#?}");
    let month = std::fs::read_dir(home.path().join("runs")).unwrap().map(|entry| entry.unwrap().path());
    let month = month.into_iter().find(|path| path.is_dir()).unwrap();
    let journal = std::fs::read_dir(month).unwrap().next().unwrap().unwrap().path();
    let mut bytes = std::fs::read(&journal).unwrap();
    let at = bytes.windows(14).position(|some| some == b"model.replied\"").unwrap();
    bytes[at] ^= 1;
    std::fs::write(&journal, &bytes).unwrap();

    let shown = home.plait(&["runs", "show", "last", "--json"]);
    assert_eq!(shown.code, 1, "{shown:#?}");
    assert!(shown.err.contains("journal.corrupt"), "{shown:#?}");
    let lost: Vec<_> = whole.events().into_iter().filter(|event| !shown.events().contains(event)).collect();
    assert_eq!(lost.len(), 1, "only the damaged entry is missing: {lost:#?}");
    assert_eq!(lost[0]["type"], "model.replied");
    assert_eq!(home.plait(&["runs", "show", "last"]).code, 1);
}
