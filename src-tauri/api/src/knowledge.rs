//! `knowledge.*`: the knowledge bases of the person: adding, indexing and searching them, and showing what a passage is from.

mod search;
mod service;

use plait_adapters::retrieval::{BaseDefinition, BaseStatus, EmbeddingModel};
use plait_core::error::Fault;
use serde::{Deserialize, Serialize};
use ts_rs::TS;

use crate::ErrorReply;
use crate::blocking::run_blocking;
use crate::codes;
use crate::command::Command;

pub use plait_adapters::retrieval::{BaseState, SkippedFile, SourceText};
pub use search::{GetKnowledgeSource, SearchKnowledge};
pub use service::KnowledgeService;

/// The parts of a knowledge base, for callers that add one or show it.
pub mod base {
    pub use plait_adapters::retrieval::{BaseDefinition, BaseStatus, EmbeddingModel};
}

/// `knowledge.list`: the knowledge bases, by name, and how far those that are being indexed have come.
#[derive(Debug, Default, Serialize, Deserialize, TS)]
pub struct ListKnowledge {}

impl Command for ListKnowledge {
    const NAME: &'static str = "knowledge.list";
    const IS_REPEATABLE: bool = true;
    type Service = KnowledgeService;
    type Reply = Vec<BaseStatus>;

    async fn run(self, service: &KnowledgeService) -> Result<Vec<BaseStatus>, ErrorReply> {
        let bases = service.bases().clone();
        run_blocking(move || Ok(bases.list())).await
    }
}

/// `knowledge.add`: adds a knowledge base. It is indexed when it is searched, or by `knowledge.reindex`. `knowledge.name`,
/// `knowledge.exists`, `knowledge.no_folder`, `knowledge.unsafe_folder`.
#[derive(Debug, Serialize, Deserialize, TS)]
pub struct AddKnowledge {
    /// The name by which flows refer to it.
    pub name: String,
    /// Its folders and files, absolute.
    pub paths: Vec<String>,
    /// The model that embeds its passages. Their text is sent to its provider.
    #[serde(default)]
    #[ts(optional)]
    pub embeddings: Option<EmbeddingModel>,
}

impl Command for AddKnowledge {
    const NAME: &'static str = "knowledge.add";
    type Service = KnowledgeService;
    type Reply = BaseStatus;

    async fn run(self, service: &KnowledgeService) -> Result<BaseStatus, ErrorReply> {
        let Self { name, paths, embeddings } = self;
        let redaction = service.redaction().await;
        let texts = paths.iter().chain(std::iter::once(&name));
        if texts.into_iter().any(|text| redaction.first_secret(text).is_some()) {
            let message = "The name or a path of the knowledge base is a key.";
            return Err(Fault::new(codes::KNOWLEDGE_NAME, message)
                .hint("Enter the name and the folder.")
                .into());
        }
        if let Some(model) = &embeddings {
            service.check_provider(&model.provider)?;
        }
        let bases = service.bases().clone();
        run_blocking(move || Ok(bases.add(BaseDefinition { name, paths, embeddings })?)).await
    }
}

/// `knowledge.remove`: removes a knowledge base and its index. Its files stay. `knowledge.unknown`.
#[derive(Debug, Serialize, Deserialize, TS)]
pub struct RemoveKnowledge {
    pub name: String,
}

impl Command for RemoveKnowledge {
    const NAME: &'static str = "knowledge.remove";
    type Service = KnowledgeService;
    type Reply = ();

    async fn run(self, service: &KnowledgeService) -> Result<(), ErrorReply> {
        Ok(service.bases().remove(&self.name).await?)
    }
}

/// `knowledge.reindex`: indexes what changed, and replies when that is done. `knowledge.list` tells how far it has come.
/// `knowledge.unknown`, `knowledge.stopped`, `knowledge.too_large`, `knowledge.index`, `knowledge.embeddings`.
#[derive(Debug, Serialize, Deserialize, TS)]
pub struct ReindexKnowledge {
    pub name: String,
    /// Whether files that did not change are indexed again, too.
    #[serde(default)]
    #[ts(optional, as = "Option<bool>")]
    pub all: bool,
}

impl Command for ReindexKnowledge {
    const NAME: &'static str = "knowledge.reindex";
    const IS_REPEATABLE: bool = true;
    type Service = KnowledgeService;
    type Reply = BaseStatus;

    async fn run(self, service: &KnowledgeService) -> Result<BaseStatus, ErrorReply> {
        service.index(&self.name, self.all, std::sync::Arc::new(|_| ())).await
    }
}

/// `knowledge.cancel`: stops the indexing of a knowledge base. What was indexed stays. `knowledge.unknown`.
#[derive(Debug, Serialize, Deserialize, TS)]
pub struct CancelKnowledge {
    pub name: String,
}

impl Command for CancelKnowledge {
    const NAME: &'static str = "knowledge.cancel";
    type Service = KnowledgeService;
    type Reply = ();

    async fn run(self, service: &KnowledgeService) -> Result<(), ErrorReply> {
        Ok(service.bases().cancel(&self.name)?)
    }
}
