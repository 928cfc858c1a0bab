//! `plait runs find`: which recorded runs a breakpoint would have stopped.

use serde_json::{Value, json};

use crate::support::binary::Home;
use crate::support::folder::{FlowFolder, flow_json};

/// A text around a value that is given to the run.
fn tagged() -> Value {
    flow_json(
        "tagged",
        json!({
            "text": { "type": "text", "config": { "template": "<{{value}}>" } },
            "out": { "type": "output" },
        }),
        &["text.text -> out.value"],
    )
}

/// A flow that runs `child`.
fn parent() -> Value {
    let config = json!({ "file": "child.flow.json", "inputSource": "mapping" });
    flow_json(
        "parent",
        json!({ "in": { "type": "subflow", "config": config }, "result": { "type": "output" } }),
        &["in.text -> result.value"],
    )
}

fn child() -> Value {
    flow_json(
        "child",
        json!({ "word": { "type": "value", "config": { "value": "inside" } }, "out": { "type": "output" } }),
        &["word.value -> out.value"],
    )
}

/// Three runs, of `a`, `b` and `b`.
fn three_runs() -> (FlowFolder, Home) {
    let folder = FlowFolder::with_files(&[
        ("tagged.flow.json", &tagged()),
        ("parent.flow.json", &parent()),
        ("child.flow.json", &child()),
    ]);
    let home = Home::default();
    for value in ["a", "b", "b"] {
        let set = format!("text.value=\"{value}\"");
        let run = home.plait(&["run", &folder.file("tagged.flow.json"), "--set", &set]);
        assert_eq!(run.code, 0, "{run:#?}");
    }
    (folder, home)
}

#[test]
fn find_tells_in_which_runs_a_breakpoint_would_have_stopped() {
    let (folder, home) = three_runs();
    let find = |args: &[&str]| home.plait(&[&["runs", "find"], args].concat());
    let after = find(&["--node", "text:after", "--when", "value == '<b>'"]);
    assert_eq!(after.code, 0, "{after:#?}");
    assert!(after.out.contains("would have stopped 2 times in 2 of 3 runs\n"), "{}", after.out);
    assert_eq!(after.out.matches("  after `text`\n").count(), 2, "{}", after.out);
    let port = find(&["--node", "text.text", "--when", "value == '<b>'"]);
    assert!(port.out.contains("would have stopped 2 times in 2 of 3 runs\n"), "{}", port.out);
    let no_port = find(&["--node", "text.txt"]);
    assert!(no_port.err.contains("no") && no_port.err.contains("`txt`"), "{no_port:#?}");
    let before = find(&["--node", "text", "--when", "inputs.value == 'a'", "--json"]);
    let reply: Value = serde_json::from_str(&before.out).unwrap();
    assert_eq!((&reply["runs"], &reply["stops"], &reply["stoppedRuns"]), (&json!(3), &json!(1), &json!(1)));
    let place = &reply["found"][0]["places"][0];
    assert_eq!(place["run"], reply["found"][0]["run"]);
    assert_eq!(place["point"], json!({ "node": "text", "epoch": [], "attempt": 1, "side": "before" }));
    let newest = find(&["--node", "text:after", "--when", "value == '<b>'", "--limit", "1"]);
    assert!(newest.out.contains("would have stopped 1 time in 1 of 1 run\n"), "{}", newest.out);
    let every = find(&["--flow", &folder.file("tagged.flow.json")]);
    assert!(every.out.contains("would have stopped 6 times in 3 of 3 runs\n"), "{}", every.out);
    let other = find(&["--flow", &folder.file("parent.flow.json")]);
    assert!(other.code == 0 && other.out == "There are no runs to ask.\n", "{other:#?}");
    let none = find(&["--node", "text:after", "--when", "value == 'c'"]);
    assert!(none.code == 0 && none.out == "would not have stopped in 3 runs\n", "{none:#?}");
}

#[test]
fn find_stops_as_often_as_the_breakpoint() {
    let (folder, home) = three_runs();
    let at = ["text:after:when=value == '<b>'", "out:when=inputs.value == '<b>'", "out:call"];
    let (mut stopped, mut found) = (0, 0);
    for text in at {
        let file = folder.file("tagged.flow.json");
        let run = home.plait(&["run", &file, "--set", "text.value=\"b\"", "--break", text, "--json"]);
        stopped += run.events().iter().filter(|event| event["type"] == "debug.stopped").count();
        let (place, when) = text.split_once(":when=").unwrap_or((text, "true"));
        // The run above stands still at the place and has not passed it.
        let asked = home.plait(&["runs", "find", "--node", place, "--when", when, "--json"]);
        let reply: Value = serde_json::from_str(&asked.out).unwrap();
        let stops = reply["stops"].as_u64().unwrap();
        assert!(stops.is_multiple_of(2), "the two runs of `b` are alike: {reply:#}");
        found += stops / 2;
    }
    assert_eq!((stopped as u64, stopped), (found, 2));
}

