//! The real `plait` binary: every example flow, every exit code, and what each command says.

use std::io::{BufRead as _, BufReader};
use std::process::{Child, Command};

use plait_api::{Options, Plait, examples};
use serde_json::{Value, json};

use crate::support::binary::{CliOutput, Home};
use crate::support::fixture;
use crate::support::folder::{Folder, draw};

fn flow(name: &str) -> String {
    fixture(&format!("flows/{name}.flow.json")).display().to_string()
}

/// The events of a run as `--json` prints them: numbered without gaps, the first the start, the last the end.
fn assert_whole(said: &CliOutput) {
    let events = said.events();
    assert_eq!(events[0]["type"], "run.started", "{said:#?}");
    let seqs: Vec<u64> = events.iter().filter_map(|event| event["seq"].as_u64()).collect();
    assert_eq!(seqs, (0..seqs.len() as u64).collect::<Vec<_>>());
    assert!(events.iter().all(|event| event["seq"].is_u64() || event["type"] == "node.delta"));
}

#[test]
fn every_example_runs_to_its_end() {
    for id in examples::IDS {
        let home = Home::default();
        let answers: &[&str] = match *id {
            "chat-loop" => &["Hello", "What is 23 × 17?"],
            "tool-brief" => &["Name one."],
            "approval" => &["no, too stiff", "yes"],
            _ => &[],
        };
        let mut args = vec!["run", id, "--json"];
        for answer in answers {
            args.extend(["--answer", answer]);
        }
        let mut said = home.plait(&args);
        assert_whole(&said);
        if *id == "chat-loop" {
            assert_eq!((said.code, said.last_type().as_str()), (3, "run.waiting"), "{said:#?}");
            assert!(
                said.out.contains("\"391\"") || said.out.contains("391"),
                "the tool was called: {said:#?}"
            );
            said = home.plait(&["resume", "last", "--end", "--json"]);
        }
        assert_eq!((said.code, said.last_type().as_str()), (0, "run.finished"), "{id}: {said:#?}");
        assert_eq!(said.err, "", "{id}");
        let last = said.events().pop().unwrap();
        let outputs = last["outputs"].as_object().unwrap();
        assert!(!outputs.is_empty(), "{id}: {last}");
    }
}

#[test]
fn what_the_examples_put_out() {
    let home = Home::default();
    let out = |args: &[&str]| {
        let said = home.plait(args);
        assert_eq!(said.code, 0, "{said:#?}");
        said.out
    };
    assert_eq!(out(&["run", "hello"]), "You said: Say hello to the whole world.\n");
    assert_eq!(out(&["run", "hello", "--input", "Ada"]), "You said: Say hello to Ada.\n");
    assert_eq!(
        out(&["run", "branch-and-join"]),
        "Accounting will look into it: “I want a refund for my ticket.”\n"
    );
    let letter = out(&["run", "sort-letters"]);
    assert!(letter.starts_with("Accounting, please pay back") && letter.contains("order 7731"), "{letter}");
    assert!(
        out(&["run", "sort-letters", "--input", "Where is my delivery?"])
            .starts_with("Depot, where is this parcel?")
    );
    assert_eq!(out(&["run", "order-form"]), "Pack 3 × smoky tea for Ada Lovelace.\n");
    let handled = out(&["run", "error-handling"]);
    assert!(handled.contains("France: Paris.\nAtlantis: (no answer from `broken`: "), "{handled}");
    let slogans = out(&["run", "draft-and-critique"]);
    assert!(slogans.contains("Rain is just applause you can dance under."), "{slogans}");
    let approved = out(&["run", "approval", "--answer", "no, too stiff", "--answer", "yes"]);
    assert_eq!(approved, "The roof, Friday, six. Bring sunglasses and somebody you like!\n");
    assert_eq!(out(&["run", "hello", "--to", "greeting"]), "Say hello to the whole world.\n");
}

