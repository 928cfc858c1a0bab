//! `plait diff`: what differs between two flows, and between two runs.

use std::process::Command;

use serde_json::{Value, json};

use crate::support::binary::{CliOutput, Home};
use crate::support::folder::flow_json;

/// A chat with a script, for each item of a list; its results are sent on beside a time that nothing depends on.
fn mapping(items: &Value, instructions: &str) -> Value {
    let mut flow = flow_json(
        "mapping",
        json!({
            "items": { "type": "value", "config": { "value": items } },
            "each": { "type": "loop", "config": { "kind": "forEach" } },
            "start": { "type": "contextStart", "parent": "each", "config": { "provider": "offline" } },
            "say": { "type": "chat", "parent": "each", "config": { "prompt": instructions } },
            "send": { "type": "output" },
        }),
        &[
            "items.value -> each.items",
            "start.context -> say.context",
            "each.item -> say.message",
            "say.response -> each.next",
            "each.results -> send.value",
        ],
    );
    flow["name"] = json!("mapping");
    flow
}

fn run(home: &Home, name: &str, flow: &Value) -> String {
    let file = home.file(name, &flow.to_string());
    let output = home.plait(&["run", &file, "--json"]);
    assert_eq!(output.code, 0, "{output:#?}");
    output.events()[0]["run"].as_str().unwrap().to_owned()
}

fn compared(home: &Home, before: &str, after: &str) -> (i32, Value) {
    let output = home.plait(&["diff", before, after, "--json"]);
    (output.code, serde_json::from_str(&output.out).unwrap_or_else(|error| panic!("{error}: {output:#?}")))
}

fn names(from: u32) -> Vec<String> {
    (from..10).map(|at| format!("name {at}")).collect()
}

#[test]
fn inserted_item_is_one_insertion() {
    let home = Home::default();
    let mut items = names(1);
    let before = run(&home, "a.flow.json", &mapping(&json!(items), "Greet."));
    items.insert(1, "somebody new".to_owned());
    let after = run(&home, "b.flow.json", &mapping(&json!(items), "Greet."));

    let (code, found) = compared(&home, &before, &after);
    assert_eq!(code, 1);
    let list = &found["lists"][0];
    assert_eq!(
        (&list["inserted"], &list["removed"], &list["changed"]),
        (&json!([1]), &json!([]), &json!([])),
        "{found:#}"
    );
    assert_eq!(list["unchanged"], 9);
    // The list itself, what the loop gives, and what is sent. No greeting differs.
    let differing: Vec<&str> = found["differences"]
        .as_array()
        .unwrap()
        .iter()
        .map(|found| found["after"]["at"]["node"].as_str().unwrap())
        .collect();
    assert_eq!(differing, ["items", "each", "send"], "{found:#}");
    assert_eq!(found["differences"][0]["follows"], json!([]));
    assert_eq!(found["differences"][2]["follows"], json!([0]));

    let shown = home.plait(&["diff", &before, &after]);
    assert!(shown.out.contains("each: item 2 inserted, 9 unchanged"), "{}", shown.out);
}

#[test]
fn items_in_another_order_are_moved() {
    let home = Home::default();
    let mut items = names(0);
    let before = run(&home, "a.flow.json", &mapping(&json!(items), "Greet."));
    items.reverse();
    items.push("somebody new".to_owned());
    let after = run(&home, "b.flow.json", &mapping(&json!(items), "Greet."));
    let shown = home.plait(&["diff", &before, &after]);
    let list = shown.out.lines().find(|line| line.contains("each: ")).unwrap();
    assert!(list.contains("item 11 inserted; items ") && list.contains("moved, 1 unchanged"), "{list}");

    // A node that only one run has is one line, however often it ran.
    let mut flow = mapping(&json!(items), "Greet.");
    flow["nodes"]["aside"] = json!({ "type": "text", "parent": "each", "config": { "template": "x" } });
    let with_aside = run(&home, "c.flow.json", &flow);
    let shown = home.plait(&["diff", &after, &with_aside]);
    assert_eq!(shown.out.matches("only in the second run").count(), 2, "{}", shown.out);
    assert!(shown.out.contains("aside#1 and 9 more: only in the second run"), "{}", shown.out);
}

