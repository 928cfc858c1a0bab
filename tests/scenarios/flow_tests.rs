//! `plait test`: suites beside flows, run through the binary.

use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::{Value, json};
use tempfile::TempDir;

use crate::support::binary::{CliOutput, Home};
use crate::support::folder::flow_json;
use crate::support::server::{ModelServer, ServerReply, last_message_text};

/// A folder with a flow, beside a data directory.
pub(crate) struct Project {
    pub(crate) home: Home,
    folder: TempDir,
}

impl Project {
    pub(crate) fn new(flow: &Value) -> Self {
        let project = Self { home: Home::default(), folder: tempfile::tempdir().unwrap() };
        project.write("review.flow.json", &flow.to_string());
        project
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    pub(crate) fn write(&self, name: &str, text: &str) {
        std::fs::write(self.path(name), text).unwrap();
    }

    pub(crate) fn read(&self, name: &str) -> String {
        std::fs::read_to_string(self.path(name)).unwrap()
    }

    pub(crate) fn plait(&self, args: &[&str]) -> CliOutput {
        let mut command = self.home.command(args);
        command.current_dir(self.folder.path());
        crate::support::binary::with_store_lock(|| command.spawn().unwrap())
            .wait_with_output()
            .unwrap()
            .into()
    }

    /// Runs the flow, and makes a test of the run.
    fn record(&self, input: &str, name: &str) {
        let run = self.plait(&["run", "review.flow.json", "--input", input]);
        assert_eq!(run.code, 0, "{run:#?}");
        let added = self.plait(&["test", "add", "last", "--name", name]);
        assert_eq!(added.code, 0, "{added:#?}");
    }

    pub(crate) fn outcome(&self, args: &[&str]) -> (CliOutput, Value) {
        let output = self.plait(&[&["test", "--json"], args].concat());
        let value = serde_json::from_str(&output.out).unwrap_or_else(|error| panic!("{error}: {output:#?}"));
        (output, value)
    }
}

/// A draft, and a verdict on it.
pub(crate) fn review(model: &Value, prompt: &str) -> Value {
    flow_json(
        "review",
        json!({
            "start": { "type": "contextStart", "config": model },
            "in": { "type": "manualInput" },
            "draft": { "type": "chat", "config": { "prompt": prompt } },
            "judge": { "type": "chat", "config": { "prompt": "Judge: {{text}}" } },
            "out": { "type": "output" },
        }),
        &[
            "start.context -> draft.context",
            "draft.context -> judge.context",
            "in.value -> draft.topic",
            "draft.response -> judge.text",
            "judge.response -> out.value",
        ],
    )
}

pub(crate) fn offline() -> Value {
    json!({ "provider": "offline", "model": "echo" })
}

pub(crate) fn scripted() -> Value {
    json!({ "provider": "openai", "model": "scripted" })
}

pub(crate) fn failures(value: &Value) -> Vec<String> {
    let cases = value["cases"].as_array().unwrap().iter();
    let results = cases.flat_map(|case| case["outcome"]["results"].as_array().unwrap());
    let failures = results.flat_map(|result| result["failures"].as_array().unwrap());
    failures
        .map(|failure| {
            format!("{}: {}", failure["check"].as_str().unwrap(), failure["message"].as_str().unwrap())
        })
        .collect()
}

fn git(folder: &Path, args: &[&str]) {
    let done = Command::new("git").args(args).current_dir(folder).output().unwrap();
    assert!(done.status.success(), "{done:?}");
}

#[test]
fn changed_prompt_fails_in_a_repository_with_junit() {
    let project = Project::new(&review(&offline(), "Write about {{topic}}. Be brief."));
    project.record("tea", "about tea");
    project.record("milk", "about milk");
    git(project.folder.path(), &["init", "-q"]);
    git(project.folder.path(), &["add", "."]);

    let passed = project.plait(&["test", "--junit", "results.xml"]);
    assert_eq!(passed.code, 0, "{passed:#?}");
    assert!(passed.out.contains("✓ about tea") && passed.out.contains("2 passed"), "{passed:#?}");
    let whole = |failures: u32| {
        format!("<testsuites name=\"plait\" tests=\"2\" skipped=\"0\" failures=\"{failures}\"")
    };
    assert!(project.read("results.xml").contains(&whole(0)));

    project.write("review.flow.json", &review(&offline(), "Write about {{topic}}. Be thorough.").to_string());
    let failed = project.plait(&["test", "--junit", "results.xml"]);
    assert_eq!(failed.code, 1, "{failed:#?}");
    let words = "it says \"brief.\" where this one says \"thorough.\"";
    assert!(failed.out.contains("`draft` asked for it") && failed.out.contains(words), "{failed:#?}");
    let xml = project.read("results.xml");
    assert!(xml.contains(&whole(2)) && xml.contains("testcase name=\"about tea\""), "{xml}");
    assert!(xml.contains("it says &quot;brief.&quot;"), "{xml}");
    let calls = project.plait(&["test", "--junit", "no/such/results.xml"]);
    assert!(calls.code == 1 && calls.out.is_empty() && calls.err.contains("output.failed"), "{calls:#?}");
}

#[test]
fn passing_replay_leaves_no_run_and_a_failing_one_does() {
    let project = Project::new(&review(&offline(), "Write about {{topic}}."));
    project.record("tea", "tea");
    let runs = |project: &Project| project.plait(&["runs", "list", "--json"]).out.matches("\"run\":").count();
    let before = runs(&project);
    assert_eq!(project.plait(&["test"]).code, 0);
    assert_eq!(runs(&project), before);

    project.write("review.flow.json", &review(&offline(), "Say {{topic}}.").to_string());
    assert_eq!(project.plait(&["test"]).code, 1);
    assert!(runs(&project) > before);
}

#[test]
fn debugger_stops_at_the_first_difference() {
    let flow = |verdict: &str| {
        let mut flow = review(&offline(), "Write about {{topic}}.");
        flow["nodes"]["judge"]["config"]["prompt"] = json!(format!("{verdict}: {{{{text}}}}"));
        flow
    };
    let project = Project::new(&flow("Judge"));
    project.record("tea", "tea");
    project.write("review.flow.json", &flow("Mark").to_string());

    let debugged = project.plait(&["test", "--debug", "tea"]);
    assert_eq!(debugged.code, 4, "{debugged:#?}");
    assert!(debugged.out.contains("stands still at judge"), "{debugged:#?}");
    assert!(debugged.out.contains("[-Judge-]{+Mark+}"), "{debugged:#?}");
    assert!(debugged.err.contains("in `judge`, before model call 1"), "{debugged:#?}");
}

#[test]
fn debugger_stops_in_the_iteration_that_differs() {
    let flow = |prompt: &str| {
        flow_json(
            "each",
            json!({
                "items": { "type": "value", "config": { "value": ["a", "b", "c"] } },
                "each": { "type": "loop", "config": { "kind": "forEach" } },
                "start": { "type": "contextStart", "parent": "each", "config": offline() },
                "say": { "type": "chat", "parent": "each", "config": { "prompt": prompt } },
                "out": { "type": "output" },
            }),
            &[
                "items.value -> each.items",
                "start.context -> say.context",
                "each.item -> say.item",
                "say.response -> each.next",
                "each.results -> out.value",
            ],
        )
    };
    let project = Project::new(&flow("Say {{item}}"));
    project.record("", "each");
    project.write(
        "review.flow.json",
        &flow("{{#if (eq item \"c\")}}Shout{{else}}Say{{/if}} {{item}}").to_string(),
    );
    let debugged = project.plait(&["test", "--debug", "each"]);
    assert_eq!(debugged.code, 4, "{debugged:#?}");
    assert!(debugged.out.contains("stands still at say#2"), "{debugged:#?}");
}

#[test]
fn problems_of_a_suite_name_line_and_code() {
    let project = Project::new(&review(&offline(), "Write."));
    let cases = [
        (
            "cases:\n  - name: a\n    live: true\n    checks:\n      - contains: { txt: tea }\n",
            "suite.invalid",
            ":5:",
        ),
        (
            "cases:\n  - name: a\n    live: true\n    checks:\n      - holds: { text: tea }\n",
            "suite.invalid",
            ":5:",
        ),
        ("cases:\n  - name: a\n    live: yes please\n", "suite.invalid", ":3:"),
        ("cases:\n  - name: a\n", "suite.no_world", ":2:"),
        ("cases:\n  - name: a\n    live: true\n  - name: a\n    live: true\n", "suite.duplicate_case", ":4:"),
        (
            "cases:\n  - name: a\n    live: true\n    checks:\n      - regex: { pattern: '(' }\n",
            "suite.bad_check",
            ":5:",
        ),
        (
            "cases:\n  - name: a\n    live: true\n    checks:\n      - jsonPath: { path: 'a[' }\n",
            "suite.bad_check",
            ":5:",
        ),
        (
            "cases:\n  - name: a\n    live: true\n    checks:\n      - condition: { node: draft, when: 'tokens >' }\n",
            "suite.bad_check",
            ":5:",
        ),
        ("cases:\n  - name: a\n    recording: a.plait-recording\n    repeats: 3\n", "suite.no_effect", ":4:"),
        ("cases: []\n", "suite.empty", ":1:"),
        ("version: 9\ncases: []\n", "suite.newer", ":1:"),
        ("cases:\n  - name: [\n", "suite.syntax", ":"),
    ];
    for (text, code, line) in cases {
        project.write("review.tests.yaml", text);
        let refused = project.plait(&["test"]);
        assert_eq!(refused.code, 2, "{text}\n{refused:#?}");
        assert!(
            refused.err.contains(&format!("error[{code}]"))
                && refused.err.contains(&format!("review.tests.yaml{line}")),
            "{text}\n{refused:#?}"
        );
    }
    std::fs::remove_file(project.path("review.tests.yaml")).unwrap();
    project.write("review.tests.json", "{\n  \"cases\": [\n    { \"name\": \"a\", \"live\": 1 }\n  ]\n}\n");
    let refused = project.plait(&["test"]);
    assert!(refused.code == 2 && refused.err.contains("review.tests.json:3:"), "{refused:#?}");
}

#[test]
fn every_check_passes_and_fails() {
    let project = Project::new(&review(&offline(), "Write about {{topic}}."));
    project.record("tea", "tea");
    let recording = "review.tests/tea.plait-recording";
    let passing = json!([
        { "equals": { "output": "draft.response", "value": "You said: Write about tea." } },
        { "contains": { "text": "tea" } },
        { "regex": { "pattern": "^You said: .*tea\\.$" } },
        { "schema": { "schema": { "type": "string", "minLength": 3 } } },
        { "jsonPath": { "path": "$", "values": ["You said: Judge: You said: Write about tea."] } },
        { "unchanged": {} },
        { "condition": { "node": "draft", "when": "tokens > 0 && outputs.response.contains('tea') && cost == 0.0" } },
        { "maxTokens": 100_000 },
        { "maxCost": 1 },
        { "maxSeconds": 1000 },
        { "prompt": { "node": "judge", "contains": "Judge: You said" } },
        { "tool": { "name": "search", "times": 0 } },
    ]);
    let failing = json!([
        { "equals": { "output": "draft.response", "value": "You said: Write about milk." } },
        { "contains": { "text": "milk" } },
        { "regex": { "pattern": "^milk" } },
        { "schema": { "schema": { "type": "number" } } },
        { "jsonPath": { "path": "$.items[*]" } },
        { "condition": { "node": "draft", "when": "tokens > 100000" } },
        { "condition": { "node": "nobody", "when": "true" } },
        { "maxTokens": 1 },
        { "prompt": { "node": "judge", "contains": "milk" } },
        { "tool": { "name": "search" } },
        { "equals": { "output": "draft.nothing", "value": 1 } },
    ]);
    let suite = |checks: &Value| {
        json!({ "cases": [{ "name": "tea", "recording": recording, "checks": checks }] }).to_string()
    };
    std::fs::remove_file(project.path("review.tests.yaml")).unwrap();
    project.write("review.tests.json", &suite(&passing));
    let (output, passed) = project.outcome(&[]);
    assert_eq!(failures(&passed), Vec::<String>::new(), "{output:#?}");

    project.write("review.tests.json", &suite(&failing));
    let (output, failed) = project.outcome(&[]);
    assert_eq!((output.code, &failed["failed"]), (1, &json!(1)));
    let found = failures(&failed);
    assert_eq!(found.len(), failing.as_array().unwrap().len(), "{found:#?}");
    assert_eq!(
        found[0],
        "equals draft.response: The words that differ: You said: Write about [-milk-]{+tea+}."
    );
    assert_eq!(found[5], "condition draft: `tokens > 100000` is false after `draft`.");
    assert_eq!(found[6], "condition nobody: The run did not get to a node `nobody`.");
    assert_eq!(found[9], "tool search: `search` was not called.");
}

#[test]
fn resumed_cases_run_again_when_a_flow_below_has_changed() {
    let inner = |template: &str| {
        flow_json("inner", json!({ "text": { "type": "text", "config": { "template": template } }, "out": { "type": "output" } }), &["text.text -> out.value"])
            .to_string()
    };
    let outer = flow_json(
        "outer",
        json!({
            "below": { "type": "subflow", "config": { "file": "inner.flow.json", "inputSource": "mapping" } },
            "out": { "type": "output" },
        }),
        &["below.text -> out.value"],
    );
    let project = Project::new(&outer);
    project.write("inner.flow.json", &inner("tea"));
    let suite =
        json!({ "cases": [{ "name": "one", "live": true, "checks": [{ "contains": { "text": "tea" } }] }] });
    project.write("review.tests.json", &suite.to_string());
    let run = |value: &Value| value["cases"][0]["outcome"]["results"][0]["run"].clone();
    let (output, first) = project.outcome(&["--yes"]);
    assert_eq!(output.code, 0, "{first:#}");
    let (_, resumed) = project.outcome(&["--yes", "--resume"]);
    assert_eq!((run(&resumed), run(&first).is_string()), (run(&first), true), "{resumed:#}");
    project.write("inner.flow.json", &inner("milk"));
    let (output, changed) = project.outcome(&["--yes", "--resume"]);
    assert_ne!(run(&changed), run(&first));
    assert_eq!(output.code, 1, "{changed:#}");
}

#[tokio::test(flavor = "multi_thread")]
async fn live_cases_show_the_bill_repeat_and_resume() {
    let server = ModelServer::start(|request, before| {
        // Of the drafts, each third is about milk.
        let text = last_message_text(request);
        ServerReply::Text(if text.starts_with("Judge") {
            text
        } else {
            format!("{}.", if before % 6 == 4 { "milk" } else { "tea" })
        })
    })
    .await;
    let project = Project::new(&review(&scripted(), "Write about {{topic}}."));
    project.home.set_provider_url(&server.url).await;
    let suite = json!({
        "cases": [{
            "name": "often", "live": true, "input": "tea", "repeats": 6, "passRate": 0.5,
            "checks": [{ "contains": { "text": "tea" } }],
        }],
    });
    project.write("review.tests.json", &suite.to_string());

    let refused = project.plait(&["test"]);
    assert_eq!(refused.code, 2, "{refused:#?}");
    assert!(
        refused.err.contains("Bill: 6 live runs") && refused.err.contains("run.not_confirmed"),
        "{refused:#?}"
    );
    assert_eq!(server.calls().len(), 0, "nothing is bought before somebody said yes");

    let (output, value) = project.outcome(&["--yes"]);
    let outcome = &value["cases"][0]["outcome"];
    assert_eq!((output.code, outcome["rate"]["runs"].as_u64()), (0, Some(6)), "{value:#}");
    assert!(outcome["rate"]["low"].as_f64().unwrap() < outcome["rate"]["high"].as_f64().unwrap());
    let bought = server.calls().len();
    assert_eq!(bought, 12);

    let (output, resumed) = project.outcome(&["--yes", "--resume"]);
    assert_eq!((output.code, server.calls().len()), (0, bought), "{resumed:#}");
    assert_eq!(&resumed["cases"][0]["outcome"]["rate"], &outcome["rate"]);

    // What the flow says now has not been tested.
    project.write("review.flow.json", &review(&scripted(), "Write on {{topic}}.").to_string());
    project.outcome(&["--yes", "--resume"]);
    assert_eq!(server.calls().len(), 2 * bought);
}

#[tokio::test(flavor = "multi_thread")]
async fn matrix_runs_each_model_with_each_parameter() {
    let server = ModelServer::start(|request, _| ServerReply::Text(last_message_text(request))).await;
    let project = Project::new(&review(&scripted(), "Write about {{topic}}."));
    project.home.set_provider_url(&server.url).await;
    let suite = json!({
        "matrix": { "models": ["openai/small", "openai/large"], "parameters": { "draft.maxTokens": [10, 20] } },
        "cases": [{ "name": "tea", "live": true, "input": "tea" }],
    });
    project.write("review.tests.json", &suite.to_string());
    let (output, value) = project.outcome(&["--yes"]);
    assert_eq!((output.code, &value["passed"]), (0, &json!(4)), "{output:#?}");
    let sent: std::collections::BTreeSet<String> = server
        .calls()
        .iter()
        .filter(|call| last_message_text(call).starts_with("Write"))
        .map(|call| {
            format!(
                "{} {}",
                call["model"],
                call["max_completion_tokens"].as_u64().or(call["max_tokens"].as_u64()).unwrap()
            )
        })
        .collect();
    let expected = ["\"large\" 10", "\"large\" 20", "\"small\" 10", "\"small\" 20"].map(str::to_owned);
    assert_eq!(sent, expected.into());

    // What can't run has no run that a debugger could hold; what fails is named with its variant.
    let suite = json!({
        "matrix": { "models": ["openai/small", "nobody/large"] },
        "cases": [{ "name": "tea", "live": true, "input": "tea", "checks": [{ "contains": { "text": "milk" } }] }],
    });
    project.write("review.tests.json", &suite.to_string());
    let failed = project.plait(&["test", "--yes"]);
    assert!(failed.out.contains("--debug 'tea [model=openai/small]'"), "{failed:#?}");
    assert_eq!(failed.out.matches("--debug").count(), 1, "{failed:#?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn rubric_is_judged_by_a_model_once() {
    let server = ModelServer::start(|request, _| {
        let text = last_message_text(request);
        let verdict = |passed: bool| json!({ "passed": passed, "reason": "It is about tea." }).to_string();
        ServerReply::Text(if text.contains("The rubric:") {
            verdict(text.contains("Names a drink"))
        } else {
            "Tea.".to_owned()
        })
    })
    .await;
    let project = Project::new(&review(&offline(), "Write about {{topic}}."));
    project.home.set_provider_url(&server.url).await;
    project.record("tea", "tea");
    let suite = |rubric: &str| {
        let check = json!({ "rubric": { "text": rubric, "model": "openai/judge" } });
        json!({ "cases": [{ "name": "tea", "recording": "review.tests/tea.plait-recording", "checks": [check] }] }).to_string()
    };
    std::fs::remove_file(project.path("review.tests.yaml")).unwrap();
    project.write("review.tests.json", &suite("Names a drink"));
    let (output, _) = project.outcome(&["--yes"]);
    assert_eq!((output.code, server.calls().len()), (0, 1), "{output:#?}");
    project.outcome(&["--yes"]);
    assert_eq!(server.calls().len(), 1, "a verdict is not bought twice");

    project.write("review.tests.json", &suite("Names a dish"));
    let (output, value) = project.outcome(&["--yes"]);
    assert_eq!(output.code, 1, "{output:#?}");
    assert_eq!(failures(&value), ["rubric: Judged by openai/judge: It is about tea."]);
}

#[test]
fn live_questions_are_answered_by_the_case() {
    let flow = flow_json(
        "ask",
        json!({
            "ask": { "type": "userInput", "config": { "prompt": "Which color?" } },
            "out": { "type": "output" },
        }),
        &["ask.message -> out.value"],
    );
    let project = Project::new(&flow);
    let suite = |answers: Value| {
        json!({ "cases": [{ "name": "a", "live": true, "answers": answers, "checks": [{ "equals": { "value": "blue" } }] }] }).to_string()
    };
    project.write("review.tests.json", &suite(json!([{ "node": "ask", "value": "blue" }])));
    let (output, _) = project.outcome(&[]);
    assert_eq!(output.code, 0, "{output:#?}");

    project.write("review.tests.json", &suite(json!([])));
    let (output, value) = project.outcome(&[]);
    assert_eq!(output.code, 1, "{output:#?}");
    let found = failures(&value);
    assert!(
        found[0].contains("`ask` asks “Which color?”") && value.to_string().contains("suite.no_answer"),
        "{found:?}"
    );
    assert!(!project.plait(&["runs", "list"]).out.contains("waiting"), "no test leaves a run that waits");
}

#[test]
fn added_case_keeps_what_the_suite_says() {
    let project = Project::new(&review(&offline(), "Write about {{topic}}."));
    project.record("tea", "tea");
    let text = project
        .read("review.tests.yaml")
        .replace("cases:", "# Drinks\ncases:")
        .replace("    name: tea", "    name: tea # hot");
    let text = text.replace("- name: tea", "- name: tea # hot");
    project.write("review.tests.yaml", &text);
    project.record("milk", "milk");
    let both = project.read("review.tests.yaml");
    assert!(both.starts_with(text.trim_end()), "{both}");
    let passed = project.plait(&["test"]);
    assert!(passed.code == 0 && passed.out.contains("2 passed"), "{passed:#?}");

    let taken = project.plait(&["test", "add", "last", "--name", "milk"]);
    assert!(taken.code == 2 && taken.err.contains("suite.exists"), "{taken:#?}");
}