#[test]
fn find_reports_what_can_not_be_asked() {
    let (folder, home) = three_runs();
    let find = |args: &[&str]| home.plait(&[&["runs", "find"], args].concat());
    let bad = find(&["--node", "text", "--when", "value ="]);
    let file = folder.file("tagged.flow.json");
    let same = home.plait(&["run", &file, "--set", "text.value=1", "--break", "text:when=value ="]);
    assert!(bad.err.contains("[debug.bad_breakpoint]") && bad.out.is_empty(), "{bad:#?}");
    assert!(same.err.contains("[debug.bad_breakpoint]") && same.code == bad.code, "{same:#?}");
    let unknown = find(&["--node", "txt"]);
    assert!(
        unknown.err.contains("[debug.unknown_node]: None of the 3 runs has a node `txt`."),
        "{unknown:#?}"
    );
    let failing = find(&["--node", "text:after", "--when", "value.score > 1"]);
    assert_eq!(failing.code, 0, "{failing:#?}");
    assert!(failing.out.contains("would have stopped 3 times in 3 of 3 runs\n"), "{}", failing.out);
    assert!(failing.err.contains("could not be evaluated, first after `text` in run"), "{}", failing.err);
}

#[test]
fn find_names_runs_that_can_not_be_read() {
    let (_folder, home) = three_runs();
    let listed: Value = serde_json::from_str(&home.plait(&["runs", "list", "--json"]).out).unwrap();
    let run = listed[1]["run"].as_str().unwrap();
    let file = find_file(&home.path().join("runs"), run);
    let mut bytes = std::fs::read(&file).unwrap();
    let middle = bytes.len() / 2;
    bytes[middle] ^= 0xff;
    std::fs::write(&file, bytes).unwrap();
    let found = home.plait(&["runs", "find", "--node", "text:after", "--when", "value == '<b>'"]);
    assert_eq!(found.code, 1, "{found:#?}");
    assert!(found.out.contains("would have stopped 1 time in 1 of 3 runs\n"), "{}", found.out);
    assert!(found.err.contains(&format!("Run {run} could not be read to its end.")), "{}", found.err);
    assert!(found.err.contains("[journal.corrupt]"), "{}", found.err);
}

/// The file of a run, anywhere in a folder.
fn find_file(folder: &std::path::Path, run: &str) -> std::path::PathBuf {
    let mut folders = vec![folder.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else if path.file_name().unwrap().to_string_lossy().contains(run) {
                return path;
            }
        }
    }
    panic!("there is no file of run {run}");
}

#[test]
fn find_asks_the_runs_of_a_sub_flow() {
    let (folder, home) = three_runs();
    let run = home.plait(&["run", &folder.file("parent.flow.json")]);
    assert_eq!(run.code, 0, "{run:#?}");
    let found = home.plait(&["runs", "find", "--node", "in/word:after"]);
    assert_eq!(found.code, 0, "{found:#?}");
    assert!(found.out.contains("would have stopped 1 time in 1 of 1 run\n"), "{}", found.out);
    assert!(found.out.contains("  after `word`, in run "), "{}", found.out);
    assert!(found.err.contains("3 more runs do not have the node."), "{}", found.err);
}

#[test]
fn longest_name_of_a_node_wins_in_a_place_with_dots() {
    let mut flow = flow_json(
        "dots",
        json!({
            "word": { "type": "value", "config": { "value": "short" } },
            "word.long": { "type": "value", "config": { "value": "long" } },
            "text.of.all": { "type": "text", "config": { "template": "{{one}} {{other}}" } },
            "out": { "type": "output" },
        }),
        &[],
    );
    for (id, source, output, target, input) in [
        ("1", "word", "value", "text.of.all", "one"),
        ("2", "word.long", "value", "text.of.all", "other"),
        ("3", "text.of.all", "text", "out", "value"),
    ] {
        flow["edges"][id] =
            json!({ "source": source, "sourceOutput": output, "target": target, "targetInput": input });
    }
    let folder = FlowFolder::with_files(&[("dots.flow.json", &flow)]);
    let home = Home::default();
    assert_eq!(home.plait(&["run", &folder.file("dots.flow.json")]).code, 0);
    for (place, at) in [
        ("word.long.value", "after `word.long`"),
        ("word.long:before", "before `word.long`"),
        ("word.value", "after `word`"),
        ("text.of.all.text:after", "after `text.of.all`"),
        ("word.long.value->text.of.all.other", "before `text.of.all`"),
    ] {
        let found = home.plait(&["runs", "find", "--node", place]);
        assert!(found.code == 0 && found.out.contains("would have stopped 1 time"), "{place}: {found:#?}");
        assert!(found.out.contains(at), "{place}: {found:#?}");
        let replayed = home.plait(&["replay", "last", "--break", place]);
        assert!(replayed.code == 4 && replayed.err.contains(at), "{place}: {replayed:#?}");
        assert_eq!(home.plait(&["cancel", "last"]).code, 0);
        assert_eq!(home.plait(&["runs", "rm", "last"]).code, 0);
    }
    let unread = home.plait(&["runs", "find", "--node", "word.long."]);
    assert!(unread.code == 2 && unread.err.contains("debug.bad_breakpoint"), "{unread:#?}");
}