#[test]
fn first_difference_is_named_and_what_does_not_follow_stands_apart() {
    let home = Home::default();
    let mut flow = mapping(&json!(["Ada"]), "Be brief.");
    flow["nodes"]["aside"] = json!({ "type": "value", "config": { "value": "one" } });
    flow["nodes"]["note"] = json!({ "type": "output" });
    flow["edges"]["aside"] =
        json!({ "source": "aside", "sourceOutput": "value", "target": "note", "targetInput": "value" });
    let before = run(&home, "a.flow.json", &flow);
    flow["nodes"]["say"]["config"]["prompt"] = json!("Be thorough.");
    flow["nodes"]["aside"]["config"]["value"] = json!("two");
    let after = run(&home, "b.flow.json", &flow);

    let (_, found) = compared(&home, &before, &after);
    let by_node = |node: &str| {
        let all = found["differences"].as_array().unwrap();
        let at = all.iter().position(|found| found["after"]["at"]["node"] == node);
        at.map_or_else(|| panic!("{node}: {found:#}"), |at| (at, all[at].clone()))
    };
    let (say_at, say) = by_node("say");
    assert_eq!(say["follows"], json!([]), "{found:#}");
    assert_eq!(say["changes"][0]["kind"], "config", "{say:#}");
    let message =
        say["changes"].as_array().unwrap().iter().find(|change| change["kind"] == "message").unwrap();
    let words = message["change"]["words"].as_array().unwrap();
    assert!(words.iter().any(|piece| piece["side"] == "after" && piece["text"] == "thorough"), "{message:#}");
    let (aside_at, aside) = by_node("aside");
    assert_eq!(aside["follows"], json!([]));
    assert_eq!(by_node("note").1["follows"], json!([aside_at]));
    assert_eq!(by_node("send").1["follows"], json!([say_at]), "{found:#}");
    let nodes = found["nodes"].as_array().unwrap();
    let of = |node: &str| nodes.iter().find(|found| found["after"]["node"] == node).unwrap();
    let mark = |node: &str| of(node)["mark"].as_str().unwrap();
    let mut causes = [mark("say"), mark("aside")];
    causes.sort_unstable();
    assert_eq!((causes, mark("send"), mark("items")), (["first", "own"], "follows", "same"), "{nodes:#?}");
    assert_eq!(of("say")["after"]["tokens"], found["after"]["tokens"], "no other node calls a model");
    assert!(of("say")["before"]["durationMs"].is_u64() && of("say")["before"]["cost"].is_object());
    let shown = home.plait(&["diff", &before, &after]);
    assert!(shown.out.contains("Be [-brief-]{+thorough+}."), "{}", shown.out);
    let table = shown.out.split_once("\nThe nodes\n").map(|(_, rest)| rest).unwrap_or_default();
    let row = table.lines().find(|line| line.split_whitespace().next() == Some("say"));
    assert!(row.is_some_and(|row| row.contains('$')), "{}", shown.out);
}

#[test]
fn many_runs_are_shown_by_what_varies() {
    let home = Home::default();
    let runs: Vec<String> = ["Ada", "Bob", "Ada"]
        .iter()
        .enumerate()
        .map(|(at, name)| run(&home, &format!("{at}.flow.json"), &mapping(&json!([name]), "Greet.")))
        .collect();
    let arguments: Vec<&str> = ["diff"].into_iter().chain(runs.iter().map(String::as_str)).collect();
    let shown = home.plait(&arguments);
    assert_eq!(shown.code, 1, "{shown:#?}");
    let row = shown.out.lines().find(|line| line.trim_start().starts_with("items.value ")).unwrap();
    let cells: Vec<&str> = row.split_whitespace().collect();
    assert_eq!(cells, ["items.value", "A", "B", "A"], "{}", shown.out);
    assert!(shown.out.contains("  B (1 of 3): [\"Bob\"]"), "{}", shown.out);
    let matrix: Value =
        serde_json::from_str(&home.plait(&[&arguments[..], &["--json"]].concat()).out).unwrap();
    let row = |node: &str| matrix["rows"].as_array().unwrap().iter().find(|row| row["node"] == node).unwrap();
    assert_eq!(
        (&row("items")["cells"], &row("say")["varies"]),
        (&json!([0, 1, 0]), &json!(false)),
        "{matrix:#}"
    );
    assert_eq!(matrix["runs"].as_array().unwrap().len(), 3);
}

