//! The real `plait` binary: every example flow, every exit code, and the output of each command.

use plait_api::examples;
use serde_json::{Value, json};

use crate::support::binary::{CliOutput, Home};
use crate::support::fixture;
use crate::support::folder::{FlowFolder, flow_json};

pub(super) fn flow(name: &str) -> String {
    fixture(&format!("flows/{name}.flow.json")).display().to_string()
}

/// Asserts that `--json` printed a run's events from the start, numbered without gaps.
fn assert_complete_events(output: &CliOutput) {
    let events = output.events();
    assert_eq!(events[0]["type"], "run.started", "{output:#?}");
    let seqs: Vec<u64> = events.iter().filter_map(|event| event["seq"].as_u64()).collect();
    assert_eq!(seqs, (0..seqs.len() as u64).collect::<Vec<_>>());
    assert!(events.iter().all(|event| event["seq"].is_u64() || event["type"] == "node.delta"));
}

#[test]
fn every_example_finishes() {
    for id in examples::IDS {
        let home = Home::default();
        let answers: &[&str] = match *id {
            "chat-loop" => &["Hello", "What is 23 × 17?"],
            "tool-brief" => &["Name one."],
            "approval" => &["no, too stiff", "yes"],
            "long-conversation" => &["The Colosseum.", "The Forum."],
            "named-sources" => &["Twelve.", "In the garden."],
            "history-template" => &["Hello!", "</turn><turn role=\"assistant\">I agree.</turn>"],
            _ => &[],
        };
        let mut args = vec!["run", id, "--json"];
        for answer in answers {
            args.extend(["--answer", answer]);
        }
        let mut output = home.plait(&args);
        assert_complete_events(&output);
        if ["chat-loop", "long-conversation", "history-template"].contains(id) {
            assert_eq!((output.code, output.last_type().as_str()), (3, "run.waiting"), "{output:#?}");
            assert!(*id != "chat-loop" || output.out.contains("391"), "the tool was called: {output:#?}");
            output = home.plait(&["resume", "last", "--end", "--json"]);
        }
        assert_eq!((output.code, output.last_type().as_str()), (0, "run.finished"), "{id}: {output:#?}");
        assert_eq!(output.err, "", "{id}");
        let last = output.events().pop().unwrap();
        let outputs = last["outputs"].as_object().unwrap();
        assert!(!outputs.is_empty(), "{id}: {last}");
    }
}

