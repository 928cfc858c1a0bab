//! All knowledge bases of a data directory: adding, removing, indexing and searching them.

mod search;
mod targets;
mod updates;

use std::collections::HashMap;
use std::fs;
use std::io;
use std::path::PathBuf;
use std::sync::Arc;

use parking_lot::Mutex;
use plait_core::error::Fault;
use serde::{Deserialize, Serialize};
use ts_rs::TS;

use super::base::{Base, BaseStatus};
use super::definition::{self, BaseDefinition};
use super::embeddings::Embedder;
use super::files::Roots;
use super::index::fault;
use crate::codes;
use crate::project_files::FileAccess;
use crate::redaction::Redaction;
use crate::workers::WorkerPool;

/// What knowledge bases need.
pub struct KnowledgeOptions {
    /// The data directory.
    pub home: PathBuf,
    /// Which folders may be read.
    pub access: FileAccess,
    /// Removes secrets from documents, queries and results.
    pub redaction: Arc<Redaction>,
    /// Worker processes that read PDF and HTML. Without them, such files are read in this process, which they can end.
    pub workers: Option<WorkerPool>,
    pub embedder: Arc<dyn Embedder>,
    /// Whether indexes are only searched, because another process writes the data directory.
    pub read_only: bool,
}

/// The knowledge bases of a data directory. Clones share them. Needs a tokio runtime.
#[derive(Clone)]
pub struct KnowledgeBases(Arc<Shared>);

struct Shared {
    options: KnowledgeOptions,
    /// The bases in use, by their folder.
    open: Mutex<HashMap<PathBuf, Arc<Base>>>,
}

/// A part of the text of a document.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct SourceText {
    /// The file.
    pub path: String,
    /// The text, without secrets.
    pub text: String,
    /// Where it begins in the whole text, in bytes.
    #[ts(type = "number")]
    pub offset: u64,
    /// The line on which it begins, from 1.
    #[ts(type = "number")]
    pub line: u64,
}

impl KnowledgeBases {
    /// Opens nothing yet.
    pub fn new(options: KnowledgeOptions) -> Self {
        Self(Arc::new(Shared { options, open: Mutex::default() }))
    }

    /// The names of all bases, sorted. Blocks.
    pub fn names(&self) -> Vec<String> {
        definition::names(&self.0.options.home)
    }

    /// All bases, by name. Blocks.
    pub fn list(&self) -> Vec<BaseStatus> {
        self.names()
            .iter()
            .map(|name| self.status(name).unwrap_or_else(|fault| broken(name, fault)))
            .collect()
    }

    /// One base. Blocks. Faults `knowledge.unknown`, `knowledge.damaged`.
    pub fn status(&self, name: &str) -> Result<BaseStatus, Fault> {
        let definition = definition::read(&self.0.options.home, name)?;
        Ok(self.base_of(&definition)?.status(definition))
    }

    /// Adds a base. It is indexed by its first search, or by [`reindex`](Self::reindex). Blocks. Faults `knowledge.name`,
    /// `knowledge.exists`, `knowledge.no_folder`, `knowledge.unsafe_folder`, `knowledge.index`.
    pub fn add(&self, mut definition: BaseDefinition) -> Result<BaseStatus, Fault> {
        self.check_writable()?;
        definition.name = definition.name.trim().to_owned();
        definition.check()?;
        let home = &self.0.options.home;
        if definition::names(home).iter().any(|name| name.to_lowercase() == definition.name.to_lowercase()) {
            let message = format!("There is already a knowledge base `{}`.", definition.name);
            return Err(Fault::new(codes::KNOWLEDGE_EXISTS, message)
                .hint("Choose another name, or remove the other one first."));
        }
        Roots::open(&self.0.options.access, &definition.paths)?;
        definition::write(home, &definition)?;
        self.status(&definition.name)
    }

    /// Removes a base and its index, never its files. Faults `knowledge.unknown`, `knowledge.index`.
    pub async fn remove(&self, name: &str) -> Result<(), Fault> {
        self.check_writable()?;
        let home = &self.0.options.home;
        let folder = definition::folder_of(home, name)?;
        if !definition::names(home).iter().any(|known| known == name) {
            return Err(definition::unknown(name));
        }
        let base = self.0.open.lock().remove(&folder);
        let guard = match &base {
            Some(base) => {
                base.cancel();
                Some(Arc::clone(&base.update_lock).lock_owned().await)
            }
            None => None,
        };
        run_blocking(move || {
            if let Some(base) = base {
                base.close();
            }
            let removed = fs::remove_dir_all(&folder);
            drop(guard);
            match removed {
                Err(error) if error.kind() != io::ErrorKind::NotFound => {
                    Err(fault("remove the index", &error))
                }
                _ => Ok(()),
            }
        })
        .await
    }

    /// Stops the indexing of a base, if it is being indexed. Fault `knowledge.unknown`.
    pub fn cancel(&self, name: &str) -> Result<(), Fault> {
        let folder = definition::folder_of(&self.0.options.home, name)?;
        if let Some(base) = self.0.open.lock().get(&folder) {
            base.cancel();
        }
        Ok(())
    }
}

impl KnowledgeBases {
    /// Fault `store.locked`.
    fn check_writable(&self) -> Result<(), Fault> {
        if !self.0.options.read_only {
            return Ok(());
        }
        Err(Fault::new(codes::STORE_LOCKED, "The data directory is open for reading only.")
            .hint("Close the other window or command of Plait first."))
    }
}

/// Runs blocking work on a thread of its own.
async fn run_blocking<T: Send + 'static>(
    work: impl FnOnce() -> Result<T, Fault> + Send + 'static,
) -> Result<T, Fault> {
    tokio::task::spawn_blocking(work).await.unwrap_or_else(|error| Err(fault("use the index", &error)))
}

/// The status of a base with an unreadable definition.
fn broken(name: &str, fault: Fault) -> BaseStatus {
    BaseStatus {
        definition: BaseDefinition { name: name.to_owned(), ..BaseDefinition::default() },
        state: super::base::BaseState::Failed,
        files: 0,
        chunks: 0,
        embedded: 0,
        skipped: Vec::new(),
        skipped_count: 0,
        progress: None,
        fault: Some(fault),
    }
}

#[cfg(test)]
mod tests;
