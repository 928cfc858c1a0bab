mod confinement;
mod definitions;
mod indexing;
mod searching;

use std::fs;
use std::path::Path;
use std::time::Duration;

use async_trait::async_trait;
use parking_lot::Mutex as SyncMutex;
use plait_llm::retriever::{KnowledgeRef, LeftOutReason, Match, Retrieval, RetrievalRequest, Retriever as _};

use super::*;
use crate::codes;
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
            return Err(Fault::new(codes::PROVIDER_UNREACHABLE, "Nobody is there."));
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
        let shown = |chunk: plait_llm::retriever::RetrievedChunk| {
            format!("{} {}", chunk.passage.base, chunk.passage.source)
        };
        found.map(|found| found.used.into_iter().map(shown).collect()).map_err(|fault| fault.code.to_string())
    }
}

fn none() -> updates::OnProgress {
    Arc::new(|_| ())
}
