//! Two parallel chats on one context: turns never interleave and always follow plan order, at any timing.

use plait_core::id::Activation;
use plait_journal::{ContextEvent, Event};
use serde_json::json;

use crate::support::app::App;
use crate::support::flow;
use crate::support::journal::Journal;
use crate::support::provider::{RecordingProvider, assistant, user};

const SCHEDULES: u64 = 1_000;
const NO_RESPONSES: [&str; 0] = [];

#[tokio::test]
async fn turn_order_does_not_depend_on_the_schedule() {
    let flow = flow("parallel-chats");
    let history = [
        user("Left question"),
        assistant("re: Left question"),
        user("Right question"),
        assistant("re: Right question"),
    ];
    let provider = RecordingProvider::echo().with_random_yields(12);
    let app = App::with(&provider);
    for seed in 0..SCHEDULES {
        provider.reset(seed);
        let journal = app.run(&flow, NO_RESPONSES).await;
        assert_eq!(journal.history("main"), history);
        assert_eq!(turns(&journal), ["start chatA", "commit chatA", "start chatB", "commit chatB"]);
        assert_eq!(journal.output("out", "value"), json!("re: Left question | re: Right question"));
        let sent: Vec<_> = provider.sent().into_iter().map(|sent| sent.messages).collect();
        assert_eq!(sent, [&history[..1], &history[..3]]);
    }
}

fn turns(journal: &Journal) -> Vec<String> {
    journal
        .events()
        .filter_map(|event| match event {
            Event::Context(Activation { node, .. }, ContextEvent::TurnStarted { .. }) => {
                Some(format!("start {node}"))
            }
            Event::Context(Activation { node, .. }, ContextEvent::TurnCommitted { .. }) => {
                Some(format!("commit {node}"))
            }
            Event::Context(Activation { node, .. }, ContextEvent::TurnDiscarded { .. }) => {
                Some(format!("discard {node}"))
            }
            _ => None,
        })
        .collect()
}
