//! What a file is, by its bytes: its name may say anything.

use std::sync::Arc;

use super::pdf_pages::count_pages;
use super::{Attachment, PDF, TEXT};
use crate::codes;
use crate::error::Fault;
use crate::hash::content_hash;
use crate::text_file;

/// The largest file that can be attached: Gemini takes requests of at most 20 MB with files in them
/// (<https://ai.google.dev/gemini-api/docs/image-understanding>), Anthropic 32 MB, OpenAI 50 MB.
pub const MAX_ATTACHMENT_BYTES: usize = 20_000_000;

/// The largest text file that can be attached: it becomes a part of the message, and has about 250,000 tokens. That is more than most
/// models take.
pub const MAX_TEXT_BYTES: usize = 1_000_000;

/// The images that can be attached: what OpenAI and Anthropic both take.
const IMAGES: [&str; 4] = ["image/png", "image/jpeg", "image/gif", "image/webp"];

/// The longest name that is kept, in bytes.
const MAX_NAME_BYTES: usize = 200;

/// The reference to a file with this name and these bytes, which it holds. Faults `attachment.empty`, `attachment.too_large`,
/// `attachment.unknown_type`.
pub fn inspect(name: &str, bytes: Arc<[u8]>) -> Result<Attachment, Fault> {
    let name = file_name(name);
    if bytes.is_empty() {
        let message = format!("The file `{name}` is empty.");
        return Err(Fault::new(codes::ATTACHMENT_EMPTY, message).hint("Attach a file that has content."));
    }
    check_file_size(&name, bytes.len() as u64)?;
    let media_type = media_type(&bytes).ok_or_else(|| {
        let message = format!("The file `{name}` is no image, PDF or text that can be attached.");
        Fault::new(codes::ATTACHMENT_UNKNOWN_TYPE, message)
            .hint("Attach a PNG, JPEG, GIF or WebP image, a PDF, or a text file.")
    })?;
    if media_type == TEXT {
        check_size(&name, bytes.len() as u64, MAX_TEXT_BYTES as u64)?;
    }
    let size = IMAGES.contains(&media_type).then(|| imagesize::blob_size(&bytes).ok()).flatten();
    let pixels = |side: usize| u32::try_from(side).ok();
    Ok(Attachment {
        hash: content_hash(&bytes).into(),
        media_type: media_type.to_owned(),
        name,
        bytes: bytes.len() as u64,
        width: size.and_then(|size| pixels(size.width)),
        height: size.and_then(|size| pixels(size.height)),
        pages: if media_type == PDF { count_pages(&bytes) } else { None },
        data: Some(bytes),
    })
}

/// Refuses a file of this size in bytes before it is read. Fault `attachment.too_large`.
pub fn check_file_size(name: &str, bytes: u64) -> Result<(), Fault> {
    check_size(&file_name(name), bytes, MAX_ATTACHMENT_BYTES as u64)
}

fn check_size(name: &str, bytes: u64, max: u64) -> Result<(), Fault> {
    if bytes <= max {
        return Ok(());
    }
    let message = format!("The file `{name}` has {bytes} bytes; at most {max} can be attached.");
    Err(Fault::new(codes::ATTACHMENT_TOO_LARGE, message)
        .hint("Attach a smaller file: scale an image down, or split a document."))
}

/// The name without its folders and control characters. It becomes a part of requests and texts.
fn file_name(name: &str) -> String {
    let name = name.rsplit(['/', '\\']).next().unwrap_or(name);
    let name: String = name.chars().filter(|char| !char.is_control()).collect();
    let name = &name[..name.floor_char_boundary(MAX_NAME_BYTES)];
    if name.trim().is_empty() { "file".to_owned() } else { name.trim().to_owned() }
}

fn media_type(bytes: &[u8]) -> Option<&'static str> {
    let found = infer::get(bytes).map(|found| found.mime_type());
    match found {
        Some(PDF) => Some(PDF),
        Some(image) if IMAGES.contains(&image) => Some(image),
        // Some text formats have a signature, too: HTML, XML, scripts.
        _ => text_file::decode(bytes).is_some().then_some(TEXT),
    }
}
