//! Attachments: images and files that a message carries beside its text.
//!
//! A message, a value on an edge and a journal hold a reference: what the file is, and the hash of its bytes. The bytes are stored
//! once, in an [`AttachmentStore`], and read when a request is sent. So a journal does not grow with a file that passes through many
//! nodes. Owns what can be attached and how a value refers to it; does not know where bytes are stored.

mod inspect;
mod pdf_pages;
mod value;

use std::borrow::Cow;
use std::sync::Arc;

use async_trait::async_trait;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use ts_rs::TS;

use crate::codes;
use crate::error::Fault;
use crate::id::AttachmentHash;
use crate::text_file;

pub use inspect::{MAX_ATTACHMENT_BYTES, MAX_TEXT_BYTES, check_file_size, inspect};
pub use value::{
    MAX_ATTACHMENTS, TAKES_ATTACHMENTS, attachments_of, origins_of_attachments, takes_attachments, to_value,
    to_values,
};

pub const PDF: &str = "application/pdf";
/// The media type of a text file in any language.
pub const TEXT: &str = "text/plain";

/// What an attachment is to a model.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AttachmentKind {
    Image,
    Pdf,
    Text,
}

impl std::fmt::Display for AttachmentKind {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::Image => "image",
            Self::Pdf => "PDF",
            Self::Text => "text file",
        })
    }
}

/// A reference to an image or a file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema, TS)]
#[serde(rename_all = "camelCase")]
pub struct Attachment {
    /// The SHA-256 of its bytes, under which they are stored.
    pub hash: AttachmentHash,
    /// Its media type, found in its bytes: `image/png`, `image/jpeg`, `image/gif`, `image/webp`, `application/pdf` or `text/plain`.
    pub media_type: String,
    /// The name of the file, without its folder. A model sees it where its protocol has a place for it.
    pub name: String,
    /// Its size.
    #[ts(type = "number")]
    pub bytes: u64,
    /// The width of an image in pixels, if it can be read.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub width: Option<u32>,
    /// The height of an image in pixels, if it can be read.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub height: Option<u32>,
    /// The pages of a PDF, if they can be counted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub pages: Option<u32>,
    /// The bytes, while a request is sent or a reply is received. Never journaled.
    #[serde(skip)]
    #[schemars(skip)]
    #[ts(skip)]
    pub data: Option<Arc<[u8]>>,
}

impl Attachment {
    /// Its kind for a model.
    pub fn kind(&self) -> AttachmentKind {
        match self.media_type.as_str() {
            PDF => AttachmentKind::Pdf,
            TEXT => AttachmentKind::Text,
            _ => AttachmentKind::Image,
        }
    }

    /// Its bytes in base64. Without its bytes, a text that says which ones belong here: requests that are only shown or hashed have
    /// it, and equal files give equal texts.
    pub fn base64(&self) -> String {
        match &self.data {
            Some(data) => STANDARD.encode(data),
            None => format!("<base64 of {}: {} bytes, SHA-256 {}>", self.name, self.bytes, self.hash),
        }
    }

    /// The same as a URL of the scheme `data`.
    pub fn data_url(&self) -> String {
        format!("data:{};base64,{}", self.media_type, self.base64())
    }

    /// The text in its place where it can't be shown.
    pub fn label(&self) -> String {
        format!("[{}: {}, {} bytes]", self.kind(), self.name, self.bytes)
    }

    /// The encoding of a text file, if it is not UTF-8. None without its bytes.
    pub fn foreign_encoding(&self) -> Option<&'static str> {
        let data = self.data.as_ref().filter(|_| self.kind() == AttachmentKind::Text)?;
        text_file::decode(data)?.foreign_encoding()
    }

    /// A text file as a part of the message, between two lines that name it. None without its bytes or if it is no text file.
    pub fn text_block(&self) -> Option<String> {
        let data = self.data.as_ref().filter(|_| self.kind() == AttachmentKind::Text)?;
        let text = text_file::decode(data)?.text;
        let line = boundary(&text);
        Some(format!(
            "{line} Begin of file {}\n{}\n{line} End of file {}",
            self.name,
            text.trim_end(),
            self.name
        ))
    }
}

/// Dashes that begin no line of the file, so that the file can't end its block itself.
fn boundary(text: &str) -> Cow<'static, str> {
    let longest = text.lines().map(|line| line.bytes().take_while(|byte| *byte == b'-').count()).max();
    match longest {
        Some(longest) if longest >= BOUNDARY.len() => Cow::Owned("-".repeat(longest + 1)),
        _ => Cow::Borrowed(BOUNDARY),
    }
}

const BOUNDARY: &str = "-----";

/// Stores the bytes of attachments, by their hash.
#[async_trait]
pub trait AttachmentStore: Send + Sync {
    /// Stores the bytes. On disk when this returns. Faults `store.*`.
    async fn put(&self, hash: &AttachmentHash, bytes: Arc<[u8]>) -> Result<(), Fault>;

    /// The bytes. Fault `attachment.missing` if they are not stored or do not match the hash.
    async fn get(&self, hash: &AttachmentHash) -> Result<Arc<[u8]>, Fault>;
}

/// A store that has nothing and takes nothing.
pub struct NoAttachmentStore;

impl NoAttachmentStore {
    pub fn shared() -> Arc<dyn AttachmentStore> {
        Arc::new(Self)
    }
}

#[async_trait]
impl AttachmentStore for NoAttachmentStore {
    async fn put(&self, _hash: &AttachmentHash, _bytes: Arc<[u8]>) -> Result<(), Fault> {
        Ok(())
    }

    async fn get(&self, hash: &AttachmentHash) -> Result<Arc<[u8]>, Fault> {
        Err(missing(hash))
    }
}

/// The fault of bytes that are not there.
pub fn missing(hash: &AttachmentHash) -> Fault {
    Fault::new(
        codes::ATTACHMENT_MISSING,
        format!("The bytes of the attachment `{hash}` are not stored here."),
    )
    .hint("Attach the file again and run the flow again.")
}

#[cfg(test)]
mod tests;