#[test]
fn values_can_be_given_to_ports_that_nothing_feeds() {
    let home = Home::default();
    let path = home.file(
        "greet.flow.json",
        r#"{ "version": 1, "nodes": { "greet": { "type": "text", "config": { "template": "{{name}}, {{len gifts}} gifts" } } } }"#,
    );
    let unfed = home.plait(&["run", &path]);
    assert_eq!(unfed.code, 2, "{unfed:#?}");
    assert!(unfed.err.contains("port.unfed") && unfed.err.contains("`name`"), "{unfed:#?}");
    let said = home.plait(&["run", &path, "--set", "greet.name=\"Ada\"", "--set", "greet.gifts=[1, 2]"]);
    assert_eq!((said.code, said.out.as_str()), (0, "Ada, 2 gifts\n"), "{said:#?}");
    let twice = home.plait(&["run", "hello", "--set", "greeting.name=\"Ada\""]);
    assert_eq!(twice.code, 2, "a port that an edge feeds takes no other value: {twice:#?}");
}

#[test]
fn exit_code_1_for_a_run_that_failed() {
    let home = Home::default();
    let said = home.plait(&["run", &flow("fails"), "--json"]);
    assert_whole(&said);
    assert_eq!((said.code, said.last_type().as_str()), (1, "run.failed"), "{said:#?}");
    assert!(said.err.contains("error[provider.refused]: node `chat`: The script says no."), "{said:#?}");
    let shown = home.plait(&["runs", "show", "last"]);
    assert!(shown.out.contains("Failed at `chat`"), "{shown:#?}");
}

#[test]
fn exit_code_2_for_bad_usage_and_invalid_flows() {
    let home = Home::default();
    let cyclic = fixture("flows/bad/cyclic.flow.json").display().to_string();
    let fails = flow("fails");
    for (args, says) in [
        (&["run"][..], "required arguments"),
        (&["run", "hello", "--no-such-flag"], "--no-such-flag"),
        (&["run", "hello", "--set", "name"], "NODE.PORT=JSON"),
        (&["run", "no-such-flow"], "flow.not_found"),
        (&["run", &cyclic], "flow.circular"),
        (&["run", "hello", "--to", "nowhere"], "run.unknown_target"),
        (&["check", &cyclic], "flow.circular"),
        (&["resume", "last"], "run.none"),
        (&["resume", "0197"], "run.unknown"),
        (&["runs", "show", "last"], "run.none"),
        (&["nodes", "chta"], "nodes.unknown"),
        (&["tokens", "--model", "gpt-4o", "/no/such/file"], "usage.input"),
        (&["resume", "last", "--end", "--answer", "x"], "cannot be used with"),
        (&["check", &fails, "--jsno"], "--jsno"),
    ] {
        let said = home.plait(args);
        assert_eq!(said.code, 2, "{args:?}: {said:#?}");
        assert!(said.err.contains(says), "{args:?}: {said:#?}");
        assert_eq!(said.out, "", "{args:?}");
    }
}

#[test]
fn exit_code_3_for_a_run_that_waits_and_on_from_there() {
    let home = Home::default();
    let said = home.plait(&["run", "approval", "--json"]);
    assert_whole(&said);
    assert_eq!((said.code, said.last_type().as_str()), (3, "run.waiting"), "{said:#?}");
    let run = said.events()[0]["run"].as_str().unwrap().to_owned();
    assert!(said.err.contains(&run) && said.err.contains("plait resume"), "{said:#?}");

    let listed = home.plait(&["runs", "list"]);
    assert!(listed.out.contains("waiting") && listed.out.contains("May this go out?"), "{listed:#?}");
    let wrong = home.plait(&["resume", &run, "--answer", "perhaps"]);
    assert_eq!(wrong.code, 2, "{wrong:#?}");
    assert!(wrong.err.contains("answer.invalid"), "{wrong:#?}");
    // Asked again with nothing to say, it waits as before.
    let again = home.plait(&["resume", &run, "--json"]);
    assert_eq!((again.code, again.last_type().as_str()), (3, "run.waiting"), "{again:#?}");
    let said = home.plait(&["resume", &run[..13], "--answer", "no, warmer", "--answer", "yes", "--json"]);
    assert_eq!((said.code, said.last_type().as_str()), (0, "run.finished"), "{said:#?}");
    let over = home.plait(&["resume", &run]);
    assert_eq!(over.code, 2, "{over:#?}");
    assert!(over.err.contains("run.ended"), "{over:#?}");
}