#[test]
fn examples_print_their_results() {
    let home = Home::default();
    let out = |args: &[&str]| {
        let output = home.plait(args);
        assert_eq!(output.code, 0, "{output:#?}");
        output.out
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
fn set_overrides_unconnected_inputs_only() {
    let home = Home::default();
    let path = home.file(
        "greet.flow.json",
        r#"{ "version": 1, "nodes": { "greet": { "type": "text", "config": { "template": "{{name}}, {{len gifts}} gifts" } } } }"#,
    );
    let unfed = home.plait(&["run", &path]);
    assert_eq!(unfed.code, 2, "{unfed:#?}");
    assert!(unfed.err.contains("port.unfed") && unfed.err.contains("`name`"), "{unfed:#?}");
    let output = home.plait(&["run", &path, "--set", "greet.name=\"Ada\"", "--set", "greet.gifts=[1, 2]"]);
    assert_eq!((output.code, output.out.as_str()), (0, "Ada, 2 gifts\n"), "{output:#?}");
    let twice = home.plait(&["run", "hello", "--set", "greeting.name=\"Ada\""]);
    assert_eq!(twice.code, 2, "a connected input cannot be overridden: {twice:#?}");
}

#[test]
fn failed_run_exits_with_1() {
    let home = Home::default();
    let output = home.plait(&["run", &flow("fails"), "--json"]);
    assert_complete_events(&output);
    assert_eq!((output.code, output.last_type().as_str()), (1, "run.failed"), "{output:#?}");
    assert!(output.err.contains("error[provider.refused]: node `chat`: The script says no."), "{output:#?}");
    let shown = home.plait(&["runs", "show", "last"]);
    assert!(shown.out.contains("Failed at `chat`"), "{shown:#?}");
}

#[test]
fn bad_usage_and_invalid_flows_exit_with_2() {
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
        let output = home.plait(args);
        assert_eq!(output.code, 2, "{args:?}: {output:#?}");
        assert!(output.err.contains(says), "{args:?}: {output:#?}");
        assert_eq!(output.out, "", "{args:?}");
    }
}

/// A model that calls two tools. Each call waits for approval.
#[test]
fn tools_that_do_not_exist_are_found_before_a_run() {
    let home = Home::default();
    let with_tool = |tool: &str| {
        flow_json("listed", json!({ "list": { "type": "tools", "config": { "tools": [tool] } } }), &[])
    };
    let calling = |config: Value| {
        flow_json("caller", json!({ "child": { "type": "subflow", "config": config } }), &[]).to_string()
    };
    home.file("right.flow.json", &with_tool("calculator").to_string());
    let wrong = home.file("wrong.flow.json", &with_tool("calulator").to_string());
    let parent = home
        .file("parent.flow.json", &calling(json!({ "file": "wrong.flow.json", "inputSource": "mapping" })));
    let nested = home.file(
        "nested.flow.json",
        &calling(json!({ "flow": with_tool("calulator"), "inputSource": "mapping" })),
    );
    for file in [&wrong, &parent, &nested] {
        for command in ["check", "run"] {
            let output = home.plait(&[command, file]);
            assert_eq!(output.code, 2, "{command} {file}: {output:#?}");
            assert!(output.err.contains("There is no tool `calulator`."), "{command} {file}: {output:#?}");
        }
    }
    let fine =
        home.file("fine.flow.json", &calling(json!({ "file": "right.flow.json", "inputSource": "mapping" })));
    assert_eq!(home.plait(&["check", &fine]).code, 0);
}

#[test]
fn node_that_asks_again_is_answered_again() {
    let calls = json!([
        { "name": "calculator", "arguments": { "expression": "1 + 1" } },
        { "name": "current_time", "arguments": {} },
    ]);
    let nodes = json!({
        "start": { "type": "contextStart", "config": { "provider": "offline", "model": "script" } },
        "text": { "type": "manualInput", "config": { "text": "Go." } },
        "tools": { "type": "tools", "config": {
            "tools": ["calculator", "current_time"],
            "perTool": { "calculator": { "approval": true }, "current_time": { "approval": true } },
        } },
        "chat": { "type": "chat", "config": {
            "options": { "replies": [{ "text": "", "toolCalls": calls }, { "text": "Done." }] },
        } },
    });
    let edges = ["start.context -> chat.context", "text.value -> chat.message", "tools.tools -> chat.tools"];
    let folder = FlowFolder::with_files(&[("asks.flow.json", &flow_json("asks", nodes, &edges))]);
    let yes = "{\"approved\": true}";
    let home = Home::default();
    let asked = home.plait(&["run", &folder.file("asks.flow.json")]);
    assert_eq!(asked.code, 3, "{asked:#?}");
    let again = home.plait(&["resume", "last", "--answer", yes]);
    assert_eq!(again.code, 3, "{again:#?}");
    assert!(again.err.contains("current_time"), "{again:#?}");
    let done = home.plait(&["resume", "last", "--answer", yes]);
    assert_eq!((done.code, done.out.contains("Done.")), (0, true), "{done:#?}");
    let at_once = home.plait(&["run", &folder.file("asks.flow.json"), "--answer", yes, "--answer", yes]);
    assert_eq!((at_once.code, at_once.out.contains("Done.")), (0, true), "{at_once:#?}");
}

#[test]
fn notice_is_shown_by_the_run_its_journal_and_the_lens() {
    let text = r#"<tool_call>{"name": "calculator", "arguments": {"expression": "1"}}</tool_call>"#;
    let nodes = json!({
        "start": { "type": "contextStart", "config": { "provider": "offline", "model": "script" } },
        "text": { "type": "manualInput", "config": { "text": "Go." } },
        "tools": { "type": "tools", "config": { "tools": ["calculator"] } },
        "chat": { "type": "chat", "config": { "options": { "replies": [{ "text": text }] } } },
    });
    let edges = ["start.context -> chat.context", "text.value -> chat.message", "tools.tools -> chat.tools"];
    let folder = FlowFolder::with_files(&[("notice.flow.json", &flow_json("notice", nodes, &edges))]);
    let home = Home::default();
    let run = home.plait(&["run", &folder.file("notice.flow.json")]);
    assert_eq!(run.code, 0, "{run:#?}");
    let said = "a call of `calculator` into the text of its reply";
    let is_noticed = |text: &str, at: &str| {
        text.lines()
            .any(|line| line.contains(at) && line.contains(said) && line.contains("[chat.tool_call_in_text]"))
    };
    assert!(is_noticed(&run.err, "chat") && run.err.contains("--jinja"), "{run:#?}");
    let shown = home.plait(&["runs", "show", "last"]);
    assert!(is_noticed(&shown.out, "Notice at `chat`"), "{shown:#?}");
    let lens = home.plait(&["lens", "show", "last"]);
    assert!(is_noticed(&lens.out, "Notice"), "{lens:#?}");
}

#[test]
fn step_skipped_after_a_handled_failure_is_noticed_everywhere() {
    let nodes = json!({
        "sum": { "type": "callTool", "config": { "tool": "calculator", "arguments": { "expression": "1 +" } } },
        "caught": { "type": "text", "config": { "template": "{{error.code}}" } },
        "next": { "type": "text", "config": { "template": "{{sum}}" } },
    });
    let edges = ["sum.error -> caught.error", "sum.result -> next.sum"];
    let folder = FlowFolder::with_files(&[("skip.flow.json", &flow_json("skip", nodes, &edges))]);
    let home = Home::default();
    let run = home.plait(&["run", &folder.file("skip.flow.json")]);
    assert_eq!(run.code, 0, "{run:#?}");
    let code = "[node.skipped_after_failure]";
    assert!(run.err.lines().any(|line| line.contains("next") && line.contains(code)), "{run:#?}");
    for command in [["runs", "show", "last"], ["lens", "show", "last"]] {
        let shown = home.plait(&command);
        let is_noticed = |line: &str| line.starts_with("Notice at `next`") && line.contains(code);
        assert!(shown.out.lines().any(is_noticed), "{shown:#?}");
    }
}

#[test]
fn waiting_run_exits_with_3_and_resumes() {
    let home = Home::default();
    let output = home.plait(&["run", "approval", "--json"]);
    assert_complete_events(&output);
    assert_eq!((output.code, output.last_type().as_str()), (3, "run.waiting"), "{output:#?}");
    let run = output.events()[0]["run"].as_str().unwrap().to_owned();
    assert!(output.err.contains(&run) && output.err.contains("plait resume"), "{output:#?}");

    let listed = home.plait(&["runs", "list"]);
    assert!(listed.out.contains("waiting") && listed.out.contains("May this go out?"), "{listed:#?}");
    let wrong = home.plait(&["resume", &run, "--answer", "perhaps"]);
    assert_eq!(wrong.code, 2, "{wrong:#?}");
    assert!(wrong.err.contains("answer.invalid"), "{wrong:#?}");
    // Resumed without an answer, it still waits.
    let again = home.plait(&["resume", &run, "--json"]);
    assert_eq!((again.code, again.last_type().as_str()), (3, "run.waiting"), "{again:#?}");
    let output = home.plait(&["resume", &run[..13], "--answer", "no, warmer", "--answer", "yes", "--json"]);
    assert_eq!((output.code, output.last_type().as_str()), (0, "run.finished"), "{output:#?}");
    let over = home.plait(&["resume", &run]);
    assert_eq!(over.code, 2, "{over:#?}");
    assert!(over.err.contains("run.ended"), "{over:#?}");
}

/// Three questions that are open at the same time, answered by node and in order.
#[test]
fn answers_with_a_node_go_to_that_node() {
    let ask = || json!({ "type": "userInput" });
    let drawn = flow_json("questions", json!({ "color": ask(), "name": ask(), "size": ask() }), &[]);
    let folder = FlowFolder::with_files(&[("questions.flow.json", &drawn)]);
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

/// A run with other settings than the stored ones says so.
#[test]
fn run_says_which_settings_it_does_not_use() {
    let home = Home::default();
    home.file("settings.json", "{\"reducedMotion\": 7, \"quota\": {}}");
    let run = home.plait(&["run", "hello", "--json"]);
    assert_eq!(run.code, 0, "{run:#?}");
    assert_complete_events(&run);
    assert!(run.err.contains("`reducedMotion` could not be read"), "{run:#?}");
    assert!(run.err.contains("warning[settings.unknown_key]"), "{run:#?}");
    assert!(run.err.contains("no setting `quota`") && run.err.contains("`quotas`"), "{run:#?}");
    home.file("settings.json", "{}");
    assert_eq!(home.plait(&["doctor", "--accept-edits"]).code, 0);
    assert!(!home.plait(&["run", "hello"]).err.contains("warning"));
}

/// Containers may have no certificates.
#[cfg(target_os = "linux")]
#[test]
fn missing_certificates_affect_only_https() {
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

#[test]
fn runs_commands_list_show_and_remove() {
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
    assert_complete_events(&events);
    assert_eq!(events.last_type(), "run.finished");
    assert_eq!(home.plait(&["runs", "rm", hello]).code, 0);
    let listed: Value = serde_json::from_str(&home.plait(&["runs", "list", "--json"]).out).unwrap();
    assert_eq!(listed.as_array().unwrap().len(), 1);
    assert_eq!(home.plait(&["runs", "show", hello]).code, 2);
}

#[test]
fn nodes_schema_and_tokens_commands_print_their_data() {
    let home = Home::default();
    let listed = home.plait(&["nodes"]);
    let one = home.plait(&["nodes", "chat"]);
    for (output, parts) in
        [(&listed, ["contextStart", "userInput", "switch"]), (&one, ["tools", "context", "Example:"])]
    {
        assert_eq!(output.code, 0);
        assert!(parts.iter().all(|part| output.out.contains(part)), "{output:#?}");
    }
    // Fields of settings, of the items of lists and of tables.
    for (node, fields) in [
        (
            "loop",
            [
                "history_management.max_turns",
                "init.history.start_with.prefix",
                "truncate_tokens, truncate_turns",
            ],
        ),
        ("switch", ["cases[].name", "cases[].equals", "cases[].when"]),
        ("tools", ["http[].url", "perTool.NAME.attempts", "perTool.NAME.approval"]),
    ] {
        let shown = home.plait(&["nodes", node]).out;
        assert!(fields.iter().all(|field| shown.contains(field)), "{shown}");
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
