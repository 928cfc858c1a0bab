use plait_llm::long_term_memory::{MemoryContent, MemoryKind, MemorySource};
use proptest::prelude::*;

use super::*;
use crate::disk::FileSystem;

fn user(name: &str) -> UserName {
    UserName::parse(name).unwrap()
}

fn fact(id: &str, text: &str) -> MemoryRecord {
    let content = MemoryContent { kind: MemoryKind::Fact, text: text.to_owned(), steps: Vec::new() };
    MemoryRecord { id: id.into(), ..MemoryRecord::of_run(id, content, MemorySource::default(), 5) }
}

struct Fixture {
    folder: tempfile::TempDir,
    memories: Memories,
}

impl Fixture {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let memories = Memories::new(Arc::new(FileSystem), folder.path());
        Self { folder, memories }
    }

    /// The same data directory as another process sees it.
    fn reopened(&self) -> Memories {
        Memories::new(Arc::new(FileSystem), self.folder.path())
    }

    fn path(&self, name: &str) -> PathBuf {
        folder::path_in(&folder_in(self.folder.path()), &user(name))
    }

    fn bytes(&self, name: &str) -> Vec<u8> {
        std::fs::read(self.path(name)).unwrap()
    }
}

fn texts(memories: &Memories, name: &str) -> Vec<String> {
    let list = memories.list(&user(name)).unwrap();
    list.memories.iter().map(|memory| memory.content.text.clone()).collect()
}

fn contains(bytes: &[u8], text: &str) -> bool {
    bytes.windows(text.len()).any(|window| window == text.as_bytes())
}

#[test]
fn memories_survive_and_are_stored_once() {
    let fixture = Fixture::new();
    assert!(texts(&fixture.memories, "ada").is_empty());
    assert!(!fixture.path("ada").exists(), "reading creates nothing");
    fixture
        .memories
        .add(&user("ada"), vec![fact("a", "Tea."), fact("a", "Tea."), fact("b", "Trains.")])
        .unwrap();
    fixture.memories.add(&user("ada"), vec![fact("b", "Planes."), fact("c", "Kiel.")]).unwrap();
    fixture.memories.add(&user("eve"), vec![fact("a", "Coffee.")]).unwrap();
    for memories in [&fixture.memories, &fixture.reopened()] {
        assert_eq!(texts(memories, "ada"), ["Tea.", "Trains.", "Kiel."]);
        assert_eq!(texts(memories, "eve"), ["Coffee."]);
    }
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        assert_eq!(std::fs::metadata(fixture.path("ada")).unwrap().permissions().mode() & 0o777, 0o600);
    }
}

#[test]
fn erasing_leaves_no_byte_of_the_text() {
    let fixture = Fixture::new();
    let ada = user("ada");
    fixture.memories.add(&ada, vec![fact("a", "Secret tea."), fact("b", "Trains.")]).unwrap();
    assert!(contains(&fixture.bytes("ada"), "Secret"));
    assert_eq!(fixture.memories.erase(&ada, Some(&["a".into(), "x".into()])).unwrap(), 1);
    let bytes = fixture.bytes("ada");
    assert!(!contains(&bytes, "Secret") && !contains(&bytes, "ret te"));
    assert!(contains(&bytes, "Trains."));
    let leftovers: Vec<_> = std::fs::read_dir(folder_in(fixture.folder.path())).unwrap().flatten().collect();
    assert_eq!(leftovers.len(), 2, "its file and the sizes: {leftovers:?}");
    // A run that is resumed stores it again: it stays erased.
    for memories in [&fixture.memories, &fixture.reopened()] {
        memories.add(&ada, vec![fact("a", "Secret tea.")]).unwrap();
        assert_eq!(texts(memories, "ada"), ["Trains."]);
    }
    assert_eq!(fixture.memories.erase(&ada, None).unwrap(), 1);
    assert!(!contains(&fixture.bytes("ada"), "Trains"));
    fixture.memories.add(&ada, vec![fact("d", "Boats.")]).unwrap();
    assert_eq!(texts(&fixture.reopened(), "ada"), ["Boats."]);
}