/// What differs inside a sub-flow and is not handed on is a row of its own, by the nodes that lead there.
#[test]
fn many_runs_are_compared_inside_of_sub_flows() {
    let home = Home::default();
    let inner = |aside: &str| {
        let nodes = json!({
            "aside": { "type": "text", "config": { "template": aside } },
            "text": { "type": "text", "config": { "template": "tea" } },
            "start": { "type": "contextStart", "config": { "provider": "offline" } },
            "say": { "type": "chat", "config": { "prompt": "Greet." } },
            "out": { "type": "output" },
        });
        flow_json("inner", nodes, &["text.text -> out.value", "start.context -> say.context"]).to_string()
    };
    let outer = flow_json(
        "outer",
        json!({
            "below": { "type": "subflow", "config": { "file": "inner.flow.json", "inputSource": "mapping" } },
            "out": { "type": "output" },
        }),
        &["below.text -> out.value"],
    );
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, text: &str| {
        let path = folder.path().join(name);
        std::fs::write(&path, text).unwrap();
        path.display().to_string()
    };
    let runs = ["one", "two", "one"].map(|aside| {
        write("inner.flow.json", &inner(aside));
        let output = home.plait(&["run", &write("outer.flow.json", &outer.to_string()), "--json"]);
        assert_eq!(output.code, 0, "{output:#?}");
        output.events()[0]["run"].as_str().unwrap().to_owned()
    });
    let arguments: Vec<&str> = ["diff"].into_iter().chain(runs.iter().map(String::as_str)).collect();
    let shown = home.plait(&arguments);
    assert_eq!(shown.code, 1, "{shown:#?}");
    let row = shown.out.lines().find(|line| line.trim_start().starts_with("below/aside.text ")).unwrap();
    assert_eq!(row.split_whitespace().collect::<Vec<_>>(), ["below/aside.text", "A", "B", "A"]);
    let matrix: Value =
        serde_json::from_str(&home.plait(&[&arguments[..], &["--json"]].concat()).out).unwrap();
    let places: Vec<(String, bool)> = matrix["rows"]
        .as_array()
        .unwrap()
        .iter()
        .map(|row| {
            (format!("{}{}", row["path"].as_array().map_or(0, Vec::len), row["node"]), row["varies"] == true)
        })
        .collect();
    let at = |place: &str| places.iter().position(|(found, _)| found == place).unwrap();
    assert!(at("1\"text\"") < at("0\"below\"") && at("0\"below\"") < at("0\"out\""), "{places:?}");
    assert_eq!(places.iter().filter(|(_, varies)| *varies).count(), 1, "{places:?}");
    // Only the sub-flow calls a model.
    let listed: Vec<Value> = serde_json::from_str(&home.plait(&["runs", "list", "--json"]).out).unwrap();
    for column in matrix["runs"].as_array().unwrap() {
        let of_list = listed.iter().find(|one| one["run"] == column["run"]).unwrap();
        assert!(column["tokens"]["input"].as_u64() > Some(0), "{column:#}");
        assert_eq!((&column["tokens"], &column["cost"]), (&of_list["tokens"], &of_list["cost"]));
    }
    let (_, found) = compared(&home, &runs[0], &runs[1]);
    for (side, column) in ["before", "after"].iter().zip(matrix["runs"].as_array().unwrap()) {
        let of_side = &found[side];
        assert_eq!((&of_side["tokens"], &of_side["cost"]), (&column["tokens"], &column["cost"]), "{side}");
    }
    let tokens = &found["before"]["tokens"];
    let sum = tokens["input"].as_u64().unwrap() + tokens["output"].as_u64().unwrap();
    let shown = home.plait(&["diff", &runs[0], &runs[1]]);
    let before = shown.out.lines().next().unwrap();
    assert!(before.contains(&format!(", {sum} tokens, ")), "{before}");
}

