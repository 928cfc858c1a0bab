//! A flow is edited while its runs wait: what becomes of each of them under the edit, and moving them.

use plait_api::codes;
use plait_api::runs::{CheckWaiting, EditEffect, MoveRun, RerunRequest};
use plait_api::users::AddUser;
use plait_core::flow::Flow;
use plait_core::id::RunId;
use plait_journal::view::RunStatus;
use serde_json::json;

use crate::support::app::App;
use crate::support::binary::Home;
use crate::support::folder::{FlowFolder, flow_json, parse_flow};
use crate::support::provider::{RecordingProvider, text};

const NO_RESPONSES: [&str; 0] = [];

/// A reply, a question about it, and a reply to the answer.
fn flow(first: &str, question: &str, last: &str) -> serde_json::Value {
    let chat = |prompt: &str| json!({ "type": "chat", "config": { "prompt": prompt, "skipHistory": true } });
    let nodes = json!({
        "main": { "type": "contextStart" },
        "one": chat(first),
        question: { "type": "userInput", "config": { "prompt": "Go on?" } },
        "two": chat(last),
        "out": { "type": "output" },
    });
    let edges = [
        "main.context -> one.context".to_owned(),
        "main.context -> two.context".to_owned(),
        format!("one.response -> {question}.after"),
        format!("{question}.message -> two.answer"),
        "two.response -> out.value".to_owned(),
    ];
    let edges: Vec<&str> = edges.iter().map(String::as_str).collect();
    flow_json("asking", nodes, &edges)
}

fn echoing() -> RecordingProvider {
    RecordingProvider::with_rule(|sent, _| Ok(text(&format!("re: {}", sent.last_text()))))
        .with_keys_of_content()
}

struct Waiting {
    app: App,
    provider: RecordingProvider,
    run: RunId,
    path: String,
    _folder: FlowFolder,
}

async fn waiting() -> Waiting {
    let folder = FlowFolder::with_files(&[("asking.flow.json", &flow("first", "ask", "last {{answer}}"))]);
    let provider = echoing();
    let app = App::with(&provider);
    let run = folder.start(&app, "asking.flow.json", "").await;
    let journal = app.follow(&run, NO_RESPONSES).await;
    assert_eq!(journal.view().outline.status, RunStatus::Waiting, "{journal:#?}");
    let path = folder.path().join("asking.flow.json").display().to_string();
    Waiting { app, provider, run, path, _folder: folder }
}

impl Waiting {
    async fn effect_of(&self, flow: &Flow) -> (EditEffect, String) {
        let check = CheckWaiting { flow: flow.clone(), path: self.path.clone() };
        let found = self.app.plait.call(check).await.unwrap();
        assert_eq!((found.len(), &found[0].run), (1, &self.run), "{found:#?}");
        assert_eq!(found[0].question.as_deref(), Some("Go on?"));
        (found[0].effect, found[0].why.clone())
    }
}

#[tokio::test]
async fn edits_leave_alone_change_or_strand_a_run_that_waits() {
    let waiting = waiting().await;
    let edits = [
        (flow("first", "ask", "last {{answer}}"), EditEffect::Current, "runs this flow already"),
        (flow("first", "ask", "other {{answer}}"), EditEffect::Same, "asks the same"),
        (
            flow("changed", "ask", "last {{answer}}"),
            EditEffect::Stranded,
            "does not get to the question of `ask`",
        ),
        (flow("first", "renamed", "last {{answer}}"), EditEffect::Changed, "`renamed`"),
    ];
    for (edit, expected, why) in edits {
        let (effect, said) = waiting.effect_of(&parse_flow(&edit)).await;
        assert!(effect == expected && said.contains(why), "{effect:?}: {said}");
    }
    assert_eq!(waiting.provider.sent().len(), 1, "nothing is called");
}

#[tokio::test]
async fn runs_of_other_users_are_not_listed() {
    let waiting = waiting().await;
    waiting.app.plait.call(AddUser { name: "ada".to_owned(), switch: true }).await.unwrap();
    let edit = parse_flow(&flow("first", "ask", "other {{answer}}"));
    let check = CheckWaiting { flow: edit, path: waiting.path.clone() };
    assert!(waiting.app.plait.call(check).await.unwrap().is_empty());
}

#[tokio::test]
async fn run_is_moved_to_an_edit_behind_its_question() {
    let waiting = waiting().await;
    let edit = parse_flow(&flow("first", "ask", "other {{answer}}"));
    let request = RerunRequest {
        flow: Some(edit),
        path: Some(waiting.path.clone()),
        ..RerunRequest::of(waiting.run.clone())
    };
    let moved = waiting.app.plait.call(MoveRun(request.clone())).await.unwrap().run;
    let ended = waiting.app.follow(&moved, ["yes"]).await;
    assert_eq!(ended.output("out", "value"), json!("re: other yes"), "{ended:#?}");
    assert_eq!(waiting.provider.sent().len(), 2, "the first reply is taken over");
    let old = waiting.app.journal(&waiting.run).await;
    assert_eq!(old.view().outline.status, RunStatus::Cancelled);
    let again = waiting.app.plait.call(MoveRun(request)).await.unwrap_err();
    assert_eq!(again.code, codes::RUN_NOT_WAITING);
}

#[test]
fn terminal_says_what_an_edit_does_and_moves_what_it_leaves_alone() {
    let home = Home::default();
    let flow = |text: &str| {
        let nodes = json!({
            "ask": { "type": "userInput", "config": { "prompt": "Go on?" } },
            "say": { "type": "json", "config": { "query": format!("\"{text} \" + .") } },
            "out": { "type": "output" },
        });
        flow_json("asking", nodes, &["ask.message -> say.value", "say.result -> out.value"]).to_string()
    };
    let file = home.file("asking.flow.json", &flow("first"));
    let none = home.plait(&["check", &file, "--against-waiting"]);
    assert!(none.code == 0 && none.err.contains("No run of this flow waits."), "{none:#?}");
    let run = home.plait(&["run", &file]);
    assert_ne!(run.code, 0, "it waits: {run:#?}");
    home.file("asking.flow.json", &flow("second"));
    let checked = home.plait(&["check", &file, "--against-waiting"]);
    assert!(checked.code == 0 && checked.out.contains("same"), "{checked:#?}");
    let moved = home.plait(&["check", &file, "--against-waiting", "--move"]);
    assert!(moved.code == 0 && moved.err.contains("goes on as run"), "{moved:#?}");
    let answered = home.plait(&["resume", "last", "--answer", "yes"]);
    assert_eq!((answered.code, answered.out.trim()), (0, "second yes"), "{answered:#?}");
}
