//! Knowledge bases: folders and files of a person, or a folder beside a flow, indexed on disk and searched.
//!
//! ```text
//! DATA/knowledge/NAME/base.json      what a base consists of; the only file here that nothing can rebuild
//! DATA/knowledge/NAME/index/         the index: passages and files
//! DATA/knowledge/NAME/vectors-*.bin  embeddings by the hash of their text, per provider and model
//! DATA/knowledge/.flows/HASH/        the index of a folder beside a flow
//! ```
//!
//! Owns which files belong to a base, how their text is split, indexed and ranked, and that no secret enters. Refuses to know
//! flows and prompts. Files are opened through [`FileAccess`](crate::FileAccess), which nothing leads out of.

mod base;
mod chunking;
mod definition;
mod document;
mod embeddings;
mod files;
mod index;
mod private_directory;
mod query;
mod ranking;
mod service;
mod tokenizer;
mod update;
mod vectors;

pub use base::{BaseState, BaseStatus, SkippedFile};
pub use chunking::split_file;
pub use definition::{BaseDefinition, EmbeddingModel, names as base_names};
pub use embeddings::Embedder;
pub(crate) use query::is_function_word;
pub use service::{KnowledgeBases, KnowledgeOptions, SourceText};
pub(crate) use tokenizer::analyzer;
