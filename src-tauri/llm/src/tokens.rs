//! Counts tokens. Each message is counted once, when it is created: text, images, tool calls, and reasoning if it is sent
//! back. `models::Correction` corrects the counts for models without a public tokenizer.

mod attachment;
mod image;
mod tool_schemas;

use std::hash::BuildHasher;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::LazyLock;

use attachment::count_attachment;
use parking_lot::Mutex;
use rustc_hash::{FxBuildHasher, FxHashMap};
use tiktoken_rs::CoreBPE;
pub use tool_schemas::tool_tokens;

use crate::context::{Content, Part, ToolCall};
use plait_core::attachment::Attachment;

/// The tokenizer of a model: `cl100k_base` for the GPT-3.5 and GPT-4 families, `o200k_base` for everything else
/// (exact for newer OpenAI models, an estimate for other vendors, who publish no tokenizer).
fn tokenizer(model: &str) -> &'static CoreBPE {
    if is_older(model) { tiktoken_rs::cl100k_base_singleton() } else { tiktoken_rs::o200k_base_singleton() }
}

fn is_older(model: &str) -> bool {
    let name = model.rsplit('/').next().unwrap_or(model);
    ["gpt-3.5", "gpt-4-", "text-embedding-"].iter().any(|prefix| name.starts_with(prefix)) || name == "gpt-4"
}

/// Whether a model's texts are counted by the tokenizer that most are: `o200k_base`.
pub fn has_common_tokenizer(model: &str) -> bool {
    !is_older(model)
}

/// Text is counted in chunks: the tokenizer's regular expression overflows the stack on about a million spaces in a row.
const MAX_CHUNK_BYTES: usize = 100_000;

/// The tokens of `text` for `model`. Special tokens in it count as ordinary text.
pub fn count(model: &str, text: &str) -> u64 {
    let tokenizer = tokenizer(model);
    let mut rest = text;
    let mut total = 0;
    while !rest.is_empty() {
        let cut = rest.floor_char_boundary(MAX_CHUNK_BYTES);
        let (chunk, after) = rest.split_at(cut);
        total += count_chunk(tokenizer, chunk);
        rest = after;
    }
    total
}

fn count_chunk(tokenizer: &CoreBPE, chunk: &str) -> u64 {
    // The tokenizer panics if its regular expression gives up on a text. A token has about four bytes.
    let counted = catch_unwind(AssertUnwindSafe(|| tokenizer.encode_ordinary(chunk).len()));
    counted.unwrap_or(chunk.len() / 4 + 1) as u64
}

/// Counts of texts that are part of every call (instructions, tool schemas), by tokenizer and hash.
static COUNT_CACHE: LazyLock<Mutex<FxHashMap<(bool, u64), u64>>> = LazyLock::new(Mutex::default);
/// A full cache is cleared.
const MAX_CACHED_COUNTS: usize = 4096;

/// The same as [`count`], cached: for a text that is likely to be counted again.
pub fn count_cached(model: &str, text: &str) -> u64 {
    let key = (is_older(model), FxBuildHasher.hash_one(text));
    if let Some(&counted) = COUNT_CACHE.lock().get(&key) {
        return counted;
    }
    let counted = count(model, text);
    insert(key, counted);
    counted
}

/// Lets [`count_cached`] know the count of a text.
pub fn remember_count(model: &str, text: &str, counted: u64) {
    insert((is_older(model), FxBuildHasher.hash_one(text)), counted);
}

fn insert(key: (bool, u64), counted: u64) {
    let mut cache = COUNT_CACHE.lock();
    if cache.len() >= MAX_CACHED_COUNTS {
        cache.clear();
    }
    cache.insert(key, counted);
}

/// The length in bytes of a longest beginning of `text` that has at most `max` tokens. Counts a few beginnings of it, and
/// the whole only if that is short.
pub fn longest_prefix(model: &str, text: &str, max: u64) -> usize {
    let (mut fits, mut exceeds) = (0, text.len() + 1);
    // A token of ordinary text has a few bytes; do not count a long text as a whole to keep little of it.
    let mut probe = usize::try_from(max).unwrap_or(usize::MAX).saturating_mul(4).min(text.len());
    while fits + 1 < exceeds {
        let end = text.floor_char_boundary(probe);
        if end <= fits {
            // No boundary between the two.
            let next = text.ceil_char_boundary(fits + 1);
            if next >= exceeds || count(model, &text[..next]) > max {
                return fits;
            }
            fits = next;
        } else if count(model, &text[..end]) <= max {
            fits = end;
        } else {
            exceeds = end;
        }
        probe = if exceeds > text.len() {
            fits.saturating_mul(2).min(text.len())
        } else {
            fits.midpoint(exceeds)
        };
        if fits == text.len() {
            break;
        }
    }
    fits
}

/// The overhead of a message: role and separators (OpenAI's published chat format: 3 per message, plus the role).
pub const TOKENS_PER_MESSAGE: u64 = 4;

/// The tokens of a message with this content, including the overhead.
pub fn count_message(model: &str, content: &Content) -> u32 {
    let inside = match content {
        Content::Text(text) => count(model, text),
        Content::Parts(parts) => parts
            .iter()
            .map(|part| match part {
                Part::Text { text } => count(model, text),
                Part::Attachment(attachment) => count_attachment(model, attachment),
            })
            .fold(0, u64::saturating_add),
    };
    u32::try_from(TOKENS_PER_MESSAGE + inside).unwrap_or(u32::MAX)
}

/// The tokens of these attachments.
pub fn count_attachments<'a>(model: &str, attachments: impl Iterator<Item = &'a Attachment>) -> u64 {
    attachments.map(|attachment| count_attachment(model, attachment)).fold(0, u64::saturating_add)
}

/// [`count`] as a `u32`, saturating.
pub fn count_u32(model: &str, text: &str) -> u32 {
    u32::try_from(count(model, text)).unwrap_or(u32::MAX)
}

/// The tokens of a message's tool calls.
pub fn count_tool_calls(model: &str, calls: &[ToolCall]) -> u32 {
    let each = calls.iter().map(|call| {
        TOKENS_PER_MESSAGE + count(model, &call.name) + count(model, &call.arguments.to_string())
    });
    u32::try_from(each.sum::<u64>()).unwrap_or(u32::MAX)
}

#[cfg(test)]
mod tests;