#[test]
fn rerun_does_the_same() {
    let home = Home::default();
    let before = run(&home, "a.flow.json", &mapping(&json!(["Ada", "Bob"]), "Greet."));
    let rerun = home.plait(&["rerun", &before, "--yes", "--json"]);
    assert_eq!(rerun.code, 0, "{rerun:#?}");
    let (code, found) = compared(&home, &before, "last");
    assert_eq!((code, &found["differences"]), (0, &json!([])), "{found:#}");
    let shown = home.plait(&["diff", &before, "last"]);
    assert!(shown.out.contains("The runs did the same"), "{}", shown.out);
}

#[test]
fn differences_in_a_sub_flow_have_their_path() {
    let home = Home::default();
    let inner = flow_json(
        "inner",
        json!({ "in": { "type": "manualInput" }, "out": { "type": "output" } }),
        &["in.value -> out.value"],
    );
    // Sub-flows are not read from a data directory.
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, flow: &Value| {
        let path = folder.path().join(name);
        std::fs::write(&path, flow.to_string()).unwrap();
        path.display().to_string()
    };
    write("inner.flow.json", &inner);
    let outer = |text: &str| {
        flow_json(
            "outer",
            json!({
                "text": { "type": "value", "config": { "value": text } },
                "child": { "type": "subflow", "config": { "file": "inner.flow.json", "inputSource": "nodeOutput" } },
            }),
            &["text.value -> child.value"],
        )
    };
    let run_outer = |text: &str| {
        let output = home.plait(&["run", &write("outer.flow.json", &outer(text)), "--json"]);
        assert_eq!(output.code, 0, "{output:#?}");
        output.events()[0]["run"].as_str().unwrap().to_owned()
    };
    let (before, after) = (run_outer("one"), run_outer("two"));
    let (_, found) = compared(&home, &before, &after);
    let inner =
        found["differences"].as_array().unwrap().iter().find(|found| found["after"]["at"]["node"] == "in");
    let inner = inner.unwrap_or_else(|| panic!("{found:#}"));
    assert_eq!((&inner["path"], &inner["follows"]), (&json!(["child"]), &json!([0])), "{found:#}");
}

#[test]
fn inputs_that_are_mapped_into_a_sub_flow_follow_from_where_they_come_from() {
    let home = Home::default();
    let inner = flow_json(
        "inner",
        json!({ "text": { "type": "text", "config": { "template": "{{topic}}!" } }, "out": { "type": "output" } }),
        &["text.text -> out.value"],
    );
    let outer = |topic: &str| {
        flow_json(
            "outer",
            json!({
                "topic": { "type": "value", "config": { "value": topic } },
                "child": { "type": "subflow", "config": { "flow": inner, "inputSource": "mapping",
                    "mapping": [{ "from": "given", "to": "text.topic" }] } },
            }),
            &["topic.value -> child.given"],
        )
    };
    let before = run(&home, "a.flow.json", &outer("tea"));
    let after = run(&home, "b.flow.json", &outer("coffee"));
    let (_, found) = compared(&home, &before, &after);
    let differences = found["differences"].as_array().unwrap();
    let nodes: Vec<_> =
        differences.iter().map(|found| found["after"]["at"]["node"].as_str().unwrap()).collect();
    assert_eq!(nodes, ["topic", "text", "out", "child"], "{found:#}");
    assert_eq!(differences[1]["path"], json!(["child"]));
    for following in &differences[1..] {
        assert_eq!(following["follows"], json!([0]), "{found:#}");
    }
}

