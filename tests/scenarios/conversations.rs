//! Conversations across runs: the model receives exactly the messages of earlier runs, also after restarts.

mod recall;

use std::io::{BufRead as _, BufReader};

use plait_api::ExportFormat;
use plait_api::conversations::{
    ConversationFlow, DeleteConversation, ExportConversation, ForkConversation, GetConversation,
    ListConversations, ListMessages, OpenConversation, RenameConversation,
};
use plait_api::runs::{RunRequest, ShowRun, StartRun};
use plait_api::users::AddUser;
use plait_core::error::{ErrorCode, Fault};
use plait_core::flow::Flow;
use plait_core::id::{ConversationId, RunId};
use plait_core::user::UserName;
use plait_journal::{ContextEvent, Event};
use plait_llm::context::{ContextChange, Role};
use serde_json::{Value, json};

use crate::support::app::{App, PauseResponse};
use crate::support::binary::Home;
use crate::support::journal::Journal;
use crate::support::provider::{RecordingProvider, assistant, text, user};
use crate::support::{fixture, flow};

/// `contextStart → userInput ⟲ chat`.
fn chat() -> Flow {
    flow("chat-cycle")
}

async fn open_conversation(app: &App, flow: &Flow) -> ConversationId {
    let flow = ConversationFlow::new(flow, None);
    app.plait.call(OpenConversation { flow, user: None, new: true }).await.unwrap().id
}

async fn start(app: &App, flow: &Flow, conversation: &ConversationId) -> RunId {
    let conversation = Some(conversation.clone());
    app.plait
        .call(StartRun(RunRequest { flow: flow.clone(), conversation, ..RunRequest::default() }))
        .await
        .unwrap()
        .run
}

/// A run that answers with these texts and ends.
async fn run_turns(app: &App, conversation: &ConversationId, texts: &[&str]) -> Journal {
    let run = start(app, &chat(), conversation).await;
    app.follow(&run, texts.iter().map(|text| PauseResponse::from(*text)).chain([PauseResponse::End])).await
}

/// Role and text of all stored messages of a conversation.
async fn stored_messages(app: &App, conversation: &ConversationId) -> Vec<(Role, String)> {
    let page = ListMessages { conversation: conversation.clone(), from: 0, limit: Some(1_000) };
    let page = app.plait.call(page).await.unwrap();
    assert_eq!(page.conversation.messages, page.messages.len() as u64);
    page.messages.into_iter().map(|message| (message.role, message.content.text())).collect()
}

#[tokio::test]
async fn second_run_after_a_restart_receives_the_messages_of_the_first() {
    let provider = RecordingProvider::echo();
    let app = App::with(&provider);
    let conversation = open_conversation(&app, &chat()).await;
    run_turns(&app, &conversation, &["one", "two"]).await;
    let app = app.reopen(&provider).await;
    let journal = run_turns(&app, &conversation, &["three"]).await;

    let sent = provider.sent();
    let expected = vec![user("one"), assistant("re: one"), user("two"), assistant("re: two"), user("three")];
    assert_eq!(sent[2].messages, expected);
    assert_eq!(sent[2].system.as_deref(), Some("You are terse."));
    let all: Vec<_> = expected.into_iter().chain([assistant("re: three")]).collect();
    assert_eq!(stored_messages(&app, &conversation).await, all);
    // Reading the journal fills in the messages, which it does not store.
    assert_eq!(journal.history("main"), all);
}

#[tokio::test]
async fn user_message_added_by_a_node_is_stored_with_its_reply() {
    let provider = RecordingProvider::echo();
    let app = App::with(&provider);
    let mut flow = chat();
    flow.nodes.get_mut("ask").unwrap().config.insert("addToHistory".to_owned(), json!(true));
    let conversation = open_conversation(&app, &flow).await;
    let run = start(&app, &flow, &conversation).await;
    let no_responses: [&str; 0] = [];
    app.follow(&run, no_responses).await;
    let app = app.reopen(&provider).await;
    app.follow(&run, [PauseResponse::from("one"), PauseResponse::from("two"), PauseResponse::End]).await;
    let expected = [user("one"), assistant("re: one"), user("two"), assistant("re: two")];
    assert_eq!(stored_messages(&app, &conversation).await, expected);
}

#[tokio::test]
async fn failed_turn_is_not_stored() {
    let provider = RecordingProvider::with_rule(|sent, before| match before {
        1 => Err(Fault::new(ErrorCode::from_wire("provider.refused"), "No.")),
        _ => Ok(text(&format!("re: {}", sent.last_text()))),
    });
    let app = App::with(&provider);
    let conversation = open_conversation(&app, &chat()).await;
    run_turns(&app, &conversation, &["one", "two"]).await;
    run_turns(&app, &conversation, &["three"]).await;
    let expected = [user("one"), assistant("re: one"), user("three")];
    assert_eq!(provider.sent()[2].messages, expected);
}