#[test]
fn erasing_removes_what_a_crash_left_of_an_earlier_one() {
    let fixture = Fixture::new();
    let ada = user("ada");
    fixture.memories.add(&ada, vec![fact("a", "Secret tea.")]).unwrap();
    let left = folder_in(fixture.folder.path()).join(".x.tmp");
    std::fs::write(&left, "Secret tea.").unwrap();
    fixture.memories.erase(&ada, None).unwrap();
    assert!(!left.exists());
}

#[test]
fn changing_replaces_the_text() {
    let fixture = Fixture::new();
    let ada = user("ada");
    fixture.memories.add(&ada, vec![fact("a", "Old tea."), fact("b", "Trains.")]).unwrap();
    fixture.memories.replace(&ada, fact("a", "New tea.")).unwrap();
    assert_eq!(texts(&fixture.reopened(), "ada"), ["New tea.", "Trains."]);
    assert!(!contains(&fixture.bytes("ada"), "Old"));
    let fault = fixture.memories.replace(&ada, fact("x", "?")).unwrap_err();
    assert_eq!(fault.code.as_str(), "memory.unknown");
}

#[test]
fn damaged_record_is_named_and_nothing_is_written_over_it() {
    let fixture = Fixture::new();
    let ada = user("ada");
    let all = ["a", "b", "c"].map(|id| fact(id, &format!("Text {id}.")));
    fixture.memories.add(&ada, all.to_vec()).unwrap();
    let mut bytes = fixture.bytes("ada");
    let place = bytes.windows(7).position(|window| window == b"Text b.").unwrap();
    bytes[place] ^= 1;
    std::fs::write(fixture.path("ada"), &bytes).unwrap();
    let memories = fixture.reopened();
    assert_eq!(texts(&memories, "ada"), ["Text a.", "Text c."]);
    let list = memories.list(&ada).unwrap();
    assert!(list.damage.as_deref().is_some_and(|damage| damage.contains("can't be read")), "{list:?}");
    for fault in [
        memories.add(&ada, vec![fact("d", "?")]).unwrap_err(),
        memories.erase(&ada, None).unwrap_err(),
        memories.replace(&ada, fact("a", "?")).unwrap_err(),
    ] {
        assert_eq!(fault.code.as_str(), "memory.damaged");
        assert!(fault.message.contains("`ada`"), "{fault}");
    }
    assert_eq!(fixture.bytes("ada"), bytes);
}

#[test]
fn file_that_lost_its_end_is_named_and_nothing_is_written_to_it() {
    let fixture = Fixture::new();
    let ada = user("ada");
    for id in ["a", "b", "c"] {
        fixture.memories.add(&ada, vec![fact(id, id)]).unwrap();
    }
    let bytes = fixture.bytes("ada");
    for length in 0..bytes.len() {
        std::fs::write(fixture.path("ada"), &bytes[..length]).unwrap();
        let memories = fixture.reopened();
        let found = texts(&memories, "ada");
        assert!(
            ["a", "b"].starts_with(&found.iter().map(String::as_str).collect::<Vec<_>>()),
            "{length}: {found:?}"
        );
        let damage = memories.list(&ada).unwrap().damage.clone().unwrap_or_default();
        assert!(damage.contains("can") && damage.contains("be read"), "{length}: {damage}");
        let refused = memories.add(&ada, vec![fact("z", "z")]).unwrap_err();
        assert_eq!(refused.code.as_str(), "memory.damaged", "{length}");
        assert_eq!(fixture.bytes("ada"), bytes[..length], "{length}");
    }
    std::fs::remove_file(fixture.path("ada")).unwrap();
    let memories = fixture.reopened();
    let damage = memories.list(&ada).unwrap().damage.clone();
    assert_eq!(damage, Some(format!("The file is missing; it had {} bytes.", bytes.len())));
    assert_eq!(memories.add(&ada, vec![fact("z", "z")]).unwrap_err().code.as_str(), "memory.damaged");
    memories.remove(&ada).unwrap();
    memories.add(&ada, vec![fact("z", "z")]).unwrap();
}

