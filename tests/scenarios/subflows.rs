//! Flows inside of flows: what a child is given and sees, how its result comes back, and how the tree of runs stands,
//! stops, waits and goes on as one.

use std::collections::BTreeSet;

use plait_api::engine::run::Fact;
use plait_api::engine::run::view::RunStatus;
use serde_json::{Value, json};

use crate::support::app::App;
use crate::support::folder::{Folder, draw};
use crate::support::journal::Journal;
use crate::support::provider::{Recording, assistant, user};

const NOBODY: [&str; 0] = [];

/// Asks a model about the text it is given.
fn child() -> Value {
    draw(
        "child",
        json!({
            "start": { "type": "contextStart", "config": { "systemInstructions": "You are the child." } },
            "text": { "type": "manualInput" },
            "ask": { "type": "chat" },
            "result": { "type": "output" },
        }),
        &["start.context -> text.context", "text.context -> ask.context", "ask.response -> result.value"],
    )
}

/// The runs that a journal began, in order, each once.
fn children(journal: &Journal) -> Vec<plait_api::engine::id::RunId> {
    let mut seen = BTreeSet::new();
    let begun = journal.facts().filter_map(|fact| match fact {
        Fact::ChildStarted { run, .. } => Some(run.clone()),
        _ => None,
    });
    begun.filter(|run| seen.insert(run.clone())).collect()
}

#[tokio::test]
async fn a_child_sees_its_text_and_nothing_else_of_its_parent() {
    let parent = draw(
        "parent",
        json!({
            "start": { "type": "contextStart", "config": { "systemInstructions": "You are the parent." } },
            "first": { "type": "manualInput", "config": { "text": "A secret", "addToHistory": true } },
            "before": { "type": "chat" },
            "other": { "type": "value", "config": { "value": "never handed over" } },
            "sub": { "type": "subflow", "config": { "file": "child.flow.json" } },
            "after": { "type": "chat", "config": { "prompt": "And now?" } },
        }),
        &[
            "start.context -> first.context",
            "first.context -> before.context",
            "before.context -> sub.context",
            "sub.context -> after.context",
        ],
    );
    let folder = Folder::of(&[("parent.flow.json", &parent), ("child.flow.json", &child())]);
    let provider = Recording::echo();
    let app = App::with(&provider);
    let run = folder.start(&app, "parent.flow.json", "").await;
    let journal = app.follow(&run, NOBODY).await;
    assert_eq!(journal.view().status, RunStatus::Finished, "{journal:#?}");

    let [before, asked, after] = &provider.sent()[..] else { panic!("{:#?}", provider.sent()) };
    assert_eq!(before.messages, [user("A secret")]);
    // What was said last, in a history of its own.
    assert_eq!(asked.system.as_deref(), Some("You are the child."));
    assert_eq!(asked.messages, [user("re: A secret")]);
    // The parent has the result, as one message, and none of the child's own.
    let history = [
        user("A secret"),
        assistant("re: A secret"),
        assistant("re: re: A secret"),
        user("And now?"),
        assistant("re: And now?"),
    ];
    assert_eq!(after.messages, history[..4]);
    assert_eq!(journal.history("main"), history);
    assert_eq!(journal.output("sub", "result"), json!({ "result": { "value": "re: re: A secret" } }));

    let [child] = &children(&journal)[..] else { panic!("one child") };
    let inside = app.journal(child).await.view();
    assert_eq!(inside.parent_run_id.as_ref(), Some(&run));
    assert_eq!(inside.input.as_deref(), Some("re: A secret"));
    assert_eq!((inside.status, inside.set.len()), (RunStatus::Finished, 0));
    assert_eq!(inside.flow.unwrap().path, Some(folder.file("child.flow.json")));
}