#[tokio::test]
async fn fork_leaves_the_original_unchanged() {
    let provider = RecordingProvider::echo();
    let app = App::with(&provider);
    let conversation = open_conversation(&app, &chat()).await;
    run_turns(&app, &conversation, &["one", "two"]).await;
    let fork = |message| app.plait.call(ForkConversation { conversation: conversation.clone(), message });
    let answer = fork(1).await.unwrap();
    assert_eq!((answer.asked, answer.conversation.messages), (None, 2));
    let question = fork(2).await.unwrap();
    assert_eq!((question.asked.as_deref(), question.conversation.messages), (Some("two"), 2));
    assert_eq!(fork(4).await.unwrap_err().code, "conversation.no_message");
    run_turns(&app, &answer.conversation.id, &["otherwise"]).await;
    assert_eq!(provider.sent()[2].messages, [user("one"), assistant("re: one"), user("otherwise")]);
    assert_eq!(stored_messages(&app, &conversation).await.len(), 4);
    // The fork does not depend on the original.
    app.plait.call(DeleteConversation { conversation }).await.unwrap();
    assert_eq!(stored_messages(&app, &answer.conversation.id).await.len(), 4);
}

#[tokio::test]
async fn conversation_in_use_is_not_deleted_and_its_runs_stay_readable() {
    let provider = RecordingProvider::echo();
    let app = App::with(&provider);
    let conversation = open_conversation(&app, &chat()).await;
    run_turns(&app, &conversation, &["one"]).await;
    let run = start(&app, &chat(), &conversation).await;
    let no_responses: [&str; 0] = [];
    app.follow(&run, no_responses).await;
    let app = app.reopen(&provider).await;
    let delete = || app.plait.call(DeleteConversation { conversation: conversation.clone() });
    assert_eq!(delete().await.unwrap_err().code, "conversation.busy");
    app.follow(&run, [PauseResponse::from("two"), PauseResponse::End]).await;
    delete().await.unwrap();
    let gone = GetConversation { conversation: conversation.clone() };
    assert_eq!(app.plait.call(gone).await.unwrap_err().code, "conversation.unknown");
    let again = StartRun(RunRequest {
        flow: chat(),
        conversation: Some(conversation.clone()),
        ..RunRequest::default()
    });
    assert_eq!(app.plait.call(again).await.unwrap_err().code, "conversation.unknown");
    // The journal has the run's own messages, not the recalled ones.
    let journal = app.plait.call(ShowRun { run: run.clone() }).await.unwrap();
    let journal = Journal(journal.entries);
    assert_eq!(journal.history("main"), [user("two"), assistant("re: two")]);
    let recalled = journal.events().find_map(|event| match event {
        Event::Context(_, ContextEvent::Changed { change: ContextChange::Recalled(recalled), .. }) => {
            Some(recalled.clone())
        }
        _ => None,
    });
    assert_eq!(
        recalled.map(|recalled| (recalled.first, recalled.count, recalled.messages.len())),
        Some((0, 2, 0))
    );
}

#[tokio::test]
async fn conversations_can_be_opened_searched_and_exported() {
    let provider = RecordingProvider::echo();
    let app = App::with(&provider);
    let flow = ConversationFlow { path: Some("/flows/a.flow.json".to_owned()), name: "A".to_owned() };
    let open = |new| OpenConversation { flow: flow.clone(), user: None, new };
    let first = app.plait.call(open(false)).await.unwrap();
    assert_eq!(app.plait.call(open(false)).await.unwrap().id, first.id, "found, not created");
    let second = app.plait.call(open(true)).await.unwrap();
    assert_eq!(app.plait.call(open(false)).await.unwrap().id, second.id, "the latest");
    app.plait.call(AddUser { name: "ada".to_owned(), switch: false }).await.unwrap();
    let other = OpenConversation { user: Some(UserName::parse("ada").unwrap()), ..open(false) };
    assert!(![&first.id, &second.id].contains(&&app.plait.call(other).await.unwrap().id), "hers");

    run_turns(&app, &first.id, &["Where is parcel 7731?\nIt is late."]).await;
    let list = async |search: &str| {
        let wanted = ListConversations { search: Some(search.to_owned()), ..ListConversations::default() };
        app.plait.call(wanted).await.unwrap().into_iter().map(|one| one.id).collect::<Vec<_>>()
    };
    assert_eq!(
        list("PARCEL late").await,
        std::slice::from_ref(&first.id),
        "each word is found in the messages"
    );
    assert!(list("parcel lost").await.is_empty());
    let titled = app.plait.call(GetConversation { conversation: first.id.clone() }).await.unwrap();
    assert_eq!(titled.title, "Where is parcel 7731?");
    let renamed = RenameConversation { conversation: first.id.clone(), title: " Lost ".to_owned() };
    assert_eq!(app.plait.call(renamed).await.unwrap().title, "Lost");
    assert_eq!(list("lost").await, std::slice::from_ref(&first.id));

    let export = |format| ExportConversation { conversation: first.id.clone(), format, path: None };
    let markdown = app.plait.call(export(ExportFormat::Markdown)).await.unwrap();
    assert_eq!(markdown.name, "lost.md");
    assert_eq!(
        markdown.text,
        "# Lost\n\nWith the flow *A*.\n\n## User\n\nWhere is parcel 7731?\nIt is late.\n\n## Assistant\n\nre: Where is \
         parcel 7731?\nIt is late.\n"
    );
    let text = app.plait.call(export(ExportFormat::Json)).await.unwrap().text;
    let value: serde_json::Value = serde_json::from_str(&text).unwrap();
    assert_eq!(value["messages"][1]["role"], "assistant");
    assert_eq!(value["conversation"]["messages"], 2);
}