#[test]
fn flows_are_compared_by_meaning() {
    let home = Home::default();
    let mut flow = mapping(&json!(["Ada"]), "Be brief.");
    let before = home.file("a.flow.json", &flow.to_string());
    flow["layout"] = json!({ "items": { "x": 900, "y": 90 } });
    let moved = home.file("moved.flow.json", &flow.to_string());
    let same = home.plait(&["diff", &before, &moved]);
    assert_eq!((same.code, &*same.out), (0, "The flows mean the same.\n"), "{same:#?}");
    flow["nodes"]["say"]["config"]["prompt"] = json!("Be thorough.");
    let after = home.file("b.flow.json", &flow.to_string());
    let differs = home.plait(&["diff", &before, &after]);
    assert_eq!(differs.code, 1);
    assert_eq!(differs.out, "~ say /config/prompt: Be [-brief-]{+thorough+}.\n");
    let mixed = home.plait(&["diff", &before, "0197"]);
    assert!(mixed.code == 2 && mixed.err.contains("diff.arguments"), "{mixed:#?}");
    // A cause is looked for between two runs.
    for what in [&[&*before, &*after][..], &["0197", "0198", "0199"]] {
        let why = home.plait(&[&["diff", "--why"], what].concat());
        assert!(why.code == 2 && why.err.contains("`plait diff --why` takes two runs"), "{why:#?}");
    }
    let alone = home.plait(&["diff", &before]);
    assert!(alone.code == 2 && alone.err.contains("diff.arguments"), "{alone:#?}");
}

#[test]
fn git_shows_flows_with_it() {
    let home = Home::default();
    let git = |args: &[&str]| {
        let mut command = Command::new("git");
        command.args(args).current_dir(home.path()).env("PLAIT_HOME", home.path()).env("NO_COLOR", "1");
        command.env("GIT_CONFIG_GLOBAL", "/dev/null").env("GIT_CONFIG_SYSTEM", "/dev/null");
        for who in ["AUTHOR", "COMMITTER"] {
            command.env(format!("GIT_{who}_NAME"), "Ada").env(format!("GIT_{who}_EMAIL"), "ada@example.com");
        }
        CliOutput::from(command.output().unwrap())
    };
    git(&["init", "-q"]);
    git(&["config", "diff.plait.command", &format!("{} diff", env!("CARGO_BIN_EXE_plait"))]);
    home.file(".gitattributes", "*.flow.json diff=plait\n");
    let mut flow = mapping(&json!(["Ada"]), "Be brief.");
    home.file("a.flow.json", &flow.to_string());
    git(&["add", "a.flow.json", ".gitattributes"]);
    let committed = git(&["commit", "-qm", "flow"]);
    assert_eq!(committed.code, 0, "{committed:#?}");
    flow["nodes"]["say"]["config"]["prompt"] = json!("Be thorough.");
    home.file("a.flow.json", &flow.to_string());
    let shown = git(&["diff"]);
    assert_eq!(shown.code, 0, "{shown:#?}");
    assert_eq!(shown.out, "a.flow.json\n~ say /config/prompt: Be [-brief-]{+thorough+}.\n");
    // What is no flow on one side is shown by lines, and what follows in the list is shown, too.
    home.file("a.flow.json", "{\"version\": 1,\n\u{1b}]0;title\u{7}");
    let mut other = mapping(&json!(["Bob"]), "Be kind.");
    home.file("b.flow.json", &other.to_string());
    git(&["add", "-N", "b.flow.json"]);
    let broken = git(&["diff"]);
    assert_eq!(broken.code, 0, "{broken:#?}");
    assert!(broken.out.contains("a.flow.json\nThe new version is no flow: "), "{}", broken.out);
    assert!(broken.out.contains("\n+{\"version\": 1,\n") && !broken.out.contains('\u{1b}'), "{}", broken.out);
    assert!(broken.out.contains("b.flow.json\n") && broken.out.contains("+ say (chat)"), "{}", broken.out);
    // A renamed file has both names.
    git(&["checkout", "-q", "a.flow.json"]);
    git(&["rm", "-q", "--cached", "b.flow.json"]);
    git(&["mv", "a.flow.json", "moved.flow.json"]);
    other = mapping(&json!(["Ada"]), "Be thorough.");
    home.file("moved.flow.json", &other.to_string());
    git(&["add", "moved.flow.json"]);
    let renamed = git(&["diff", "--cached", "-M20"]);
    assert_eq!(
        renamed.out, "a.flow.json → moved.flow.json\n~ say /config/prompt: Be [-brief-]{+thorough+}.\n",
        "{renamed:#?}"
    );
    git(&["mv", "moved.flow.json", "a.flow.json"]);
    git(&["rm", "-qf", "a.flow.json"]);
    let removed = git(&["diff", "HEAD"]);
    assert!(removed.out.contains("- say (chat)"), "{removed:#?}");
}
