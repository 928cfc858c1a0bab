//! The knowledge bases of the data directory, and the providers that embed their passages.

use std::path::PathBuf;
use std::sync::Arc;

use async_trait::async_trait;
use plait_adapters::retrieval::{BaseStatus, Embedder, EmbeddingModel, KnowledgeBases, KnowledgeOptions};
use plait_adapters::workers::WorkerPool;
use plait_adapters::{FileAccess, Redaction};
use plait_core::error::Fault;
use plait_llm::retriever::IndexProgress;
use plait_store::Store;

use crate::ErrorReply;
use crate::providers::ProviderService;

/// The knowledge bases.
pub struct KnowledgeService {
    bases: KnowledgeBases,
    providers: Arc<ProviderService>,
}

impl KnowledgeService {
    /// `worker` is the executable of the processes that read PDF and HTML.
    pub(crate) fn new(store: &Store, providers: Arc<ProviderService>, worker: Option<PathBuf>) -> Self {
        let options = KnowledgeOptions {
            home: store.home().to_owned(),
            access: FileAccess::of_process(Some(store.home())),
            redaction: Arc::clone(providers.keys().redaction()),
            // A pool of their own: documents take seconds, expressions milliseconds.
            workers: worker.map(WorkerPool::new),
            embedder: Arc::new(ProviderEmbedder(Arc::clone(&providers))),
            read_only: store.is_read_only(),
        };
        Self { bases: KnowledgeBases::new(options), providers }
    }

    pub fn bases(&self) -> &KnowledgeBases {
        &self.bases
    }

    /// Indexes a base: what changed, or `all` of it. Dropping the future stops it; what was indexed stays. `knowledge.*`.
    pub async fn index(
        &self,
        name: &str,
        all: bool,
        progress: Arc<dyn Fn(IndexProgress) + Send + Sync>,
    ) -> Result<BaseStatus, ErrorReply> {
        // Indexed text must hold no key that Plait could know.
        self.redaction().await;
        Ok(self.bases.reindex(name, all, progress).await?)
    }

    /// The redaction of indexed and found texts, with the stored keys.
    pub(super) async fn redaction(&self) -> Arc<Redaction> {
        self.providers.keys().redaction_with_stored_keys().await
    }

    /// Fault `provider.unknown`.
    pub(super) fn check_provider(&self, name: &str) -> Result<(), Fault> {
        self.providers.table().settings_of(name).map(drop)
    }
}

/// Embeds with the providers of the settings in force.
struct ProviderEmbedder(Arc<ProviderService>);

#[async_trait]
impl Embedder for ProviderEmbedder {
    async fn embed(&self, model: &EmbeddingModel, texts: &[String]) -> Result<Vec<Vec<f32>>, Fault> {
        self.0.table().embed(model, texts).await
    }
}
