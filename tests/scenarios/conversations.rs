//! Conversations that live on across runs: what the model receives in the second run is exactly what was said in the
//! first, whatever came in between.

use plait_api::commands::conversations::{FlowOf, ListMessages, OpenConversation};
use plait_api::commands::run::StartRun;
use plait_api::engine::context::Role;
use plait_api::engine::flow::Flow;
use plait_api::engine::id::{ConversationId, RunId};

use crate::support::app::{App, Says};
use crate::support::flow;
use crate::support::journal::Journal;
use crate::support::provider::{Recording, assistant, user};

/// `contextStart → userInput ⟲ chat`.
fn chat() -> Flow {
    flow("chat-cycle")
}

async fn begin(app: &App, flow: &Flow) -> ConversationId {
    let flow = FlowOf::of(flow, None);
    app.plait.call(OpenConversation { flow, user: None, new: true }).await.unwrap().id
}

async fn start(app: &App, flow: &Flow, conversation: &ConversationId) -> RunId {
    let conversation = Some(conversation.clone());
    app.plait.call(StartRun { flow: flow.clone(), conversation, ..StartRun::default() }).await.unwrap().run
}

/// A run that says these things and ends.
async fn talk(app: &App, conversation: &ConversationId, says: &[&str]) -> Journal {
    let run = start(app, &chat(), conversation).await;
    app.follow(&run, says.iter().map(|text| Says::from(*text)).chain([Says::End])).await
}

/// Role and text of all that the conversation keeps.
async fn kept(app: &App, conversation: &ConversationId) -> Vec<(Role, String)> {
    let page = ListMessages { conversation: conversation.clone(), from: 0, limit: Some(1_000) };
    let page = app.plait.call(page).await.unwrap();
    assert_eq!(page.conversation.messages, page.messages.len() as u64);
    page.messages.into_iter().map(|message| (message.role, message.content.text())).collect()
}

#[tokio::test]
async fn a_second_run_after_a_restart_is_sent_exactly_what_was_said_in_the_first() {
    let provider = Recording::echo();
    let app = App::with(&provider);
    let conversation = begin(&app, &chat()).await;
    talk(&app, &conversation, &["one", "two"]).await;
    let app = app.reopen(&provider).await;
    let journal = talk(&app, &conversation, &["three"]).await;

    let sent = provider.sent();
    let expected = vec![user("one"), assistant("re: one"), user("two"), assistant("re: two"), user("three")];
    assert_eq!(sent[2].messages, expected);
    assert_eq!(sent[2].system.as_deref(), Some("You are terse."));
    let all: Vec<_> = expected.into_iter().chain([assistant("re: three")]).collect();
    assert_eq!(kept(&app, &conversation).await, all);
    // Whoever reads the journal sees the messages, though it does not hold them.
    assert_eq!(journal.history("main"), all);
}