#[tokio::test]
async fn flow_without_main_context_cannot_continue_a_conversation() {
    let app = App::with(&RecordingProvider::echo());
    let conversation = open_conversation(&app, &chat()).await;
    let mut flow = chat();
    flow.nodes.get_mut("start").unwrap().config.insert("contextId".to_owned(), json!("side"));
    let run = StartRun(RunRequest { flow, conversation: Some(conversation), ..RunRequest::default() });
    assert_eq!(app.plait.call(run).await.unwrap_err().code, "conversation.no_context");
}

#[test]
fn binary_starts_continues_and_forks_a_conversation() {
    let home = Home::default();
    let path = fixture("flows/chat-cycle.flow.json").display().to_string();
    let begun = home.plait(&["run", &path, "--json", "--conversation", "new", "--answer", "I am Ada"]);
    assert_eq!(begun.code, 3, "{begun:#?}");
    let id = begun.err.lines().find_map(|line| line.strip_prefix("Conversation ")).unwrap().to_owned();
    assert_eq!(home.plait(&["cancel", "last"]).code, 0);
    let again = home.plait(&["run", &path, "--json", "--conversation", &id[..13], "--answer", "Who am I?"]);
    assert_eq!(again.code, 3, "{again:#?}");
    let events = again.events();
    assert_eq!(events[0]["conversation"]["messages"], 2);
    let prompt = events.iter().find(|event| event["type"] == "prompt.rendered").unwrap();
    assert_eq!(prompt["prompt"]["parts"][1]["first"], "conversation:0");
    let shown = home.plait(&["conversations", "show", "last"]);
    assert!(shown.out.contains("\n0 user,") && shown.out.contains("Who am I?"), "{shown:#?}");
    let fork = home.plait(&["conversations", "fork", &id, "1"]);
    let listed = home.plait(&["conversations", "list", "--json"]);
    let listed: serde_json::Value = serde_json::from_str(&listed.out).unwrap();
    assert_eq!(listed[0]["id"], fork.out.trim());
    assert_eq!(listed[0]["messages"], 2);
    assert_eq!(home.plait(&["conversations", "rename", &id, "Ada"]).code, 0);
    assert!(home.plait(&["conversations", "export", &id]).out.starts_with("# Ada\n"));
    let busy = home.plait(&["conversations", "rm", &id]);
    assert!(busy.code == 2 && busy.err.starts_with("error[conversation.busy]"), "{busy:#?}");
    assert_eq!(home.plait(&["cancel", "last"]).code, 0);
    assert_eq!(home.plait(&["conversations", "rm", &id]).code, 0);
    let unknown = home.plait(&["run", &path, "--conversation", &id]);
    assert!(unknown.code == 2 && unknown.err.starts_with("error[conversation.unknown]"), "{unknown:#?}");
}

