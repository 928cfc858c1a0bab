//! Adding and removing knowledge bases, and bases with missing files.

use super::*;

#[tokio::test(flavor = "multi_thread")]
async fn definitions_are_checked() {
    let world = World::with_base();
    let add = |name: &str, path: &str| {
        let definition =
            BaseDefinition { name: name.to_owned(), paths: vec![path.to_owned()], embeddings: None };
        world.bases.add(definition).map_err(|fault| fault.code.to_string())
    };
    let docs = world.path("docs").display().to_string();
    let refused = |code: &str| Err(code.to_owned());
    assert_eq!(add("Handbook", &docs).map(drop), refused("knowledge.exists"));
    for name in ["", "../x", "a/b", ".hidden", "x".repeat(65).as_str(), "a\u{202e}b"] {
        assert_eq!(add(name, &docs).map(drop), refused("knowledge.name"), "{name}");
    }
    assert_eq!(add("other", "relative").map(drop), refused("knowledge.no_folder"));
    assert_eq!(
        add("other", &world.path("nowhere").display().to_string()).map(drop),
        refused("knowledge.no_folder")
    );
    assert_eq!(add("other", "/").map(drop), refused("knowledge.unsafe_folder"));
    assert_eq!(
        add("other", &world.path("home").display().to_string()).map(drop),
        refused("knowledge.unsafe_folder"),
        "Plait's own data"
    );
    // One file.
    let status = add("one file", &world.path("docs/food.txt").display().to_string()).unwrap();
    assert_eq!(status.state, BaseState::New);
    let status = world.bases.reindex("one file", false, none()).await.unwrap();
    assert_eq!((status.files, status.chunks), (1, 1));
}

#[tokio::test(flavor = "multi_thread")]
async fn removed_and_damaged_bases_are_distinguished() {
    let world = World::with_base();
    world.sources("soup").await;
    fs::write(world.path("home/knowledge/handbook/base.json"), "{").unwrap();
    let status = &world.bases.list()[0];
    assert_eq!(status.fault.as_ref().map(|fault| fault.code.as_str()), Some("knowledge.damaged"));
    world.bases.remove("handbook").await.unwrap();
    assert!(world.bases.list().is_empty());
    assert!(world.path("docs/food.txt").is_file(), "files are never removed");
    assert_eq!(world.bases.remove("handbook").await.unwrap_err().code, "knowledge.unknown");
    let unknown = world.ask("x", KnowledgeRef::Base("../handbook".to_owned())).await.unwrap_err();
    assert_eq!(unknown.code, "knowledge.unknown");
}

#[tokio::test(flavor = "multi_thread")]
async fn vanished_folder_is_a_notice_while_there_is_an_index() {
    let world = World::with_base();
    world.sources("soup").await;
    let world = world.reopened(false);
    fs::rename(world.path("docs"), world.path("moved")).unwrap();
    let found = world.search("soup").await;
    assert_eq!(found.used[0].passage.source, "food.txt");
    assert_eq!(found.notices[0].code, "knowledge.no_folder");
}
