//! Reads the text of a document: its kind by its name, and its bytes as text.
//!
//! PDF and HTML come from anywhere, and the libraries that read them can panic, loop or overflow the stack. They are
//! read in a worker process.

use std::path::Path;

use plait_core::error::Fault;
use plait_core::text_file;

use crate::documents::{DocumentKind, bad_file, read_document};
use crate::workers::{Job, WorkerPool};

/// Larger text files are data.
pub(super) const MAX_TEXT_BYTES: u64 = 16 << 20;
/// Larger documents do not fit the memory of a worker.
pub(super) const MAX_DOCUMENT_BYTES: u64 = 64 << 20;
/// The most text of one document. More is cut off.
const MAX_EXTRACTED_BYTES: usize = 16 << 20;
/// Larger files of code are generated, and are split like text.
const MAX_CODE_BYTES: usize = 1 << 20;
/// A binary file shows in its first bytes.
pub(super) const SNIFFED_BYTES: u64 = 8 << 10;

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Document {
    pub(super) text: String,
    pub(super) structure: Structure,
}

/// The way in which a text is split.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Structure {
    Text,
    Markdown,
    Code(CodeLanguage),
}

/// A language with a grammar.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum CodeLanguage {
    Go,
    JavaScript,
    Python,
    Rust,
    Tsx,
    TypeScript,
}

/// The kind of a file, by its name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum FileKind {
    Plain(Structure),
    Document(DocumentKind),
}

fn kind_of(path: &Path) -> FileKind {
    let extension = path.extension().and_then(|extension| extension.to_str()).unwrap_or_default();
    let code = |language| FileKind::Plain(Structure::Code(language));
    match extension.to_ascii_lowercase().as_str() {
        "md" | "markdown" | "mdx" => FileKind::Plain(Structure::Markdown),
        "html" | "htm" | "xhtml" => FileKind::Document(DocumentKind::Html),
        "pdf" => FileKind::Document(DocumentKind::Pdf),
        "go" => code(CodeLanguage::Go),
        "js" | "mjs" | "cjs" | "jsx" => code(CodeLanguage::JavaScript),
        "py" | "pyi" => code(CodeLanguage::Python),
        "rs" => code(CodeLanguage::Rust),
        "tsx" => code(CodeLanguage::Tsx),
        "ts" | "mts" | "cts" => code(CodeLanguage::TypeScript),
        _ => FileKind::Plain(Structure::Text),
    }
}

/// The most bytes that a file of this name may have.
pub(super) fn max_bytes(path: &Path) -> u64 {
    match kind_of(path) {
        FileKind::Document(DocumentKind::Pdf) => MAX_DOCUMENT_BYTES,
        _ => MAX_TEXT_BYTES,
    }
}

/// Refuses a binary file by its first bytes, before all of it is read.
pub(super) fn check_beginning(path: &Path, bytes: &[u8]) -> Result<(), Fault> {
    let is_plain = matches!(kind_of(path), FileKind::Plain(_));
    if is_plain && memchr::memchr(0, bytes).is_some() && !text_file::is_utf16(bytes) {
        return Err(bad_file("it is a binary file"));
    }
    Ok(())
}

/// The text of a file of this name with these bytes. Blocks. Fault `knowledge.bad_file`.
pub(super) fn read(path: &Path, bytes: &[u8], workers: Option<&Workers>) -> Result<Document, Fault> {
    match kind_of(path) {
        FileKind::Plain(structure) => {
            let text = decode(bytes)?;
            let is_large = text.len() > MAX_CODE_BYTES && matches!(structure, Structure::Code(_));
            Ok(Document { text, structure: if is_large { Structure::Text } else { structure } })
        }
        FileKind::Document(kind) => {
            let mut text = match workers {
                Some(workers) => workers.read(kind, bytes)?,
                None => read_document(kind, bytes)?,
            };
            text.truncate(text.floor_char_boundary(MAX_EXTRACTED_BYTES));
            let structure = match kind {
                DocumentKind::Html => Structure::Markdown,
                DocumentKind::Pdf => Structure::Text,
            };
            Ok(Document { text, structure })
        }
    }
}

/// Worker processes that read documents, and the runtime they need.
#[derive(Clone)]
pub(super) struct Workers {
    pub(super) pool: WorkerPool,
    pub(super) runtime: tokio::runtime::Handle,
}

impl Workers {
    fn read(&self, kind: DocumentKind, bytes: &[u8]) -> Result<String, Fault> {
        let job = Job::read_document(kind, bytes);
        let text = self.runtime.block_on(self.pool.execute(&job))?;
        match text {
            serde_json::Value::String(text) => Ok(text),
            _ => Err(bad_file("the worker sent no text")),
        }
    }
}

/// The text of a plain file.
fn decode(bytes: &[u8]) -> Result<String, Fault> {
    let decoded = text_file::decode(bytes).ok_or_else(|| bad_file("it is no text"))?;
    Ok(decoded.text.into_owned())
}

#[cfg(test)]
mod tests;
