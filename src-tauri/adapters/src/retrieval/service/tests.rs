use std::fs;
use std::path::Path;
use std::time::Duration;

use async_trait::async_trait;
use parking_lot::Mutex as SyncMutex;
use plait_engine::retriever::{
    KnowledgeRef, LeftOutReason, Match, Retrieval, RetrievalRequest, Retriever as _,
};

use super::*;
use crate::retrieval::base::BaseState;
use crate::retrieval::definition::EmbeddingModel;

/// Embeds a text by which of a few words it has, so that "train" and "railway" mean the same.
#[derive(Default)]
struct Topics {
    requests: SyncMutex<Vec<Vec<String>>>,
    fails: SyncMutex<bool>,
}

#[async_trait]
impl Embedder for Topics {
    async fn embed(&self, _: &EmbeddingModel, texts: &[String]) -> Result<Vec<Vec<f32>>, Fault> {
        if *self.fails.lock() {
            return Err(Fault::new(ErrorCode::ProviderUnreachable, "Nobody is there."));
        }
        self.requests.lock().push(texts.to_vec());
        let has = |text: &str, words: &[&str]| words.iter().any(|word| text.to_lowercase().contains(word));
        let embed = |text: &String| {
            let topic = |words: &[&str]| if has(text, words) { 1.0 } else { 0.01 };
            vec![topic(&["train", "railway"]), topic(&["soup", "meal"]), topic(&["tax"])]
        };
        Ok(texts.iter().map(embed).collect())
    }
}

struct World {
    root: tempfile::TempDir,
    bases: KnowledgeBases,
    topics: Arc<Topics>,
    redaction: Arc<Redaction>,
}

impl World {
    fn new() -> Self {
        let root = tempfile::tempdir().unwrap();
        fs::create_dir_all(root.path().join("docs")).unwrap();
        let (topics, redaction) = (Arc::new(Topics::default()), Arc::new(Redaction::default()));
        let bases = Self::open(root.path(), &topics, &redaction, false);
        Self { root, bases, topics, redaction }
    }

    fn open(
        root: &Path,
        topics: &Arc<Topics>,
        redaction: &Arc<Redaction>,
        read_only: bool,
    ) -> KnowledgeBases {
        let home = root.join("home");
        KnowledgeBases::new(KnowledgeOptions {
            access: FileAccess::new(None, Some(&home)),
            home,
            redaction: Arc::clone(redaction),
            workers: None,
            embedder: Arc::clone(topics) as Arc<dyn Embedder>,
            read_only,
        })
    }

    /// The same after a restart.
    fn reopened(self, read_only: bool) -> Self {
        let Self { root, topics, redaction, bases } = self;
        drop(bases);
        let bases = Self::open(root.path(), &topics, &redaction, read_only);
        Self { root, bases, topics, redaction }
    }

    fn path(&self, path: &str) -> PathBuf {
        self.root.path().join(path)
    }

