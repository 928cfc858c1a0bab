use crate::memory::{MemoryChange, MemorySummary, MemoryTurn, WorkflowMemory};
use crate::transcript::PromptText;
use plait_core::id::NodeId;
use plait_core::origin::Origins;

fn turn(text: &str, message: Option<&str>) -> MemoryTurn {
    MemoryTurn {
        origins: Origins::NONE,
        label: None,
        text: text.to_owned(),
        node: Some("chat".into()),
        message: message.map(Into::into),
        tokens: 1,
    }
}

fn memory(texts: &[&str]) -> WorkflowMemory {
    let mut memory = WorkflowMemory::default();
    let turns = texts.iter().map(|text| turn(text, Some(text))).collect();
    memory.apply(&MemoryChange { turns, ..MemoryChange::default() });
    memory
}

fn texts(memory: &WorkflowMemory) -> Vec<&str> {
    memory.turns.iter().map(|turn| turn.text.as_str()).collect()
}

#[test]
fn change_adds_turns_and_drops_the_oldest() {
    let mut memory = memory(&["a", "b"]);
    let summary = Some(MemorySummary { origins: Origins::NONE, text: "So far.".to_owned(), tokens: 2 });
    memory.apply(&MemoryChange { turns: vec![turn("c", None)], summary, dropped: 2, error: None });
    assert_eq!(texts(&memory), ["c"]);
    assert_eq!(memory.summary.as_ref().unwrap().text, "So far.");
    memory.apply(&MemoryChange { dropped: 9, ..MemoryChange::default() });
    assert!(memory.turns.is_empty() && memory.summary.is_some());
}

#[test]
fn recent_turns_are_the_newest() {
    let memory = memory(&["a", "b", "c"]);
    let recent = |count| memory.recent(count).map(|turn| turn.text.clone()).collect::<Vec<_>>();
    assert_eq!(recent(2), ["b", "c"]);
    assert_eq!(recent(9), ["a", "b", "c"]);
    assert_eq!((memory.overdue(2), memory.overdue(3), memory.forgotten(1)), (1, 0, 0));
    assert_eq!(super::WorkflowMemory::forgotten(&memory, 0), 3);
}

#[test]
fn turn_is_found_by_message_and_else_by_text() {
    let memory = memory(&["a", "b"]);
    let found = |id: Option<&str>, text: &str| {
        memory.find(id.map(Into::into).as_ref(), text).map(|turn| turn.text.clone())
    };
    assert_eq!(found(Some("a"), "else"), Some("a".to_owned()));
    assert_eq!(found(None, "b"), Some("b".to_owned()));
    assert_eq!(found(None, "a"), None, "only the newest turn is compared by text");
    assert_eq!(found(Some("new"), "b"), None, "another message with the same text is another turn");
}

#[test]
fn labels_end_with_one_colon() {
    let own: NodeId = "chat".into();
    let turn = turn("Hi.", None);
    let seen_by = |reader: &NodeId| PromptText::turn(turn.label_for(reader), &turn.text).into_string();
    assert_eq!(seen_by(&own), "You said: Hi.");
    assert_eq!(seen_by(&"other".into()), "Partner just said: Hi.");
    assert_eq!(turn.label_for_all(), "chat");
}

#[test]
fn next_run_starts_without_the_messages_of_this_one() {
    let memory = memory(&["a"]).for_next_run();
    assert_eq!(memory.turns[0].message, None);
}

#[test]
fn wire_form_is_small_and_read_back() {
    let memory = memory(&["a"]);
    let wire = serde_json::to_value(&memory).unwrap();
    assert_eq!(
        wire,
        serde_json::json!({ "turns": [{ "text": "a", "node": "chat", "message": "a", "tokens": 1 }] })
    );
    assert_eq!(serde_json::from_value::<WorkflowMemory>(wire).unwrap(), memory);
    assert_eq!(serde_json::to_value(WorkflowMemory::default()).unwrap(), serde_json::json!({}));
}