/// Three questions that are open at the same time, answered by node and in order.
#[test]
fn answers_with_a_node_go_to_that_node() {
    let ask = || json!({ "type": "userInput" });
    let drawn = draw("questions", json!({ "color": ask(), "name": ask(), "size": ask() }), &[]);
    let folder = Folder::of(&[("questions.flow.json", &drawn)]);
    let file = folder.file("questions.flow.json");
    let outputs = |said: &CliOutput| {
        let last = said.events().pop().unwrap();
        ["color", "name", "size"].map(|node| last["outputs"][node]["message"].as_str().unwrap().to_owned())
    };
    let home = Home::default();
    let run = ["run", &file, "--json", "--answer", "size=12", "--answer", "1+1=2", "--answer", "name=a=b"];
    let said = home.plait(&run);
    assert_eq!((said.code, said.last_type().as_str()), (0, "run.finished"), "{said:#?}");
    assert_eq!(outputs(&said), ["1+1=2", "a=b", "12"]);

    // An answer to a node that does not ask is not given to another one.
    let home = Home::default();
    let said = home.plait(&["run", &file, "--json", "--answer", "size=12", "--answer", "size=13"]);
    assert_eq!((said.code, said.last_type().as_str()), (3, "run.waiting"), "{said:#?}");
    let waiting = said.events().pop().unwrap();
    let on: Vec<_> = waiting["on"].as_array().unwrap().iter().map(|on| on["node"].clone()).collect();
    assert_eq!(on, ["color", "name"]);
    let resume = ["resume", "last", "--json", "--answer", "name=Ada", "--answer", "blue"];
    let said = home.plait(&resume);
    assert_eq!((said.code, said.last_type().as_str()), (0, "run.finished"), "{said:#?}");
    assert_eq!(outputs(&said), ["blue", "Ada", "12"]);
}

/// A container may have no certificates, and a variable may name some that are gone.
#[cfg(target_os = "linux")]
#[test]
fn without_certificates_all_works_that_needs_none() {
    let home = Home::default();
    let plait = |args: &[&str]| {
        let mut command = home.command(args);
        command.env("SSL_CERT_FILE", "/gone").env("SSL_CERT_DIR", "/gone");
        command.output().unwrap()
    };
    assert_eq!(plait(&["run", "hello"]).status.code(), Some(0));
    assert_eq!(plait(&["runs", "list"]).status.code(), Some(0));
    let asked = plait(&["providers", "test", "anthropic"]);
    assert_ne!(asked.status.code(), Some(0), "{asked:?}");
}

