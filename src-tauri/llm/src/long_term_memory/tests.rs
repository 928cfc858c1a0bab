use serde_json::json;

use super::*;

fn content(kind: MemoryKind, text: &str, steps: &[&str]) -> MemoryContent {
    MemoryContent {
        kind,
        text: text.to_owned(),
        steps: steps.iter().map(|step| (*step).to_owned()).collect(),
    }
}

fn record(content: MemoryContent, at: u64) -> MemoryRecord {
    MemoryRecord::of_run(&content.text.clone(), content, MemorySource::default(), at)
}

#[test]
fn content_is_trimmed_and_bounded() {
    let code = |content: MemoryContent| content.checked().unwrap_err().code.as_str().to_owned();
    let fact = content(MemoryKind::Fact, "  Likes trains. ", &[]).checked().unwrap();
    assert_eq!(fact.text, "Likes trains.");
    assert_eq!(code(content(MemoryKind::Fact, " \n", &[])), "memory.empty");
    assert_eq!(code(content(MemoryKind::Procedure, "Book", &[" "])), "memory.empty");
    assert_eq!(code(content(MemoryKind::Fact, "A", &["b"])), "memory.has_steps");
    assert_eq!(code(content(MemoryKind::Fact, &"x".repeat(MAX_TEXT_BYTES + 1), &[])), "memory.too_long");
    assert_eq!(code(content(MemoryKind::Procedure, "A", &["s"; MAX_STEPS + 1])), "memory.too_long");
    let long = "x".repeat(MAX_STEP_BYTES + 1);
    assert_eq!(code(content(MemoryKind::Procedure, "A", &[&long])), "memory.too_long");
    let steps = content(MemoryKind::Procedure, "A", &["one ", "", "two"]).checked().unwrap().steps;
    assert_eq!(steps, ["one", "two"]);
}

#[test]
fn id_follows_from_the_place_in_the_run() {
    assert_eq!(MemoryId::derived("a"), MemoryId::derived("a"));
    assert_ne!(MemoryId::derived("a"), MemoryId::derived("b"));
    assert_eq!(MemoryId::derived("a").as_str().len(), 32);
}

#[test]
fn recall_is_bounded_in_number_and_bytes() {
    let request = |limit| RecallRequest { query: "x".to_owned(), limit, ..RecallRequest::default() };
    let facts = |count: usize, bytes: usize| {
        (0..count).map(move |index| record(content(MemoryKind::Fact, &format!("{index:0>bytes$}"), &[]), 0))
    };
    let recall = Recall::within_limits(request(3), facts(5, 10));
    assert_eq!((recall.memories.len(), recall.more), (3, 2));
    let recall = Recall::within_limits(request(1_000), facts(60, 10));
    assert_eq!((recall.memories.len(), recall.more), (50, 10));
    let recall = Recall::within_limits(request(50), facts(6, 4_000));
    assert_eq!((recall.memories.len(), recall.more), (4, 2), "16 KB");
    let recall = Recall::within_limits(request(50), facts(1, 20_000));
    assert_eq!((recall.memories.len(), recall.more), (1, 0), "the first in any case");
}

#[test]
fn memories_become_one_line_each() {
    let memories = [
        record(content(MemoryKind::Fact, "Likes trains.", &[]), 0),
        record(content(MemoryKind::Episode, "Booked a train.", &[]), 1_795_351_758_000),
        record(content(MemoryKind::Procedure, "Booking", &["Ask for the date", "Book"]), 0),
    ];
    assert_eq!(
        render(&memories),
        "- Likes trains.\n- 2026-11-22: Booked a train.\n- Booking:\n  1. Ask for the date\n  2. Book"
    );
    assert_eq!(render(&[]), "");
}

#[test]
fn dates_are_those_of_the_calendar() {
    let day = |days: u64| civil_date(days * 86_400_000);
    assert_eq!(
        [day(0), day(59), day(11_016), day(20_512)],
        ["1970-01-01", "1970-03-01", "2000-02-29", "2026-02-28"]
    );
}

#[test]
fn record_is_flat_on_the_wire() {
    let memory = record(content(MemoryKind::Fact, "Likes trains.", &[]), 7);
    let wire = serde_json::to_value(&memory).unwrap();
    assert_eq!(
        wire,
        json!({ "id": memory.id, "kind": "fact", "text": "Likes trains.", "at": 7, "source": {} })
    );
    assert_eq!(serde_json::from_value::<MemoryRecord>(wire).unwrap(), memory);
}
