//! `knowledge.search` and `knowledge.source`.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use plait_adapters::retrieval::SourceText;
use plait_llm::retriever::{Knowledge, KnowledgeRef, Retrieval, RetrievalRequest, Retriever as _};
use serde::{Deserialize, Serialize};
use ts_rs::TS;

use super::KnowledgeService;
use crate::ErrorReply;
use crate::blocking::run_blocking;
use crate::command::Command;

/// `knowledge.search`: the passages that fit a query, as a node would find them. Files that changed are indexed first.
/// `knowledge.*`.
#[derive(Debug, Default, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct SearchKnowledge {
    /// The query, in plain words.
    pub query: String,
    /// The names of the knowledge bases; all of them if there are none here.
    #[serde(default)]
    #[ts(optional, as = "Option<Vec<String>>")]
    pub bases: Vec<String>,
    /// The most tokens of the passages; 2,000 if left out.
    #[serde(default)]
    #[ts(optional, type = "number")]
    pub max_tokens: Option<u64>,
}

impl Command for SearchKnowledge {
    const NAME: &'static str = "knowledge.search";
    type Service = KnowledgeService;
    type Reply = Retrieval;

    async fn run(self, service: &KnowledgeService) -> Result<Retrieval, ErrorReply> {
        service.redaction().await;
        let mut names = self.bases;
        if names.is_empty() {
            let bases = service.bases().clone();
            names = run_blocking(move || Ok(bases.names())).await?;
        }
        let request = RetrievalRequest {
            query: self.query,
            bases: names.into_iter().map(KnowledgeRef::Base).collect(),
            max_tokens: self.max_tokens.unwrap_or_else(|| Knowledge::default().max_tokens()),
            model: String::new(),
            folder: None,
            progress: Arc::new(|_| ()),
        };
        Ok(service.bases().retrieve(request).await?)
    }
}

/// `knowledge.source`: the text of a file around a passage. `knowledge.unknown`, `knowledge.source`, `knowledge.bad_file`.
#[derive(Debug, Default, Serialize, Deserialize, TS)]
pub struct GetKnowledgeSource {
    /// The base, as the passage names it.
    pub base: String,
    /// The file, as the passage names it.
    pub source: String,
    /// Where the passage begins.
    #[serde(default)]
    #[ts(optional, as = "Option<f64>")]
    pub offset: u64,
    /// The flow's file, for a passage from a folder beside it.
    #[serde(default)]
    #[ts(optional)]
    pub flow: Option<String>,
}

impl Command for GetKnowledgeSource {
    const NAME: &'static str = "knowledge.source";
    type Service = KnowledgeService;
    type Reply = SourceText;

    async fn run(self, service: &KnowledgeService) -> Result<SourceText, ErrorReply> {
        service.redaction().await;
        let folder: Option<PathBuf> =
            self.flow.as_deref().and_then(|flow| Path::new(flow).parent()).map(Path::to_owned);
        let base = KnowledgeRef::of_passage(&self.base);
        Ok(service.bases().source(base, folder, self.source, self.offset).await?)
    }
}