#[cfg(unix)]
#[test]
fn exit_code_130_for_a_run_that_was_interrupted_at_the_keyboard() {
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
fn a_run_that_was_killed_is_interrupted_and_can_be_cancelled() {
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
    let said = home.plait(&["cancel", "last"]);
    assert_eq!(said.code, 0, "{said:#?}");
    assert_eq!(status(&home), "cancelled");
    let again = home.plait(&["cancel", "last"]);
    assert_eq!(again.code, 2, "{again:#?}");
}

#[test]
fn runs_are_listed_shown_and_removed() {
    let home = Home::default();
    assert!(home.plait(&["runs", "list"]).err.contains("There are no runs yet"));
    assert_eq!(home.plait(&["run", "hello"]).code, 0);
    assert_eq!(home.plait(&["run", "branch-and-join"]).code, 0);
    let listed: Value = serde_json::from_str(&home.plait(&["runs", "list", "--json"]).out).unwrap();
    let names: Vec<_> =
        listed.as_array().unwrap().iter().map(|run| run["flowName"].as_str().unwrap()).collect();
    assert_eq!(names, ["Branch and join", "Hello"]);
    let hello = listed[1]["run"].as_str().unwrap();
    let shown = home.plait(&["runs", "show", hello]);
    assert!(
        shown.out.contains("Hello") && shown.out.contains("greeting") && shown.out.contains("done"),
        "{shown:#?}"
    );
    let events = home.plait(&["runs", "show", hello, "--json"]);
    assert_whole(&events);
    assert_eq!(events.last_type(), "run.finished");
    assert_eq!(home.plait(&["runs", "rm", hello]).code, 0);
    let listed: Value = serde_json::from_str(&home.plait(&["runs", "list", "--json"]).out).unwrap();
    assert_eq!(listed.as_array().unwrap().len(), 1);
    assert_eq!(home.plait(&["runs", "show", hello]).code, 2);
}

#[test]
fn node_types_schema_and_tokens() {
    let home = Home::default();
    let listed = home.plait(&["nodes"]);
    let one = home.plait(&["nodes", "chat"]);
    for (said, parts) in
        [(&listed, ["contextStart", "userInput", "switch"]), (&one, ["tools", "context", "Example:"])]
    {
        assert_eq!(said.code, 0);
        assert!(parts.iter().all(|part| said.out.contains(part)), "{said:#?}");
    }
    let described: Value = serde_json::from_str(&home.plait(&["nodes", "--json"]).out).unwrap();
    for node in described.as_array().unwrap() {
        let name = node["type"].as_str().unwrap();
        assert_eq!(home.plait(&["nodes", name]).code, 0, "{name}");
    }
    let schema: Value = serde_json::from_str(&home.plait(&["schema"]).out).unwrap();
    assert!(schema["$defs"]["config.chat"].is_object());
    let file = home.file("text.md", "Hello there, world!");
    let counted = home.plait(&["tokens", "--model", "gpt-4o", &file]);
    assert!(counted.out.starts_with("5 tokens, "), "{counted:#?}");
    assert!(counted.out.contains("128000") || counted.out.contains("128,000"), "{counted:#?}");
}

#[test]
fn a_reader_that_goes_away_is_no_panic() {
    let home = Home::default();
    for args in [&["nodes"][..], &["schema"], &["run", "hello", "--json"]] {
        let mut child = home.command(args).spawn().unwrap();
        drop(child.stdout.take());
        let said: CliOutput = child.wait_with_output().unwrap().into();
        assert_eq!(said.code, 141, "{args:?}: {said:#?}");
        assert_eq!(said.err, "", "{args:?}");
    }
}

#[test]
fn a_store_that_is_in_use_is_left_alone() {
    let home = Home::default();
    let window = Plait::open(Options::new(home.path())).unwrap();
    let said = home.plait(&["runs", "list"]);
    assert_eq!((said.code, said.out.as_str()), (1, ""));
    assert!(said.err.contains("error[store.locked]") && said.err.contains("help:"), "{said:#?}");
    // What needs no store works all the same.
    assert_eq!(home.plait(&["check", "hello"]).code, 0);
    drop(window);
    assert_eq!(home.plait(&["runs", "list"]).code, 0);
}

/// A disk that is full, as a shell can make it for one process: no file may grow beyond a few blocks.
#[cfg(unix)]
#[test]
fn full_disk_is_reported_and_loses_nothing() {
    let home = Home::default();
    assert_eq!(home.plait(&["run", "hello"]).code, 0);
    let binary = env!("CARGO_BIN_EXE_plait");
    let script = format!("trap '' XFSZ; ulimit -f 1; exec '{binary}' run tool-brief --answer Go --json");
    let said: CliOutput =
        Command::new("sh").args(["-c", &script]).env("PLAIT_HOME", home.path()).output().unwrap().into();
    assert_eq!(said.code, 1, "{said:#?}");
    assert!(said.err.contains("error[store."), "{said:#?}");
    assert!(!said.err.contains("panicked"), "{said:#?}");
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
fn a_disk_that_fills_up_midway_interrupts_the_run_and_no_more() {
    let home = Home::default();
    assert_eq!(home.plait(&["run", "hello"]).code, 0);
    // Sixty times sixty thousand letters: more than a file may hold here.
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
    let said: CliOutput =
        Command::new("sh").args(["-c", &script]).env("PLAIT_HOME", home.path()).output().unwrap().into();
    assert_eq!(said.code, 1, "{said:#?}");
    assert!(said.err.contains("error[store.full]") && said.err.contains("help:"), "{said:#?}");
    let listed: Value = serde_json::from_str(&home.plait(&["runs", "list", "--json"]).out).unwrap();
    let statuses: Vec<_> =
        listed.as_array().unwrap().iter().map(|run| run["status"].as_str().unwrap()).collect();
    assert_eq!(statuses, ["interrupted", "finished"]);
    // With room again it goes on, the answer kept.
    let resumed = home.plait(&["resume", "last"]);
    assert_eq!((resumed.code, resumed.out.len()), (0, 60 * 60_000 + 3));
}
