use serde_json::json;

use super::*;
use crate::context::{ContextType, ToolCall};
use plait_core::id::{Activation, Epoch};

fn message(id: &str, role: Role) -> Message {
    let author = Activation { node: "chat".into(), epoch: Epoch::root() };
    Message::plain(id.into(), role, format!("This is {id}."), author, 9)
}

fn context(messages: impl IntoIterator<Item = Message>) -> ContextRecord {
    let history: History = messages.into_iter().map(Arc::new).collect();
    ContextRecord::new("main".into(), ContextType::Main, "openai", "gpt-4o").with_history(history)
}

fn talk() -> ContextRecord {
    let ask = Message {
        tool_calls: vec![ToolCall { id: "1".to_owned(), name: "add".to_owned(), arguments: json!({}) }],
        ..message("c", Role::Assistant)
    };
    let result = Message { tool_call_id: Some("1".to_owned()), ..message("d", Role::Tool) };
    context([
        message("s", Role::System),
        message("a", Role::User),
        message("b", Role::Assistant),
        message("q", Role::User),
        ask,
        result,
        message("e", Role::Assistant),
    ])
}

fn edit(id: &str, text: Option<&str>) -> MessageEdit {
    MessageEdit { message: id.into(), text: text.map(str::to_owned) }
}

fn remove(ids: &[&str]) -> Result<Vec<EditedMessage>, Fault> {
    edited_messages(&talk(), &ids.iter().map(|id| edit(id, None)).collect::<Vec<_>>(), 7, |_, _| 1)
}

#[test]
fn reworded_message_is_one_of_its_own_that_comes_from_a_person() {
    let context = talk();
    let edited = edited_messages(&context, &[edit("b", Some("Say no."))], 7, |_, _| 1).unwrap();
    let history = with_edits(&context.message_history, &edited);
    let ids: Vec<&str> = history.iter().map(|message| message.id.as_str()).collect();
    assert_eq!(ids, ["s", "a", "b~7", "q", "c", "d", "e"]);
    assert_eq!(history[2].content.text(), "Say no.");
    assert_eq!(history[2].origins, Origins::of(Origin::Person));
    assert_eq!(history[2].repeats, Some("b".into()));
    assert_eq!(history[2].tokens, 1);
    assert_eq!(context.message_history[2].content.text(), "This is b.");
}

#[test]
fn question_and_reply_can_be_removed_together_with_their_tools() {
    for ids in [&["a", "b"][..], &["q", "c", "d", "e"], &["b", "q"], &["a", "b", "q", "c", "d", "e"], &["s"]]
    {
        assert!(remove(ids).is_ok(), "{ids:?}: {:?}", remove(ids));
    }
}

#[test]
fn edit_that_providers_would_refuse_is_refused() {
    for (ids, why) in [
        (&["a"][..], "start with a reply"),
        (&["b"], "same side"),
        (&["e"], "end without a reply"),
        (&["c"], "would have no call"),
        (&["d"], "would have no result"),
        (&["c", "d", "e"], "end without a reply"),
        (&["nobody"], "no message `nobody`"),
    ] {
        let fault = remove(ids).unwrap_err();
        assert_eq!(fault.code.as_str(), "debug.bad_history");
        assert!(fault.message.contains(why), "{ids:?}: {}", fault.message);
    }
    let blank = edited_messages(&talk(), &[edit("b", Some(" "))], 7, |_, _| 1).unwrap_err();
    assert!(blank.message.contains("say something"));
}

#[test]
fn what_was_wrong_before_does_not_hinder_an_edit() {
    let twice = context([message("a", Role::User), message("b", Role::User)]);
    let edited = edited_messages(&twice, &[edit("a", Some("Again."))], 1, |_, _| 1).unwrap();
    assert_eq!(edited.len(), 1);
}
