//! Pipelines: the real binary checks, runs and resumes them, and the window's commands open and save them.

use plait_api::{Options, Plait, dispatch};
use serde_json::{Value, json};

use crate::support::binary::{CliOutput, Home};

const ARTICLE: &str = r#"# An article.
version: "0.1"
name: Article
agents:
  writer: {provider: offline, model: echo}
steps:
  - kind: step
    name: draft
    agent: writer
    prompt: "Write about {{input}}."
  # Two at once.
  - kind: parallel
    name: reviews
    branches:
      tone:
        - {kind: step, name: tone, prompt: "Tone of: {{draft}}"}
      content:
        - {kind: step, name: content, prompt: "Content of: {{previous}}"}
  - kind: hitl
    name: approve   # a person
    prompt: "Good? {{reviews.tone}}"
  - kind: conditional
    name: verdict
    condition: value.startsWith("no")
    branches:
      true:
        - {kind: step, name: again, prompt: "Again: {{draft}}, because: {{previous}}"}
  - kind: step
    name: close
    prompt: "{{previous}} | {{reviews.content}}"
"#;

/// The output of the node `close` of a run that has finished.
fn result(output: &CliOutput) -> Value {
    let last = output.events().pop().unwrap();
    assert_eq!((output.code, last["type"].as_str()), (0, Some("run.finished")), "{output:#?}");
    last["outputs"]["close"]["response"].clone()
}

#[test]
fn pipeline_runs_pauses_and_resumes_by_its_file() {
    let home = Home::default();
    let file = home.file("article.yaml", ARTICLE);
    let checked = home.plait(&["check", &file]);
    assert_eq!((checked.code, checked.out.as_str()), (0, ""), "{checked:#?}");

    let waiting = home.plait(&["run", &file, "--input", "tides", "--json"]);
    assert_eq!((waiting.code, waiting.last_type().as_str()), (3, "run.waiting"), "{waiting:#?}");
    let pause = waiting.events().into_iter().find(|event| event["type"] == "run.paused").unwrap();
    assert_eq!(pause["node"], "approve");
    assert_eq!(pause["prompt"], "Good? You said: Tone of: You said: Write about tides.", "{pause}");
    let resumed = home.plait(&["resume", &file, "--answer", "yes", "--json"]);
    assert_eq!(result(&resumed), "You said: yes | You said: Content of: You said: Write about tides.");

    // The other branch, and the answer by the name of the step.
    let output = home.plait(&["run", &file, "--input", "tides", "--answer", "approve=no, dull", "--json"]);
    assert_eq!(
        result(&output),
        "You said: You said: Again: You said: Write about tides., because: no, dull | You said: Content of: You said: Write about \
         tides."
    );
    let stranger = home.file("other.yaml", ARTICLE);
    let none = home.plait(&["resume", &stranger]);
    assert_eq!(none.code, 2, "{none:#?}");
    assert!(none.err.contains("There are no runs of"), "{none:#?}");
}

#[test]
fn agents_of_steps_share_no_history() {
    let home = Home::default();
    let file = home.file("article.yaml", ARTICLE);
    let output = home.plait(&["run", &file, "--input", "tides", "--answer", "no", "--json"]);
    let rendered: Vec<Value> =
        output.events().into_iter().filter(|event| event["type"] == "prompt.rendered").collect();
    assert_eq!(rendered.len(), 5, "{output:#?}");
    for event in rendered {
        let parts = event["parts"].as_array().or_else(|| event["prompt"]["parts"].as_array()).map(Vec::len);
        assert_eq!(parts, Some(1), "only the step's own message: {event}");
    }
}

#[test]
fn problems_are_shown_with_line_and_column() {
    let home = Home::default();
    let broken =
        ARTICLE.replace("prompt: \"Good?", "promt: \"Good?").replace("agent: writer\n", "agent: writter\n");
    let file = home.file("broken.yml", &broken);
    let output = home.plait(&["check", &file]);
    assert_eq!(output.code, 2, "{output:#?}");
    for part in [
        "broken.yml:9:12",
        "Did you mean `writer`?",
        "broken.yml:21:5",
        "pipeline.unknown_key",
        "Did you mean `prompt`?",
    ] {
        assert!(output.err.contains(part) || output.out.contains(part), "{part} is missing: {output:#?}");
    }
    let output = home.plait(&["check", &file, "--json"]);
    let report: Value = serde_json::from_str(&output.out).unwrap();
    let codes: Vec<&str> = report["diagnostics"]
        .as_array()
        .unwrap()
        .iter()
        .map(|found| found["code"].as_str().unwrap())
        .collect();
    assert_eq!(codes, ["pipeline.unknown_agent", "pipeline.unknown_key"]);

    // Findings about the flow are shown in the pipeline.
    let file = home.file("template.yaml", &ARTICLE.replace("{{reviews.tone}}", "{{#if}}"));
    let output = home.plait(&["run", &file, "--input", "x"]);
    assert_eq!(output.code, 2, "{output:#?}");
    assert!(output.err.contains("template.yaml:21:13"), "{output:#?}");
}

