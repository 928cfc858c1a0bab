//! Which files and folders are read, and that no secret is kept of them.

use super::*;

#[tokio::test(flavor = "multi_thread")]
async fn files_that_cannot_be_read_are_listed_with_the_reason() {
    let world = World::with_base();
    world.write("docs/broken.pdf", b"%PDF-1.7 broken");
    world.write("docs/picture.md", b"\x89PNG\0\0\0");
    world.write("docs/server.pem", "-----BEGIN-----");
    world.write("docs/.hidden.md", "The soup is hidden.");
    world.write("docs/.gitignore", "ignored.md\n");
    world.write("docs/ignored.md", "The soup is ignored.");
    let status = world.bases.reindex("handbook", false, none()).await.unwrap();
    let skipped: Vec<_> =
        status.skipped.iter().map(|file| (file.source.as_str(), file.reason.message.as_str())).collect();
    assert_eq!(
        skipped,
        [
            ("broken.pdf", "It is not indexed: the PDF is broken."),
            ("picture.md", "It is not indexed: it is a binary file."),
            ("server.pem", "It is not indexed: files of this name hold secrets."),
        ]
    );
    assert_eq!((status.state, status.files, status.skipped_count), (BaseState::Ready, 3, 3));
    assert_eq!(world.sources("soup").await, ["food.txt"]);
}

#[cfg(unix)]
#[tokio::test(flavor = "multi_thread")]
async fn links_lead_nowhere() {
    let world = World::with_base();
    world.write("elsewhere/secret.md", "The soup is secret.");
    std::os::unix::fs::symlink(world.path("elsewhere"), world.path("docs/folder")).unwrap();
    std::os::unix::fs::symlink(world.path("elsewhere/secret.md"), world.path("docs/link.md")).unwrap();
    fs::hard_link(world.path("elsewhere/secret.md"), world.path("docs/hard.md")).unwrap();
    let status = world.bases.reindex("handbook", false, none()).await.unwrap();
    assert_eq!(world.sources("soup").await, ["food.txt"]);
    let skipped: Vec<_> = status.skipped.iter().map(|file| file.source.as_str()).collect();
    assert_eq!(skipped, ["hard.md"]);
    // A file that was replaced by a link after it was indexed is not opened either.
    fs::remove_file(world.path("docs/food.txt")).unwrap();
    std::os::unix::fs::symlink(world.path("elsewhere/secret.md"), world.path("docs/food.txt")).unwrap();
    let base = || KnowledgeRef::Base("handbook".to_owned());
    for source in ["food.txt", "../elsewhere/secret.md", "/etc/passwd", "folder/secret.md"] {
        let fault = world.bases.source(base(), None, source.to_owned(), 0).await.unwrap_err();
        assert!(fault.code.as_str().starts_with("knowledge."), "{source}: {fault:?}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn folders_of_flows_stay_in_their_project() {
    let world = World::new();
    world.write("project/.git/HEAD", "");
    world.write("project/flows/docs/a.md", "A train here.");
    world.write("project/shared/b.md", "A train there.");
    world.write("outside/c.md", "A train outside.");
    world.write("home/runs/d.md", "A train in the data.");
    let shown = |text: &str| Ok(vec![text.to_owned()]);
    assert_eq!(world.folder("docs").await, shown("./docs a.md"));
    assert_eq!(world.folder("./docs").await, shown("./docs a.md"));
    assert_eq!(world.folder("../shared").await, shown("./../shared b.md"));
    let refused = |code: &str| Err(code.to_owned());
    assert_eq!(world.folder("../../outside").await, refused("knowledge.outside"));
    assert_eq!(world.folder("/etc").await, refused("knowledge.outside"));
    assert_eq!(world.folder("../.git").await, refused("knowledge.outside"));
    assert_eq!(world.folder("nowhere").await, refused("knowledge.no_folder"));
    #[cfg(unix)]
    {
        std::os::unix::fs::symlink(world.path("outside"), world.path("project/flows/link")).unwrap();
        assert_eq!(world.folder("link").await, refused("knowledge.outside"));
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn secrets_are_neither_indexed_nor_found() {
    let world = World::with_base();
    let key = "sk-proj-abcdefghijklmnopqrstuvwxyz0123456789ABCDEFGH";
    world.write("docs/keys.md", format!("The soup key is {key} today.\n"));
    let found = world.search("soup key").await;
    let texts: String = found.used.iter().map(|chunk| chunk.text.as_str()).collect();
    assert!(texts.contains("The soup key is [") && !texts.contains(key), "{texts}");
    for file in fs::read_dir(world.path("home/knowledge/handbook/index")).unwrap().flatten() {
        let bytes = fs::read(file.path()).unwrap();
        assert!(memchr::memmem::find(&bytes, b"abcdefghijklmnopqrstuvwxyz").is_none(), "{:?}", file.path());
    }
    // A key that was entered after its text was indexed.
    world.redaction.add_key("acme", &secrecy::SecretString::from("The soup is free on Fridays"));
    let found = world.search("soup fridays").await;
    assert!(found.used.iter().all(|chunk| !chunk.text.contains("free on Fridays")));
    let source =
        world.bases.source(KnowledgeRef::Base("handbook".to_owned()), None, "food.txt".to_owned(), 0).await;
    assert_eq!(source.unwrap().text, "[key of acme].\n");
}
