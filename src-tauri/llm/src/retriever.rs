//! Retrieval: finds the passages of knowledge bases that fit a query.
//!
//! Owns the trait, the query, the result, and its form as a block of a prompt. The files of a base, their splitting and
//! the ranking of passages are up to the implementation.

mod block;
mod fit;
mod knowledge;

use std::sync::Arc;

use async_trait::async_trait;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use ts_rs::TS;

use crate::codes;
use crate::prompt_record::Block;
use plait_core::error::Fault;
use plait_core::origin::{Origin, Origins};

pub use block::passage_tokens;
pub use fit::{Candidate, fit};
pub use knowledge::{Knowledge, query_text};

/// The most passages of one retrieval that are considered, used ones and others.
pub const MAX_CANDIDATES: usize = 24;

/// A knowledge base, as a flow names it.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema, TS)]
#[serde(rename_all = "camelCase")]
pub enum KnowledgeRef {
    /// A base of the person, by its name.
    Base(String),
    /// A folder relative to the flow's file. It lies in the flow's project.
    Folder(String),
}

impl KnowledgeRef {
    /// What a passage is from, by the base that it names. No name of a base has a slash.
    pub fn of_passage(base: &str) -> Self {
        match base.strip_prefix("./") {
            Some(folder) => Self::Folder(folder.to_owned()),
            None => Self::Base(base.to_owned()),
        }
    }
}

/// A query to knowledge bases.
#[derive(Clone)]
pub struct RetrievalRequest {
    /// The query, in plain words.
    pub query: String,
    /// Where to search.
    pub bases: Vec<KnowledgeRef>,
    /// The most tokens that the passages together may take in a prompt.
    pub max_tokens: u64,
    /// The model to count tokens for. If empty, a current one of OpenAI's.
    pub model: String,
    /// The folder of the flow's file. `None` for a flow that was never saved.
    pub folder: Option<String>,
    /// Receives progress when a base has to be indexed first, for watchers.
    pub progress: Arc<dyn Fn(IndexProgress) + Send + Sync>,
}

/// How far indexing has come.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct IndexProgress {
    /// The base.
    pub base: String,
    /// Files that were looked at.
    #[ts(type = "number")]
    pub done: u64,
    /// Files to look at, once the folder was listed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional, type = "number")]
    pub total: Option<u64>,
    /// Bytes that were read and indexed.
    #[ts(type = "number")]
    pub bytes: u64,
}

/// Where a passage stands.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct Passage {
    /// The knowledge base: its name, or `./` and the folder beside the flow.
    pub base: String,
    /// The file, relative to the folder of the base, with `/` between its parts.
    pub source: String,
    /// Where it begins in the text of the file, in bytes.
    #[ts(type = "number")]
    pub offset: u64,
    /// Its length in bytes.
    #[ts(type = "number")]
    pub length: u64,
    /// The line on which it begins, from 1, in the text of the file.
    #[ts(type = "number")]
    pub line: u64,
    /// The headings above it, outermost first, joined by " › ". Empty without any.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    #[ts(optional, as = "Option<String>")]
    pub heading: String,
    /// How well it fits, compared with the others of the same retrieval. Higher is better.
    pub score: f64,
    /// What ranked it.
    pub matched: Match,
    /// Its tokens in a prompt. Of one that is left out, they may be those of its text alone: then these did not fit.
    #[ts(type = "number")]
    pub tokens: u64,
}

/// What ranked a passage.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub enum Match {
    /// Its words.
    #[default]
    Words,
    /// Its meaning, by its embedding.
    Meaning,
    /// Both.
    Both,
}

/// A passage that is used.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct RetrievedChunk {
    #[serde(flatten)]
    #[ts(flatten)]
    pub passage: Passage,
    /// Its text, without secrets.
    pub text: String,
}

/// A passage that was found and is not used.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct LeftOutChunk {
    #[serde(flatten)]
    #[ts(flatten)]
    pub passage: Passage,
    /// Why.
    pub reason: LeftOutReason,
}

/// Why a passage is not used.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(tag = "kind", rename_all = "camelCase", rename_all_fields = "camelCase")]
pub enum LeftOutReason {
    /// It takes more tokens than better passages left.
    Cap {
        /// The tokens that were left.
        #[ts(type = "number")]
        room: u64,
    },
    /// A better passage has the same text.
    Duplicate {
        /// The number of that passage, from 1.
        #[ts(type = "number")]
        of: u64,
    },
}

/// What a retrieval found.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct Retrieval {
    /// The query.
    pub query: String,
    /// The most tokens that the passages may take.
    #[ts(type = "number")]
    pub max_tokens: u64,
    /// The passages, the best first.
    pub used: Vec<RetrievedChunk>,
    /// The passages that were found and are not used, the best first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[ts(optional, as = "Option<Vec<LeftOutChunk>>")]
    pub left_out: Vec<LeftOutChunk>,
    /// What went wrong without stopping the retrieval, such as an embedding server that does not answer.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[ts(optional, as = "Option<Vec<Fault>>")]
    pub notices: Vec<Fault>,
}

impl Retrieval {
    /// The tokens of the used passages.
    pub fn tokens(&self) -> u64 {
        self.used.iter().map(|chunk| chunk.passage.tokens).sum()
    }

    /// Where what it says comes from: also what was left out is named, with its file and its heading.
    pub fn origins(&self) -> Origins {
        let used = self.used.iter().map(|chunk| &chunk.passage);
        let passages = used.chain(self.left_out.iter().map(|chunk| &chunk.passage));
        passages.map(|passage| Origin::Knowledge(passage.base.clone())).collect()
    }

    /// The used passages as a block of a prompt.
    pub fn prompt_block(&self, model: &str) -> Block {
        block::build(&self.used, model)
    }

    /// The block of a prompt with the used passages; empty if there are none.
    pub fn to_block(&self) -> String {
        block::render(&self.used)
    }
}

/// Searches knowledge bases.
#[async_trait]
pub trait Retriever: Send + Sync {
    /// The passages that fit a query. A base with changed files is indexed first; dropping the future stops that.
    /// Faults are `knowledge.*`.
    async fn retrieve(&self, request: RetrievalRequest) -> Result<Retrieval, Fault>;
}

/// A host without knowledge bases.
pub struct NoRetriever;

#[async_trait]
impl Retriever for NoRetriever {
    async fn retrieve(&self, request: RetrievalRequest) -> Result<Retrieval, Fault> {
        match request.bases.first() {
            None => {
                Ok(Retrieval { query: request.query, max_tokens: request.max_tokens, ..Retrieval::default() })
            }
            Some(KnowledgeRef::Base(name) | KnowledgeRef::Folder(name)) => Err(Fault::new(
                codes::KNOWLEDGE_UNKNOWN,
                format!("There is no knowledge base `{name}` here."),
            )),
        }
    }
}

#[cfg(test)]
mod tests;