/// The append failed, so nobody relies on those memories.
#[test]
fn what_a_crash_left_of_an_append_is_no_damage() {
    let fixture = Fixture::new();
    let ada = user("ada");
    fixture.memories.add(&ada, vec![fact("a", "a"), fact("b", "b")]).unwrap();
    let sizes = folder_in(fixture.folder.path()).join("sizes.json");
    let (before, listed) = (fixture.bytes("ada"), std::fs::read(&sizes).unwrap());
    fixture.memories.add(&ada, vec![fact("c", "c")]).unwrap();
    let bytes = fixture.bytes("ada");
    for length in before.len()..=bytes.len() {
        std::fs::write(fixture.path("ada"), &bytes[..length]).unwrap();
        std::fs::write(&sizes, &listed).unwrap();
        let memories = fixture.reopened();
        assert_eq!(memories.list(&ada).unwrap().damage, None, "{length}");
        let found = texts(&memories, "ada");
        memories.add(&ada, vec![fact("z", "z")]).unwrap();
        assert_eq!(texts(&fixture.reopened(), "ada"), [found, vec!["z".to_owned()]].concat(), "{length}");
    }
}

#[test]
fn file_that_got_shorter_by_erasing_is_whole() {
    let fixture = Fixture::new();
    let ada = user("ada");
    fixture.memories.add(&ada, vec![fact("a", &"long ".repeat(50)), fact("b", "b")]).unwrap();
    let long = fixture.bytes("ada").len();
    fixture.memories.erase(&ada, Some(&["a".into()])).unwrap();
    assert!(fixture.bytes("ada").len() < long);
    let memories = fixture.reopened();
    assert_eq!(memories.list(&ada).unwrap().damage, None);
    memories.add(&ada, vec![fact("c", "c")]).unwrap();
    assert_eq!(texts(&fixture.reopened(), "ada"), ["b", "c"]);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]
    #[test]
    fn one_flipped_bit_costs_at_most_one_memory(place in any::<prop::sample::Index>(), bit in 0u8..8) {
        let fixture = Fixture::new();
        let ada = user("ada");
        let all = ["a", "b", "c"].map(|id| fact(id, id));
        fixture.memories.add(&ada, all.to_vec()).unwrap();
        let mut bytes = fixture.bytes("ada");
        let place = place.index(bytes.len());
        bytes[place] ^= 1 << bit;
        std::fs::write(fixture.path("ada"), &bytes).unwrap();
        let memories = fixture.reopened();
        let list = memories.list(&ada).unwrap();
        prop_assert!(list.memories.len() >= 2, "{list:?}");
        prop_assert!(list.memories.iter().all(|memory| all.contains(memory)));
        prop_assert!(list.damage.is_some(), "it is noticed");
        let refused = memories.add(&ada, vec![fact("d", "d")]).unwrap_err();
        prop_assert_eq!(refused.code.as_str(), "memory.damaged");
    }
}

#[test]
fn number_of_memories_is_bounded() {
    let fixture = Fixture::new();
    let ada = user("ada");
    let many = (0..MAX_MEMORIES).map(|index| fact(&format!("{index}"), "x")).collect();
    fixture.memories.add(&ada, many).unwrap();
    let fault = fixture.memories.add(&ada, vec![fact("one more", "x")]).unwrap_err();
    assert_eq!(fault.code.as_str(), "memory.full");
    fixture.memories.add(&ada, vec![fact("0", "x")]).unwrap();
}

