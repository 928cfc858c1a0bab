//! Reads PDF and HTML. They come from anywhere, and the libraries that read them can panic, loop and overflow the stack, so this
//! belongs into a [worker](crate::workers).

use plait_core::error::Fault;
use plait_core::text_file;
use serde::{Deserialize, Serialize};

use crate::codes;

/// A kind of document that a worker reads.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum DocumentKind {
    Html,
    Pdf,
}

/// The text of a document. For a worker: it may panic, loop and use memory without bound.
pub fn read_document(kind: DocumentKind, bytes: &[u8]) -> Result<String, Fault> {
    match kind {
        DocumentKind::Html => {
            let decoded = text_file::decode(bytes);
            let html = decoded.map_or_else(|| String::from_utf8_lossy(bytes), |decoded| decoded.text);
            let converter = htmd::HtmlToMarkdown::builder()
                .skip_tags(vec!["head", "script", "style", "noscript", "template", "svg", "iframe"])
                .build();
            converter.convert(&html).map_err(|error| bad_file(&format!("its HTML cannot be read: {error}")))
        }
        DocumentKind::Pdf => read_pdf(bytes),
    }
}

fn read_pdf(bytes: &[u8]) -> Result<String, Fault> {
    // What the reader says of an encrypted file depends on where it fails.
    let is_encrypted = memchr::memmem::find(bytes, b"/Encrypt").is_some();
    let unreadable = |why| bad_file(if is_encrypted { "the PDF is encrypted" } else { why });
    let pages = std::panic::catch_unwind(|| pdf_extract::extract_text_from_mem_by_pages(bytes));
    let Ok(Ok(pages)) = pages else { return Err(unreadable("the PDF is broken")) };
    let pages = pages.iter().map(|page| page.trim()).filter(|page| !page.is_empty());
    let text = pages.collect::<Vec<_>>().join("\n\n");
    if text.is_empty() { Err(unreadable("the PDF has no text, only images")) } else { Ok(text) }
}

/// The fault of a file that cannot be read. The caller says which file it is.
pub(crate) fn bad_file(why: &str) -> Fault {
    Fault::new(codes::KNOWLEDGE_BAD_FILE, format!("It is not indexed: {why}."))
}