#[test]
fn new_writes_what_checks_and_runs() {
    let home = Home::default();
    let path = |name: &str| home.path().join(name).display().to_string();
    for name in ["a.yaml", "b.flow.json"] {
        let file = path(name);
        let all = ["new", file.as_str()];
        assert_eq!(home.plait(&all).code, 0, "{name}");
        let checked = home.plait(&["check", &file]);
        assert_eq!((checked.code, checked.out.as_str()), (0, ""), "{checked:#?}");
        let run = home.plait(&["run", &file, "--input", "boats", "--answer", "Less.", "--json"]);
        let last = run.events().pop().unwrap();
        let reply = last["outputs"]["rewrite"]["response"].as_str().unwrap();
        assert!(reply.contains("about: boats") && reply.contains("Less."), "{reply}");
        let again = home.plait(&all);
        assert_eq!(again.code, 2, "{again:#?}");
        assert!(again.err.contains("exists already"), "{again:#?}");
    }
    let text = std::fs::read_to_string(path("a.yaml")).unwrap();
    assert!(text.contains("plait run a.yaml"), "{text}");
    let schema = home.plait(&["schema", "--pipeline"]);
    let schema: Value = serde_json::from_str(&schema.out).unwrap();
    assert_eq!(schema["$id"], "urn:plait:pipeline:0.1");
}

#[cfg(target_os = "linux")]
#[test]
fn new_leaves_no_part_of_a_file_that_cannot_be_written() {
    let home = Home::default();
    let folder = tempfile::tempdir().unwrap();
    let plait = home.command(&["new", "a.yaml"]);
    let mut limited = std::process::Command::new("sh");
    // A limit of the system in place of a full disk.
    limited.args(["-c", "trap '' XFSZ; ulimit -f 0; exec \"$@\"", "sh"]);
    limited.arg(plait.get_program()).args(plait.get_args()).current_dir(folder.path());
    let output = limited.output().unwrap();
    let err = String::from_utf8_lossy(&output.stderr);
    assert!(err.contains("error[flow.disk_full]"), "{err}");
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
    let missing = home.plait(&["new", &folder.path().join("none/a.yaml").display().to_string()]);
    assert!(missing.err.contains("error[flow.not_found]"), "{missing:#?}");
}

#[test]
fn pipeline_is_a_sub_flow_if_its_name_says_so() {
    let home = Home::default();
    // Sub-flows are not read from the data directory.
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, text: &str| {
        let path = folder.path().join(name);
        std::fs::write(&path, text).unwrap();
        path.display().to_string()
    };
    write(
        "child.flow.yaml",
        "version: \"0.1\"\nsteps:\n  - {kind: step, name: only, prompt: \"Got {{input}}\"}\n",
    );
    write("child.yaml", "version: \"0.1\"\nsteps:\n  - {kind: step, name: only}\n");
    let parent = |file: &str| {
        json!({
            "version": 1,
            "nodes": {
                "ask": { "type": "manualInput", "config": { "text": "it" } },
                "child": { "type": "subflow", "config": { "file": file, "inputSource": "nodeOutput" } },
            },
            "edges": { "e": { "source": "ask", "sourceOutput": "value", "target": "child", "targetInput": "value" } },
        })
        .to_string()
    };
    let file = write("parent.flow.json", &parent("child.flow.yaml"));
    let output = home.plait(&["run", &file, "--json"]);
    let last = output.events().pop().unwrap();
    assert_eq!(output.code, 0, "{output:#?}");
    assert!(last["outputs"].to_string().contains("Got it"), "{last}");
    let file = write("other.flow.json", &parent("child.yaml"));
    let output = home.plait(&["check", &file, "--json"]);
    assert!(output.out.contains("subflow.unreadable") && output.out.contains(".flow.yaml"), "{output:#?}");
}

async fn call(app: &Plait, name: &str, args: Value) -> Value {
    dispatch(app, name, args.clone()).await.unwrap_or_else(|error| panic!("{name} {args}: {error:?}"))
}