#[test]
fn memory_is_found_by_the_beginning_of_its_id() {
    let list = MemoryList { memories: vec![fact("ab1", "x"), fact("ab2", "y")], damage: None };
    assert_eq!(list.find("AB2").unwrap().content.text, "y");
    assert_eq!(list.find("ab").unwrap_err().code.as_str(), "memory.ambiguous");
    assert_eq!(list.find("c").unwrap_err().code.as_str(), "memory.unknown");
    assert_eq!(list.find("").unwrap_err().code.as_str(), "memory.unknown");
}

fn texts_in(memories: &Memories, run: &str) -> Vec<String> {
    let list = memories.list_in(&user("ada"), &run.into()).unwrap();
    list.memories.iter().map(|memory| memory.content.text.clone()).collect()
}

#[test]
fn branch_is_seen_by_its_run_alone_and_taken_over_once() {
    let fixture = Fixture::new();
    let (memories, ada, fork) = (&fixture.memories, user("ada"), RunId::from("fork"));
    memories.add(&ada, vec![fact("a", "Tea."), fact("b", "Trains.")]).unwrap();
    memories.add_in(&ada, &fork, vec![fact("c", "Kiel."), fact("a", "Tea.")]).unwrap();
    assert_eq!(memories.erase_in_branch(&ada, &fork, &["b".into(), "no".into()]).unwrap(), 1);
    assert_eq!(memories.erase_in_branch(&ada, &fork, &["b".into()]).unwrap(), 0);
    for memories in [memories, &fixture.reopened()] {
        assert_eq!(texts(memories, "ada"), ["Tea.", "Trains."]);
        assert_eq!(texts_in(memories, "fork"), ["Tea.", "Kiel."]);
        assert_eq!(texts_in(memories, "other"), ["Tea.", "Trains."]);
        let branches = memories.branches(&ada, false).unwrap();
        assert_eq!((branches.len(), branches[0].list.memories.len(), branches[0].erased), (1, 1, 1));
    }
    memories.copy_branch(&ada, &fork, &"second".into()).unwrap();
    assert_eq!(texts_in(memories, "second"), ["Tea.", "Kiel."]);

    assert_eq!(memories.keep_branch(&ada, &fork).unwrap(), KeptMemories { stored: 1, erased: 1 });
    assert_eq!(memories.keep_branch(&ada, &fork).unwrap(), KeptMemories::default());
    assert_eq!(texts(&fixture.reopened(), "ada"), ["Tea.", "Kiel."]);
    memories.remove_branch(&ada, &"second".into()).unwrap();
    assert_eq!(fixture.reopened().branches(&ada, false).unwrap(), []);
}

#[test]
fn branch_that_was_taken_over_in_part_before_a_crash_is_taken_over_whole() {
    let fixture = Fixture::new();
    let (memories, ada, fork) = (&fixture.memories, user("ada"), RunId::from("fork"));
    memories.add(&ada, vec![fact("a", "Tea.")]).unwrap();
    memories.add_in(&ada, &fork, vec![fact("b", "Kiel."), fact("c", "Trains.")]).unwrap();
    memories.erase_in_branch(&ada, &fork, &["a".into()]).unwrap();
    let path = folder::branch_path_in(&folder_in(fixture.folder.path()), &ada, &fork);
    let branch = std::fs::read(&path).unwrap();
    memories.keep_branch(&ada, &fork).unwrap();
    // As if the process had ended before the branch was removed.
    std::fs::write(&path, branch).unwrap();
    let reopened = fixture.reopened();
    assert_eq!(texts_in(&reopened, "fork"), ["Kiel.", "Trains."]);
    assert_eq!(reopened.keep_branch(&ada, &fork).unwrap(), KeptMemories::default());
    assert_eq!(texts(&fixture.reopened(), "ada"), ["Kiel.", "Trains."]);
    assert!(!path.exists());
}
