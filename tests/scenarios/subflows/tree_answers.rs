//! Answers within a run tree, given from the terminal: each is taken by the command that gives it, with all that follows from it. What
//! would take a child away from its parent is refused.

use std::io::{BufRead as _, BufReader};
use std::time::Duration;

use plait_api::codes;
use plait_api::command::{Command, CommandVisitor};
use plait_api::runs::{CancelRun, RemoveRun};
use plait_api::{Options, Plait};
use plait_journal::view::RunStatus;
use serde_json::{Value, json};

use super::{NO_RESPONSES, listed};
use crate::support::app::App;
use crate::support::binary::{CliOutput, Home, with_store_lock};
use crate::support::folder::{FlowFolder, flow_json};
use crate::support::provider::RecordingProvider;
use crate::support::server::{ModelServer, ServerReply, last_message_text};

/// How long the model takes. Commands that end early end within this time.
const MODEL_DELAY: Duration = Duration::from_millis(150);
const ANSWERS: usize = 20;

/// A flow that asks, and tells a model the answer.
fn asking(tools: &Value) -> Value {
    flow_json(
        "asking",
        json!({
            "start": { "type": "contextStart", "config": { "provider": "openai", "model": "gpt-4o" } },
            "ask": { "type": "userInput", "config": { "prompt": "What next?" } },
            "tools": { "type": "tools", "config": tools },
            "chat": { "type": "chat" },
            "result": { "type": "output" },
        }),
        &[
            "start.context -> chat.context",
            "ask.message -> chat.message",
            "tools.tools -> chat.tools",
            "chat.response -> result.value",
        ],
    )
}

/// Tools that need nothing.
fn calculator() -> Value {
    json!({ "tools": ["calculator"] })
}

/// A flow that runs `file` again and again, beside a question of its own that stays open.
fn beside_a_question(file: &str) -> Value {
    let config = json!({ "file": file, "inputSource": "nodeOutput" });
    flow_json(
        "parent",
        json!({
            "own": { "type": "userInput", "config": { "prompt": "Is all done?" } },
            "text": { "type": "manualInput", "config": { "text": "go" } },
            "head": { "type": "json" },
            "in": { "type": "subflow", "config": config },
        }),
        &["text.value -> head.value", "head.result -> in.value", "in.text -> head.value"],
    )
}

/// A flow that runs `file` once, beside a question of its own.
fn once_beside_a_question(file: &str) -> Value {
    let config = json!({ "file": file, "inputSource": "mapping" });
    flow_json(
        "parent",
        json!({
            "own": { "type": "userInput", "config": { "prompt": "Is all done?" } },
            "in": { "type": "subflow", "config": config },
        }),
        &[],
    )
}