/// Without its file, and even without the index that knows of it.
#[test]
fn missing_conversation_is_restored_from_the_journals_of_its_runs() {
    let path = fixture("flows/chat-cycle.flow.json").display().to_string();
    for is_indexed in [true, false] {
        let home = Home::default();
        let say = |conversation: &str, text: &str| {
            let said =
                home.plait(&["run", &path, "--json", "--conversation", conversation, "--answer", text]);
            assert_eq!((said.code, home.plait(&["cancel", "last"]).code), (3, 0), "{said:#?}");
            said
        };
        let begun = say("new", "I am Ada");
        let id = begun.err.lines().find_map(|line| line.strip_prefix("Conversation ")).unwrap().to_owned();
        say(&id, "Who am I?");
        let show = || home.plait(&["conversations", "show", &id, "--json"]);
        let before = show();
        assert_eq!(before.events().len(), 4, "{before:#?}");
        let folder = home.path().join("conversations");
        std::fs::remove_file(folder.join(format!("{id}.journal"))).unwrap();
        if !is_indexed {
            std::fs::remove_dir_all(home.path().join("index")).unwrap();
        }
        let checked = home.plait(&["doctor"]);
        assert!(checked.code == 1 && checked.out.contains("is missing"), "{checked:#?}");
        let salvaged = home.plait(&["doctor", "--salvage"]);
        let count = if is_indexed { "4 of 4" } else { "4" };
        assert!(
            salvaged.out.contains(&format!("Salvaged {count} messages of conversation {id}")),
            "{salvaged:#?}"
        );
        assert_eq!(show().out, before.out);
        assert_eq!(home.plait(&["doctor"]).code, 0);
        // It goes on where it was, and lists as it did.
        let next = say(&id, "And now?").events();
        assert_eq!(next[0]["conversation"]["messages"], 4);
        assert_eq!(next[0]["conversation"]["thread"], begun.events()[0]["conversation"]["thread"]);
        let listed = home.plait(&["conversations", "list"]);
        assert!(listed.out.contains("I am Ada"), "{listed:#?}");
    }
}

#[test]
fn restored_messages_keep_their_positions_where_others_are_lost() {
    let home = Home::default();
    let path = fixture("flows/chat-cycle.flow.json").display().to_string();
    let mut id = "new".to_owned();
    let mut first = String::new();
    for text in ["one", "two"] {
        let said = home.plait(&["run", &path, "--json", "--conversation", &id, "--answer", text]);
        assert_eq!((said.code, home.plait(&["cancel", "last"]).code), (3, 0), "{said:#?}");
        if first.is_empty() {
            id = said.err.lines().find_map(|line| line.strip_prefix("Conversation ")).unwrap().to_owned();
            first = said.events()[0]["run"].as_str().unwrap().to_owned();
        }
    }
    assert_eq!(home.plait(&["runs", "rm", &first]).code, 0);
    std::fs::remove_file(home.path().join("conversations").join(format!("{id}.journal"))).unwrap();
    let salvaged = home.plait(&["doctor", "--salvage"]);
    assert!(salvaged.out.contains("Salvaged 2 of 4 messages"), "{salvaged:#?}");
    let checked = home.plait(&["doctor"]);
    let lost = |place: u64| checked.out.contains(&format!("Message {place} can't be read."));
    assert_eq!([0, 1, 2, 3].map(lost), [true, true, false, false], "{checked:#?}");
    // Without any journal nothing can be restored.
    assert_eq!(home.plait(&["runs", "rm", "last"]).code, 0);
    std::fs::remove_file(home.path().join("conversations").join(format!("{id}.journal"))).unwrap();
    let left = home.plait(&["doctor", "--salvage"]);
    assert!(left.code == 1 && left.out.contains(&format!("Conversation {id} stays missing")), "{left:#?}");
}

/// Kills the second run after each number of lines and resumes it.
#[test]
fn kill_at_any_moment_and_resume_keep_each_turn_once() {
    let path = fixture("flows/chat-cycle.flow.json").display().to_string();
    let expected = [user("one"), user("two"), user("three")];
    for lines in (1..40).step_by(2) {
        let home = Home::default();
        let begun = home.plait(&["run", &path, "--json", "--conversation", "new", "--answer", "one"]);
        assert_eq!((begun.code, home.plait(&["cancel", "last"]).code), (3, 0));
        let args = ["run", &path, "--json", "--conversation", "last", "--answer", "two", "--answer", "three"];
        let mut child = home.spawn(&args);
        BufReader::new(child.stdout.take().unwrap()).lines().take(lines).for_each(drop);
        // It may wait already.
        let _ = child.kill();
        child.wait().unwrap();
        // Answered pauses are not asked again.
        let resumed = home.plait(&["resume", "last", "--json", "--end"]);
        assert!([0, 2].contains(&resumed.code), "{lines}: {resumed:#?}");
        let shown = home.plait(&["conversations", "show", "last", "--json"]);
        let said: Vec<_> = shown
            .events()
            .iter()
            .map(|message| (message["role"].clone(), message["content"].clone(), message["id"].clone()))
            .collect();
        assert!(said.len() % 2 == 0 && !said.is_empty(), "{lines}: {said:#?}");
        for (turn, pair) in said.chunks(2).enumerate() {
            assert_eq!(pair[0].1, expected[turn].1.as_str(), "{lines}: {said:#?}");
            assert_eq!((&pair[0].0, &pair[1].0), (&json!("user"), &json!("assistant")));
            assert_eq!(pair[1].2, turn * 2 + 1);
        }
        let listed: Value =
            serde_json::from_str(&home.plait(&["conversations", "list", "--json"]).out).unwrap();
        assert_eq!(listed[0]["spent"]["calls"], said.len() / 2, "{lines}: each call is paid once");
    }
}
