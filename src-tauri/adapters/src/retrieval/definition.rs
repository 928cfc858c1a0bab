//! The definition of a knowledge base: its name, its folders and files, and whether its passages are embedded. Kept in
//! one small file for each base.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use plait_core::error::Fault;
use serde::{Deserialize, Serialize};
use ts_rs::TS;

use crate::codes;
use plait_store::{atomic_file, private_files};

/// The folder of all bases in the data directory.
pub(super) const KNOWLEDGE_FOLDER: &str = "knowledge";
/// The folder of the indexes of folders beside flows.
pub(super) const FLOWS_FOLDER: &str = ".flows";
const DEFINITION_FILE: &str = "base.json";
const MAX_NAME_CHARS: usize = 64;
/// More folders are a mistake.
const MAX_PATHS: usize = 100;

/// A knowledge base of the person.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct BaseDefinition {
    /// Its name, by which flows refer to it.
    pub name: String,
    /// Its folders and files, absolute.
    pub paths: Vec<String>,
    /// The model that embeds its passages, if one does. Their text is sent to its provider.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub embeddings: Option<EmbeddingModel>,
}

/// A model that computes embeddings.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct EmbeddingModel {
    /// The provider: one with an OpenAI-compatible `/embeddings`.
    pub provider: String,
    pub model: String,
}

impl BaseDefinition {
    /// Checks a definition that a person entered. Faults `knowledge.name`, `knowledge.no_folder`.
    pub(super) fn check(&self) -> Result<(), Fault> {
        check_name(&self.name)?;
        let no_folder = |message: String| Err(Fault::new(codes::KNOWLEDGE_NO_FOLDER, message));
        if self.paths.is_empty() {
            return no_folder("A knowledge base needs a folder or a file.".to_owned());
        }
        if self.paths.len() > MAX_PATHS {
            return no_folder(format!("A knowledge base has {MAX_PATHS} folders and files at most."));
        }
        match self.paths.iter().find(|path| !Path::new(path).is_absolute()) {
            Some(relative) => no_folder(format!("`{relative}` is no absolute path.")),
            None => Ok(()),
        }
    }
}

/// A name becomes the name of a folder.
fn check_name(name: &str) -> Result<(), Fault> {
    let is_allowed = |char: char| char.is_alphanumeric() || " -_.".contains(char);
    let is_valid = !name.is_empty()
        && name.chars().count() <= MAX_NAME_CHARS
        && name.trim() == name
        && !name.starts_with('.')
        && !name.ends_with('.')
        && name.chars().all(is_allowed);
    if is_valid {
        return Ok(());
    }
    let shown: String = name.chars().take(MAX_NAME_CHARS).collect();
    Err(Fault::new(codes::KNOWLEDGE_NAME, format!("`{shown}` is no name for a knowledge base."))
        .hint("Use letters, digits, spaces, `-`, `_` and `.`, 64 characters at most."))
}

/// The folder of a base. Fault `knowledge.unknown` for an invalid name.
pub(super) fn folder_of(home: &Path, name: &str) -> Result<PathBuf, Fault> {
    check_name(name).map_err(|_| unknown(name))?;
    Ok(home.join(KNOWLEDGE_FOLDER).join(name))
}

/// Writes a definition. Faults `knowledge.index`.
pub(super) fn write(home: &Path, definition: &BaseDefinition) -> Result<(), Fault> {
    let folder = folder_of(home, &definition.name)?;
    let text = serde_json::to_vec_pretty(definition).map_err(io::Error::from);
    text.and_then(|text| {
        private_files::create_folder(&folder)?;
        atomic_file::replace_private(&folder.join(DEFINITION_FILE), &text)
    })
    .map_err(|error| {
        Fault::new(codes::KNOWLEDGE_INDEX, format!("The knowledge base could not be saved: {error}."))
    })
}

/// The definition of a base. Faults `knowledge.unknown`, `knowledge.damaged`.
pub(super) fn read(home: &Path, name: &str) -> Result<BaseDefinition, Fault> {
    let path = folder_of(home, name)?.join(DEFINITION_FILE);
    let damaged = |why: &dyn std::fmt::Display| {
        Fault::new(codes::KNOWLEDGE_DAMAGED, format!("`{}` cannot be read: {why}.", path.display()))
            .hint("Remove the knowledge base and add it again. Its files are not touched.")
    };
    let bytes = match fs::read(&path) {
        Ok(bytes) => bytes,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Err(unknown(name)),
        Err(error) => return Err(damaged(&error)),
    };
    let definition: BaseDefinition = serde_json::from_slice(&bytes).map_err(|error| damaged(&error))?;
    Ok(BaseDefinition { name: name.to_owned(), ..definition })
}

/// The names of the knowledge bases in a data directory, sorted.
pub fn names(home: &Path) -> Vec<String> {
    let Ok(entries) = fs::read_dir(home.join(KNOWLEDGE_FOLDER)) else { return Vec::new() };
    let folders = entries.flatten().filter(|entry| entry.path().join(DEFINITION_FILE).is_file());
    let mut names: Vec<String> = folders.filter_map(|entry| entry.file_name().into_string().ok()).collect();
    names.retain(|name| check_name(name).is_ok());
    names.sort();
    names
}

pub(super) fn unknown(name: &str) -> Fault {
    let shown: String = name.chars().take(MAX_NAME_CHARS).collect();
    Fault::new(codes::KNOWLEDGE_UNKNOWN, format!("There is no knowledge base `{shown}`."))
        .hint("Add it in the Knowledge panel or with `plait knowledge add`, or correct the name.")
}