#[tokio::test]
async fn window_opens_a_pipeline_and_saves_only_what_changed() {
    let home = Home::default();
    let app = Plait::open(Options::new(home.path().join("data"), plait_app::parts())).unwrap();
    let path = home.file("article.yaml", ARTICLE);
    let opened = call(&app, "flow.open", json!({ "path": path })).await;
    assert_eq!(opened["diagnostics"], json!([]));
    let mut flow = opened["flow"].clone();
    assert_eq!(flow["nodes"]["draft"]["type"], "chat");

    // The person changes a prompt and moves nothing.
    flow["nodes"]["draft"]["config"]["prompt"] = json!("Write a lot about {{input}}.");
    let draft = json!({ "key": "k", "path": path, "baseHash": opened["hash"], "flow": flow });
    call(&app, "autosave.put", draft).await;
    assert_eq!(call(&app, "flow.open", json!({ "path": path })).await["recovered"]["flow"], flow);
    let saved =
        call(&app, "flow.save", json!({ "path": path, "flow": flow, "baseHash": opened["hash"] })).await;
    let text = std::fs::read_to_string(&path).unwrap();
    assert_eq!(text, ARTICLE.replace("Write about", "Write a lot about"));
    let opened = call(&app, "flow.open", json!({ "path": path })).await;
    assert_eq!((&opened["flow"], &opened["hash"]), (&flow, &saved["hash"]));
    assert_eq!(opened["recovered"], Value::Null, "the draft is in the file");

    // Changes that a pipeline cannot express are refused, and go into a flow.
    flow["nodes"]["memo"] = json!({ "type": "note", "config": { "text": "Hm." } });
    let args = json!({ "path": path, "flow": flow, "baseHash": saved["hash"] });
    let refused = dispatch(&app, "flow.save", args).await.unwrap_err();
    assert_eq!(refused.code, "pipeline.not_expressible");
    assert!(refused.message.contains("`memo`"), "{refused:?}");
    assert_eq!(std::fs::read_to_string(&path).unwrap(), text);
    let elsewhere = home.path().join("article.flow.json").display().to_string();
    call(&app, "flow.save", json!({ "path": elsewhere, "flow": flow, "source": path })).await;
    assert_eq!(call(&app, "flow.open", json!({ "path": elsewhere })).await["flow"], flow);

    // A copy keeps the comments of the file that it came from.
    let copy = home.path().join("copy.yaml").display().to_string();
    let mut renamed = opened["flow"].clone();
    renamed["name"] = json!("Copy");
    call(&app, "flow.save", json!({ "path": copy, "flow": renamed, "source": path })).await;
    assert_eq!(std::fs::read_to_string(&copy).unwrap(), text.replace("name: Article", "name: Copy"));

    // A file that was changed by another program is not overwritten.
    std::fs::write(&path, text.replace("# Two at once.", "# Both.")).unwrap();
    let args = json!({ "path": path, "flow": opened["flow"], "baseHash": saved["hash"] });
    assert_eq!(dispatch(&app, "flow.save", args).await.unwrap_err().code, "flow.changed_on_disk");

    let broken = home.file("broken.yaml", "version: \"0.1\"\nsteps:\n\t- kind: step\n");
    let refused = dispatch(&app, "flow.open", json!({ "path": broken })).await.unwrap_err();
    assert_eq!(refused.code, "pipeline.tab");
    assert!(refused.message.contains("broken.yaml:3:2"), "{refused:?}");
    app.close().await.unwrap();
}

/// `check`, `run` and the exit code agree on what can never run, and what has no effect keeps nothing from running.
#[test]
fn check_refuses_what_no_run_gets_past_and_warns_of_what_nothing_reads() {
    let home = Home::default();
    let off = home.file(
        "off.yaml",
        "version: \"0.1\"\nagents:\n  a: {model: echo, tools: [get_workflow_context]}\nsteps:\n  - {kind: step, name: one, agent: a}\n",
    );
    for command in ["check", "run"] {
        let refused = home.plait(&[command, &off]);
        assert_eq!(refused.code, 2, "{refused:#?}");
        assert!(refused.err.contains("memory.off") && refused.err.contains("off.yaml:3:"), "{refused:#?}");
    }
    let settings = "      history_management: {strategy: truncate_turns, max_turns: 3}\n";
    let unread = home.file(
        "unread.yaml",
        &format!(
            "version: \"0.1\"\ninput: Hi\nagents:\n  gone: {{model: echo}}\nsteps:\n  - kind: loop\n    name: l\n    loop:\n      \
             kind: times\n      times: 1\n{settings}      body:\n        - {{kind: step, name: a}}\n"
        ),
    );
    let checked = home.plait(&["check", &unread]);
    assert_eq!(checked.code, 0, "{checked:#?}");
    assert!(checked.err.contains("2 warnings"), "{checked:#?}");
    let shown = format!("{}{}", checked.out, checked.err);
    assert!(
        shown.contains("`history_management` has no effect") && shown.contains("`gone` has no effect"),
        "{shown}"
    );
    assert_eq!(home.plait(&["run", &unread]).code, 0);
}
