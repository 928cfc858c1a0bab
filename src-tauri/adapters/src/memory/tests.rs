use plait_llm::long_term_memory::{MemoryContent, MemoryKind, MemorySource};

use super::*;

struct Fixture {
    _home: tempfile::TempDir,
    memory: LongTermMemory,
}

fn user(name: &str) -> UserName {
    UserName::parse(name).unwrap()
}

fn record(kind: MemoryKind, text: &str, at: u64) -> MemoryRecord {
    let steps = if kind == MemoryKind::Procedure { vec!["Ask for the date".to_owned()] } else { Vec::new() };
    let content = MemoryContent { kind, text: text.to_owned(), steps };
    MemoryRecord::of_run(text, content, MemorySource::default(), at)
}

fn fixture() -> Fixture {
    let home = tempfile::tempdir().unwrap();
    let redaction = Arc::new(Redaction::default());
    let memory = LongTermMemory::new(Store::open(home.path()).unwrap(), redaction);
    let memories = [
        (MemoryKind::Fact, "The user prefers trains to planes."),
        (MemoryKind::Fact, "The user lives in Kiel."),
        (MemoryKind::Episode, "Booked a train to Kiel for the user."),
        (MemoryKind::Procedure, "Booking a trip"),
    ];
    let memories = (1..).zip(memories).map(|(at, (kind, text))| record(kind, text, at)).collect();
    memory.add(&user("ada"), memories).unwrap();
    Fixture { _home: home, memory }
}

fn found(memory: &LongTermMemory, name: &str, query: &str, kinds: &[MemoryKind]) -> Vec<String> {
    let request = RecallRequest { query: query.to_owned(), kinds: kinds.to_vec(), limit: 50 };
    memory.search(&user(name), &request).unwrap().into_iter().map(|memory| memory.content.text).collect()
}

#[test]
fn words_rank_memories_and_function_words_do_not() {
    let Fixture { memory, .. } = &fixture();
    let best = found(memory, "ada", "Which train did the user book to Kiel?", &[]);
    assert_eq!(best[0], "Booked a train to Kiel for the user.");
    assert_eq!(found(memory, "ada", "Does the user like PLANES?", &[]).len(), 3, "`user` is a word of three");
    assert_eq!(found(memory, "ada", "planes?", &[]), ["The user prefers trains to planes."]);
    assert_eq!(found(memory, "ada", "the date", &[]), ["Booking a trip"], "steps are searched");
    assert!(found(memory, "ada", "boats", &[]).is_empty());
    assert!(found(memory, "ada", "…?!", &[]).is_empty());
}

#[test]
fn newest_come_first_without_a_query() {
    let Fixture { memory, .. } = &fixture();
    assert_eq!(found(memory, "ada", " ", &[])[0], "Booking a trip");
    assert_eq!(
        found(memory, "ada", "", &[MemoryKind::Fact]),
        ["The user lives in Kiel.", "The user prefers trains to planes."]
    );
}

#[test]
fn users_do_not_see_each_other() {
    let Fixture { memory, .. } = &fixture();
    assert!(found(memory, "eve", "train", &[]).is_empty());
    assert!(found(memory, "eve", "", &[]).is_empty());
    assert_eq!(memory.erase(&user("eve"), None).unwrap(), 0);
    assert_eq!(found(memory, "ada", "", &[]).len(), 4);
}

#[test]
fn index_follows_changes() {
    let Fixture { memory, .. } = &fixture();
    let ada = user("ada");
    assert_eq!(found(memory, "ada", "planes", &[]).len(), 1);
    memory.add(&ada, vec![record(MemoryKind::Fact, "Flew on three planes.", 9)]).unwrap();
    assert_eq!(found(memory, "ada", "planes", &[]).len(), 2);
    let flew = memory.list(&ada).unwrap().memories.last().unwrap().clone();
    let content = MemoryContent { text: "Sailed on three boats.".to_owned(), ..flew.content.clone() };
    memory.replace(&ada, MemoryRecord { content, ..flew.clone() }).unwrap();
    assert_eq!(found(memory, "ada", "planes", &[]).len(), 1);
    memory.erase(&ada, Some(&[flew.id])).unwrap();
    assert!(found(memory, "ada", "boats", &[]).is_empty());
}

#[test]
fn secrets_are_neither_stored_nor_found() {
    let home = tempfile::tempdir().unwrap();
    let redaction = Arc::new(Redaction::default());
    let memory = LongTermMemory::new(Store::open(home.path()).unwrap(), Arc::clone(&redaction));
    let ada = user("ada");
    memory.add(&ada, vec![record(MemoryKind::Fact, "The word is swordfish-4711-swordfish.", 1)]).unwrap();
    assert_eq!(found(&memory, "ada", "swordfish", &[]).len(), 1);
    redaction.add_key("bank", &"swordfish-4711-swordfish".to_owned().into());
    let texts = found(&memory, "ada", "swordfish", &[]);
    assert!(texts.len() == 1 && !texts[0].contains("4711"), "entered later: {texts:?}");
    memory.add(&ada, vec![record(MemoryKind::Fact, "Again swordfish-4711-swordfish.", 2)]).unwrap();
    let stored = &memory.list(&ada).unwrap().memories[1].content.text;
    assert!(!stored.contains("4711"), "{stored}");
}