    fn write(&self, path: &str, text: impl AsRef<[u8]>) {
        let path = self.path(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    fn definition(&self, embeddings: bool) -> BaseDefinition {
        let model = EmbeddingModel { provider: "local".to_owned(), model: "topics".to_owned() };
        BaseDefinition {
            name: "handbook".to_owned(),
            paths: vec![self.path("docs").display().to_string()],
            embeddings: embeddings.then_some(model),
        }
    }

    fn with_base() -> Self {
        let world = Self::new();
        world.write(
            "docs/travel/trains.md",
            "# Trains\n\nTrains are booked by the office. A railway ticket is refunded.\n",
        );
        world.write("docs/food.txt", "The soup is free on Fridays.\n");
        world.write("docs/noise.md", "Something about windows and doors.\n");
        world.bases.add(world.definition(false)).unwrap();
        world
    }

    async fn ask(&self, query: &str, base: KnowledgeRef) -> Result<Retrieval, Fault> {
        let request = RetrievalRequest {
            query: query.to_owned(),
            bases: vec![base],
            max_tokens: 1000,
            model: String::new(),
            folder: Some(self.path("project/flows").display().to_string()),
            progress: Arc::new(|_| ()),
        };
        self.bases.retrieve(request).await
    }

    async fn search(&self, query: &str) -> Retrieval {
        self.ask(query, KnowledgeRef::Base("handbook".to_owned())).await.unwrap()
    }

    async fn sources(&self, query: &str) -> Vec<String> {
        self.search(query).await.used.into_iter().map(|chunk| chunk.passage.source).collect()
    }

    async fn folder(&self, folder: &str) -> Result<Vec<String>, String> {
        let found = self.ask("train", KnowledgeRef::Folder(folder.to_owned())).await;
        let shown = |chunk: plait_engine::retriever::RetrievedChunk| {
            format!("{} {}", chunk.passage.base, chunk.passage.source)
        };
        found.map(|found| found.used.into_iter().map(shown).collect()).map_err(|fault| fault.code.to_string())
    }
}

fn none() -> updates::OnProgress {
    Arc::new(|_| ())
}

#[tokio::test(flavor = "multi_thread")]
async fn first_search_indexes_and_finds_with_place_and_score() {
    let world = World::with_base();
    let found = world.search("How do I book a TRAIN?").await;
    let chunk = &found.used[0];
    assert_eq!(found.used.len(), 1);
    assert_eq!(
        (chunk.passage.base.as_str(), chunk.passage.source.as_str()),
        ("handbook", "travel/trains.md")
    );
    assert_eq!((chunk.passage.offset, chunk.passage.line, chunk.passage.heading.as_str()), (0, 1, "Trains"));
    assert_eq!(chunk.passage.length, chunk.text.len() as u64);
    assert!(chunk.passage.score > 0.0 && chunk.passage.matched == Match::Words);
    assert!(chunk.text.contains("booked by the office"));
    let status = world.bases.status("handbook").unwrap();
    assert_eq!((status.state, status.files, status.chunks, status.embedded), (BaseState::Ready, 3, 3, 0));
}

#[tokio::test(flavor = "multi_thread")]
async fn changed_new_and_removed_files_are_indexed_before_the_next_search() {
    let world = World::with_base();
    assert_eq!(world.sources("soup").await, ["food.txt"]);
    world.write("docs/food.txt", "Only bread is free.\n");
    world.write("docs/new.md", "The soup moved here.\n");
    fs::remove_file(world.path("docs/travel/trains.md")).unwrap();
    // A watcher of the system reports later than the write returns.
    for _ in 0..500 {
        if world.bases.named("handbook").unwrap().base.is_stale() {
            break;
        }
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    let mut soup = world.sources("soup").await;
    for _ in 0..200 {
        if soup == ["new.md"] && world.sources("train").await.is_empty() {
            break;
        }
        tokio::time::sleep(Duration::from_millis(10)).await;
        soup = world.sources("soup").await;
    }
    assert_eq!(soup, ["new.md"]);
    assert_eq!(world.sources("train").await, Vec::<String>::new());
    assert_eq!(world.sources("bread").await, ["food.txt"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn update_reads_only_what_changed() {
    let world = World::with_base();
    world.bases.reindex("handbook", false, none()).await.unwrap();
    world.write("docs/food.txt", "The soup is hot now.\n");
    let seen: Arc<SyncMutex<Vec<u64>>> = Arc::default();
    let progress: updates::OnProgress = {
        let seen = Arc::clone(&seen);
        Arc::new(move |now| seen.lock().push(now.bytes))
    };
    world.bases.reindex("handbook", false, Arc::clone(&progress)).await.unwrap();
    assert_eq!(seen.lock().last(), Some(&21), "the changed file alone");
    seen.lock().clear();
    world.bases.reindex("handbook", false, Arc::clone(&progress)).await.unwrap();
    assert_eq!(seen.lock().last(), Some(&0), "nothing");
    seen.lock().clear();
    let status = world.bases.reindex("handbook", true, progress).await.unwrap();
    assert!(seen.lock().last() > Some(&100), "everything");
    assert_eq!((status.files, status.chunks), (3, 3));
}

#[tokio::test(flavor = "multi_thread")]
async fn bases_survive_a_restart_and_read_only_searches_them() {
    let world = World::with_base();
    assert_eq!(world.sources("soup").await, ["food.txt"]);
    let world = world.reopened(true);
    world.write("docs/food.txt", "Nothing.\n");
    assert_eq!(world.sources("soup").await, ["food.txt"], "as it was indexed");
    let world = world.reopened(false);
    assert_eq!(world.sources("soup").await, Vec::<String>::new());
    assert_eq!(world.bases.list().len(), 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn damaged_index_is_rebuilt() {
    let world = World::with_base();
    assert_eq!(world.sources("soup").await, ["food.txt"]);
    for damage in ["truncate", "flip", "meta", "gone"] {
        let index = world.path("home/knowledge/handbook/index");
        match damage {
            "meta" => fs::write(index.join("meta.json"), "{").unwrap(),
            "gone" => fs::remove_dir_all(&index).unwrap(),
            _ => {
                for file in fs::read_dir(&index).unwrap().flatten() {
                    if file.path().extension().is_some_and(|kind| kind == "store" || kind == "idx") {
                        let mut bytes = fs::read(file.path()).unwrap();
                        let middle = bytes.len() / 2;
                        if damage == "truncate" {
                            bytes.truncate(middle);
                        } else {
                            bytes[middle] ^= 0xff;
                        }
                        fs::write(file.path(), bytes).unwrap();
                    }
                }
            }
        }
        let again = World::open(world.root.path(), &world.topics, &world.redaction, false);
        let world = World {
            root: tempfile::tempdir().unwrap(),
            bases: again,
            topics: Arc::default(),
            redaction: Arc::default(),
        };
        assert_eq!(world.sources("soup").await, ["food.txt"], "{damage}");
    }
}

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

#[tokio::test(flavor = "multi_thread")]
async fn cap_and_duplicates_leave_out_with_the_reason() {
    let world = World::with_base();
    world.write(
        "docs/copy.md",
        "# Trains\n\nTrains are booked by the office. A railway ticket is refunded.\n",
    );
    let request = RetrievalRequest {
        query: "train".to_owned(),
        bases: vec![KnowledgeRef::Base("handbook".to_owned())],
        max_tokens: 60,
        model: String::new(),
        folder: None,
        progress: none(),
    };
    let found = world.bases.retrieve(request.clone()).await.unwrap();
    assert_eq!((found.used.len(), found.left_out.len()), (1, 1));
    assert_eq!(found.left_out[0].reason, LeftOutReason::Duplicate { of: 1 });
    let found = world.bases.retrieve(RetrievalRequest { max_tokens: 20, ..request }).await.unwrap();
    assert!(found.used.is_empty() && found.to_block().is_empty());
    assert!(matches!(found.left_out[0].reason, LeftOutReason::Cap { .. }));
}

#[tokio::test(flavor = "multi_thread")]
async fn embeddings_find_by_meaning_and_are_bought_once() {
    let world = World::with_base();
    world.bases.remove("handbook").await.unwrap();
    world.bases.add(world.definition(true)).unwrap();
    let found = world.search("Any meal?").await;
    assert_eq!(found.used[0].passage.source, "food.txt", "it has no word of the query");
    assert_eq!(found.used[0].passage.matched, Match::Meaning);
    let bought = || world.topics.requests.lock().iter().map(Vec::len).sum::<usize>();
    assert_eq!(bought(), 3 + 1, "three passages and the query");
    world.write("docs/food.txt", "The soup is served at noon.\n");
    world.bases.reindex("handbook", true, none()).await.unwrap();
    assert_eq!(bought(), 3 + 1 + 1, "the changed passage only");
    assert_eq!(world.bases.status("handbook").unwrap().embedded, 4);
    // Both rankings agree.
    let found = world.search("train").await;
    assert_eq!(
        (found.used[0].passage.source.as_str(), found.used[0].passage.matched),
        ("travel/trains.md", Match::Both)
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn search_goes_by_words_while_the_embedding_server_is_gone() {
    let world = World::with_base();
    world.bases.remove("handbook").await.unwrap();
    *world.topics.fails.lock() = true;
    world.bases.add(world.definition(true)).unwrap();
    let found = world.search("train").await;
    assert_eq!(found.used[0].passage.source, "travel/trains.md");
    let codes: Vec<_> = found.notices.iter().map(|fault| fault.code.as_str()).collect();
    assert!(codes.contains(&"knowledge.embeddings"), "{codes:?}");
    assert_eq!(world.bases.status("handbook").unwrap().state, BaseState::Failed);
    *world.topics.fails.lock() = false;
    let status = world.bases.reindex("handbook", false, none()).await.unwrap();
    assert_eq!((status.state, status.embedded), (BaseState::Ready, 3));
}

#[tokio::test(flavor = "multi_thread")]
async fn indexing_can_be_stopped_and_keeps_what_it_has() {
    let world = World::with_base();
    for number in 0..400 {
        world.write(&format!("docs/many/{number}.md"), format!("Number {number} is about trains."));
    }
    let bases = world.bases.clone();
    let stop: updates::OnProgress = Arc::new(move |now| {
        if now.bytes > 0 {
            bases.cancel("handbook").unwrap();
        }
    });
    let fault = world.bases.reindex("handbook", false, stop).await.unwrap_err();
    assert_eq!(fault.code, "knowledge.stopped");
    let status = world.bases.status("handbook").unwrap();
    assert_eq!(status.state, BaseState::Failed);
    assert!((1..403).contains(&status.files), "{}", status.files);
    let status = world.bases.reindex("handbook", false, none()).await.unwrap();
    assert_eq!((status.state, status.files), (BaseState::Ready, 403));
}

#[tokio::test(flavor = "multi_thread")]
async fn dropping_the_search_stops_its_indexing() {
    let world = World::with_base();
    for number in 0..400 {
        world.write(&format!("docs/many/{number}.md"), format!("Number {number} is about trains."));
    }
    let (started, began) = tokio::sync::oneshot::channel();
    let started = SyncMutex::new(Some(started));
    let progress: updates::OnProgress = Arc::new(move |now| {
        if now.bytes > 0
            && let Some(started) = started.lock().take()
        {
            let _ = started.send(());
        }
    });
    let bases = world.bases.clone();
    let task = tokio::spawn(async move { bases.reindex("handbook", false, progress).await });
    began.await.unwrap();
    task.abort();
    assert!(task.await.unwrap_err().is_cancelled());
    // Whoever comes next waits for the lock and goes on from there.
    let status = world.bases.reindex("handbook", false, none()).await.unwrap();
    assert_eq!((status.state, status.files), (BaseState::Ready, 403));
}

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

#[tokio::test(flavor = "multi_thread")]
async fn queries_are_words_and_never_syntax() {
    let world = World::with_base();
    for query in
        ["soup AND (", "text:soup^9999", "\"soup", "soup~", "NOT soup", "[soup TO *]", "\0soup\u{202e}"]
    {
        assert_eq!(world.sources(query).await, ["food.txt"], "{query}");
    }
    assert_eq!(world.sources(&format!("{} soup", "word ".repeat(2000))).await, ["food.txt"]);
    assert_eq!(world.sources("…!?").await, Vec::<String>::new());
    let fault = world.ask("  ", KnowledgeRef::Base("handbook".to_owned())).await.unwrap_err();
    assert_eq!(fault.code, "knowledge.no_query");
}

#[tokio::test(flavor = "multi_thread")]
async fn source_shows_the_text_around_a_passage() {
    let world = World::with_base();
    let lines: Vec<String> = (1..=40_000).map(|line| format!("Line {line} of the book.\n")).collect();
    let long = lines.concat();
    world.write("docs/long.md", &long);
    let base = || KnowledgeRef::Base("handbook".to_owned());
    let whole = world.bases.source(base(), None, "food.txt".to_owned(), 4).await.unwrap();
    assert_eq!((whole.text.as_str(), whole.offset, whole.line), ("The soup is free on Fridays.\n", 0, 1));
    let offset = long.find("Line 30000 ").unwrap() as u64;
    let part = world.bases.source(base(), None, "long.md".to_owned(), offset).await.unwrap();
    assert!(part.text.len() < 500 << 10);
    assert_eq!(part.text.lines().next(), Some(format!("Line {} of the book.", part.line).as_str()));
    assert!(part.text[usize::try_from(offset - part.offset).unwrap()..].starts_with("Line 30000 "));
}
