//! The tokens of an attachment: an estimate by the rule that the vendor of the model documents.
//!
//! - Anthropic, "PDF support": each page is sent as its text, 1,500 to 3,000 tokens, and as an image. The cautious end is used.
//! - OpenAI, "File inputs": each page is sent as its text and as an image; no figures are published, so Anthropic's for the text.
//! - Google, "Document understanding": a page is 258 tokens; 560 for Gemini 3 at its default resolution.
//!
//! A PDF without countable pages is assumed to have one page for each 50,000 bytes.

use super::image;
use plait_core::attachment::{Attachment, AttachmentKind};

/// The most tokens of the text of a page, as Anthropic says.
const TEXT_TOKENS_PER_PAGE: u64 = 3_000;
/// An assumption: between a page of text, which takes a few thousand bytes, and a scan, which takes some hundred thousand.
const BYTES_PER_PAGE: u64 = 50_000;

pub(super) fn count_attachment(model: &str, attachment: &Attachment) -> u64 {
    match attachment.kind() {
        AttachmentKind::Image => image::count(model, size(attachment)),
        AttachmentKind::Pdf => pages(attachment).saturating_mul(tokens_per_page(model)),
        // Sent as text, and counted as that; this is only for one that is not read yet.
        AttachmentKind::Text => attachment.bytes.div_ceil(4),
    }
}

/// Width and height in pixels, at least 1.
fn size(attachment: &Attachment) -> Option<(u64, u64)> {
    let side = |pixels: Option<u32>| pixels.map(|pixels| u64::from(pixels).max(1));
    side(attachment.width).zip(side(attachment.height))
}

fn pages(attachment: &Attachment) -> u64 {
    attachment.pages.map_or_else(|| attachment.bytes.div_ceil(BYTES_PER_PAGE).max(1), u64::from)
}

fn tokens_per_page(model: &str) -> u64 {
    let model = model.to_lowercase();
    let name = model.rsplit('/').next().unwrap_or(&model);
    match name {
        name if name.starts_with("gemini-3") => 560,
        name if name.starts_with("gemini") => 258,
        _ => TEXT_TOKENS_PER_PAGE + image::count(model.as_str(), None),
    }
}

#[cfg(test)]
mod tests;