fn statuses(home: &Home) -> Vec<(String, String)> {
    let listed: Value = serde_json::from_str(&home.plait(&["runs", "list", "--json"]).out).unwrap();
    let text = |run: &Value, key: &str| run[key].as_str().unwrap().to_owned();
    listed.as_array().unwrap().iter().map(|run| (text(run, "run"), text(run, "status"))).collect()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn answer_to_a_child_is_worked_off_by_the_command_that_gives_it() {
    let server = ModelServer::start(|request, _| {
        ServerReply::Slow(MODEL_DELAY, format!("re: {}", last_message_text(request)))
    })
    .await;
    let folder = FlowFolder::with_files(&[
        ("parent.flow.json", &beside_a_question("asking.flow.json")),
        ("asking.flow.json", &asking(&calculator())),
    ]);
    let home = Home::default();
    home.set_provider_url(&server.url).await;
    let first = home.plait(&["run", &folder.file("parent.flow.json")]);
    assert_eq!(first.code, 3, "{first:#?}");
    for answer in 0..ANSWERS {
        let output = home.plait(&["resume", "last", "--answer", &format!("ask={answer}")]);
        let asked: Vec<String> = server.calls().iter().map(last_message_text).collect();
        let expected: Vec<String> = (0..=answer).map(|number| number.to_string()).collect();
        assert_eq!((output.code, asked), (3, expected), "{output:#?}");
    }
    let statuses = statuses(&home);
    // The parent and the child that asks; all others have finished.
    let waiting = statuses.iter().filter(|(_, status)| status == "waiting").count();
    let finished = statuses.iter().filter(|(_, status)| status == "finished").count();
    assert_eq!((waiting, finished), (2, ANSWERS), "{statuses:#?}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn approval_in_a_child_is_worked_off_by_the_command_that_gives_it() {
    let server = ModelServer::start(|_, before| match before % 2 {
        0 => ServerReply::Tool { name: "current_time".to_owned(), arguments: json!({}) },
        _ => ServerReply::Slow(MODEL_DELAY, "It is late.".to_owned()),
    })
    .await;
    let tools = json!({ "tools": ["current_time"], "perTool": { "current_time": { "approval": true } } });
    let middle = flow_json(
        "middle",
        json!({
            "in": { "type": "subflow", "config": { "file": "asking.flow.json", "inputSource": "mapping" } },
            "result": { "type": "output" },
        }),
        &["in.text -> result.value"],
    );
    let folder = FlowFolder::with_files(&[
        ("direct.flow.json", &once_beside_a_question("asking.flow.json")),
        ("nested.flow.json", &once_beside_a_question("middle.flow.json")),
        ("middle.flow.json", &middle),
        ("asking.flow.json", &asking(&tools)),
    ]);
    for (file, before, children) in [("direct.flow.json", 0, 1), ("nested.flow.json", 2, 2)] {
        let home = Home::default();
        home.set_provider_url(&server.url).await;
        let calls = || server.calls().len() - before;
        let asked = home.plait(&["run", &folder.file(file), "--answer", "ask=What time is it?"]);
        assert_eq!((asked.code, calls()), (3, 1), "{asked:#?}");
        let approved = home.plait(&["resume", "last", "--answer", "chat=yes"]);
        assert_eq!((approved.code, calls()), (3, 2), "{approved:#?}");
        let statuses: Vec<String> = statuses(&home).into_iter().map(|(_, status)| status).collect();
        assert_eq!(
            (statuses[0].as_str(), &statuses[1..]),
            ("waiting", &vec!["finished".to_owned(); children][..])
        );
        let done = home.plait(&["resume", "last", "--answer", "own=yes"]);
        assert_eq!((done.code, calls()), (0, 2), "{done:#?}");
    }
}

/// Resuming a tree takes it apart and puts it together again. A command that has nothing to answer leaves it as it was.
#[test]
fn resume_without_an_answer_leaves_the_tree_waiting() {
    let folder = FlowFolder::with_files(&[
        ("parent.flow.json", &once_beside_a_question("asking.flow.json")),
        ("asking.flow.json", &asking(&calculator())),
    ]);
    let home = Home::default();
    let questions = |output: &CliOutput| {
        let named = ["ask: What next?", "own: Is all done?"].map(|line| output.err.contains(line));
        (output.code, named)
    };
    let first = home.plait(&["run", &folder.file("parent.flow.json")]);
    assert_eq!(questions(&first), (3, [true, true]), "{first:#?}");
    let again = home.plait(&["resume", "last"]);
    assert_eq!(questions(&again), (3, [true, true]), "{again:#?}");
    let json = home.plait(&["resume", "last", "--json"]);
    assert_eq!((json.code, json.last_type().as_str()), (3, "run.waiting"), "{json:#?}");
    assert!(statuses(&home).iter().all(|(_, status)| status == "waiting"));
}

#[test]
fn answer_to_a_node_that_does_not_exist_is_refused() {
    let folder = FlowFolder::with_files(&[
        ("parent.flow.json", &once_beside_a_question("asking.flow.json")),
        ("asking.flow.json", &asking(&calculator())),
    ]);
    let home = Home::default();
    let parent = folder.file("parent.flow.json");
    let refused = home.plait(&["run", &parent, "--answer", "nosuch=1"]);
    assert!(refused.code == 2 && refused.err.contains("answer.unknown_node"), "{refused:#?}");
    assert_eq!(statuses(&home), [], "nothing was started");
    assert_eq!(home.plait(&["run", &parent]).code, 3);
    let refused = home.plait(&["resume", "last", "--answer", "nosuch=1"]);
    assert!(refused.code == 2 && refused.err.contains("`own`"), "{refused:#?}");
    // Text that no name of a node begins with is an answer.
    let answered = home.plait(&["resume", "last", "--answer", "own=1=1"]);
    assert!(answered.code == 3 && answered.err.contains("an answer: What next?"), "{answered:#?}");
}

#[tokio::test]
async fn child_is_not_canceled_or_removed_without_its_parent() {
    let folder = FlowFolder::with_files(&[
        ("parent.flow.json", &once_beside_a_question("asking.flow.json")),
        ("asking.flow.json", &asking(&calculator())),
    ]);
    let provider = RecordingProvider::echo();
    let app = App::with(&provider);
    let run = folder.start(&app, "parent.flow.json", "").await;
    app.follow(&run, NO_RESPONSES).await;
    let child = listed(&app, Some(&run)).await.remove(0).run;
    let refused = async |app: &App| {
        let canceled = app.plait.call(CancelRun { run: child.clone() }).await.unwrap_err();
        let removed = app.plait.call(RemoveRun { run: child.clone() }).await.unwrap_err();
        for (error, command) in [(canceled, "plait cancel"), (removed, "plait runs rm")] {
            assert_eq!(error.code, codes::RUN_IS_CHILD);
            let hint = error.hint.unwrap();
            assert!(hint.contains(&format!("{command} {run}")), "{hint}");
        }
    };
    refused(&app).await;
    // The same in a process that does not drive them.
    let app = app.reopen(&provider).await;
    refused(&app).await;
    let journal = app.follow(&run, ["one", "two"]).await;
    assert_eq!(journal.view().outline.status, RunStatus::Finished, "{journal:#?}");
    // Nothing needs it any more.
    app.plait.call(RemoveRun { run: child.clone() }).await.unwrap();
}

/// What a command does to a run that is part of one that waits.
#[derive(Clone, Copy, PartialEq)]
enum OnChild {
    /// It resumes the root.
    ActsByRoot,
    /// It is refused by this code, and names the root.
    Refused(&'static str),
    /// It changes nothing, or takes no run.
    Reads,
}

const ON_CHILD: [(&str, OnChild); 34] = [
    // It writes a file; no run changes.
    ("run.acceptTrials", OnChild::Reads),
    ("run.answer", OnChild::ActsByRoot),
    ("run.beginInquiry", OnChild::Refused("run.is_child")),
    ("run.bill", OnChild::Refused("run.is_child")),
    ("run.cancel", OnChild::Refused("run.is_child")),
    ("run.changeValue", OnChild::ActsByRoot),
    ("run.checkWaiting", OnChild::Reads),
    ("run.continueAll", OnChild::ActsByRoot),
    ("run.continueInquiry", OnChild::Refused("run.is_child")),
    ("run.dropBreakpoint", OnChild::ActsByRoot),
    ("run.dropTrials", OnChild::ActsByRoot),
    ("run.editHistory", OnChild::ActsByRoot),
    ("run.end", OnChild::ActsByRoot),
    ("run.forceWay", OnChild::ActsByRoot),
    ("run.go", OnChild::ActsByRoot),
    ("run.held", OnChild::Reads),
    ("run.heldHistory", OnChild::Reads),
    ("run.move", OnChild::Refused("run.is_child")),
    ("run.nodeConfig", OnChild::Reads),
    ("run.pin", OnChild::ActsByRoot),
    ("run.putBreakpoint", OnChild::ActsByRoot),
    ("run.rerun", OnChild::Refused("run.is_child")),
    ("run.resume", OnChild::ActsByRoot),
    ("run.retry", OnChild::Refused("run.is_child")),
    ("run.setBreakpoints", OnChild::ActsByRoot),
    ("run.start", OnChild::Reads),
    ("run.stop", OnChild::ActsByRoot),
    ("run.tryConfig", OnChild::ActsByRoot),
    ("runs.find", OnChild::Reads),
    // What the child has bought is no longer taken; no run changes.
    ("runs.forgetReplies", OnChild::Reads),
    ("runs.list", OnChild::Reads),
    ("runs.remove", OnChild::Refused("run.is_child")),
    ("runs.resolve", OnChild::Reads),
    ("runs.show", OnChild::Reads),
];

/// The names of the commands about runs.
#[derive(Default)]
struct RunCommands(Vec<&'static str>);

impl CommandVisitor for RunCommands {
    fn visit<C: Command>(&mut self) {
        if C::NAME.starts_with("run") {
            self.0.push(C::NAME);
        }
    }
}

/// Each command about runs, so that a new one has to say what it does to a child.
#[tokio::test]
async fn each_command_for_a_child_is_refused_or_acts_by_its_root() {
    let mut commands = RunCommands::default();
    plait_api::visit_commands(&mut commands);
    commands.0.sort_unstable();
    assert_eq!(commands.0, ON_CHILD.map(|(name, _)| name));
    let folder = FlowFolder::with_files(&[
        ("parent.flow.json", &once_beside_a_question("asking.flow.json")),
        ("asking.flow.json", &asking(&calculator())),
    ]);
    let provider = RecordingProvider::echo();
    for (name, expected) in ON_CHILD.into_iter().filter(|(_, expected)| *expected != OnChild::Reads) {
        let app = App::with(&provider);
        let root = folder.start(&app, "parent.flow.json", "").await;
        app.follow(&root, NO_RESPONSES).await;
        let child = listed(&app, Some(&root)).await.remove(0).run;
        let app = app.reopen(&provider).await;
        let args = json!({
            "run": child, "node": "ask", "epoch": [], "value": "What is one and one?", "turn": "t", "pinned": true,
            "breakpoints": [], "breakpoint": { "id": "", "path": ["in"], "node": "ask" }, "id": "1", "verb": "continue", "stop": 0, "port": "message", "edits": [],
            "config": {}, "before": child, "after": child, "samples": 1,
            "inquiry": {
                "before": child, "after": child, "samples": 1, "swaps": [],
                "trials": [{ "swaps": [], "atMostNanoUsd": 0, "unknown": 0, "runs": [] }],
            },
        });
        let reply = plait_api::dispatch(&app.plait, name, args).await;
        let acts = app.plait.runs().is_active(&root);
        if let OnChild::Refused(code) = expected {
            let error = reply.unwrap_err();
            let text = format!("{} {}", error.message, error.hint.unwrap_or_default());
            assert_eq!((error.code.as_str(), acts), (code, false), "{name}: {text}");
            assert!(text.contains(&root.to_string()), "{name}: {text}");
        } else {
            // There is no turn that could be pinned, no stop, no breakpoint and no node that runs.
            let has_nothing = [
                "run.pin",
                "run.go",
                "run.changeValue",
                "run.dropBreakpoint",
                "run.forceWay",
                "run.editHistory",
                "run.tryConfig",
                "run.dropTrials",
                "run.stop",
            ]
            .contains(&name);
            assert!(acts && (has_nothing || reply.is_ok()), "{name}: {reply:?}");
        }
        app.close().await;
    }
}

#[test]
fn command_for_a_child_resumes_its_root() {
    let folder = FlowFolder::with_files(&[
        ("parent.flow.json", &once_beside_a_question("asking.flow.json")),
        ("asking.flow.json", &flow_json("asking", json!({ "ask": { "type": "userInput" } }), &[])),
    ]);
    let home = Home::default();
    assert_eq!(home.plait(&["run", &folder.file("parent.flow.json")]).code, 3);
    let [(root, _), (child, _)] = &statuses(&home)[..] else { panic!("a run and its child") };
    let answered = home.plait(&["resume", child, "--answer", "for the child"]);
    assert!(answered.code == 3 && answered.err.contains(&format!("part of run {root}")), "{answered:#?}");
    assert!(answered.err.contains("an answer: Is all done?"), "{answered:#?}");
    let [(_, root), (_, child)] = &statuses(&home)[..] else { panic!("a run and its child") };
    assert_eq!((root.as_str(), child.as_str()), ("waiting", "finished"));
}

/// A second command that changes something waits for the first, and says for which process.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn writer_waits_for_the_store() {
    let home = Home::default();
    let flow =
        flow_json("quick", json!({ "text": { "type": "manualInput", "config": { "text": "x" } } }), &[]);
    let flow = home.file("quick.flow.json", &flow.to_string());
    let owner = with_store_lock(|| Plait::open(Options::new(home.path(), plait_app::parts())).unwrap());
    let mut second = home.spawn(&["run", &flow]);
    let mut lines = BufReader::new(second.stderr.take().unwrap()).lines();
    let said = lines.next().unwrap().unwrap();
    assert!(said.contains(&format!("process {}", std::process::id())), "{said}");
    owner.close().await.unwrap();
    drop(owner);
    let rest: Vec<String> = lines.map_while(Result::ok).collect();
    assert!(second.wait().unwrap().success(), "{rest:#?}");
}
