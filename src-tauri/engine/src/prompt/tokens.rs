//! Counting tokens. Each message is counted once, when it is made: text, images, tool calls, and reasoning where it is
//! sent back. What counts come to for models without a public tokenizer is corrected elsewhere (`models::Correction`).

mod image;

use std::hash::BuildHasher;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{LazyLock, Mutex, PoisonError};

use rustc_hash::{FxBuildHasher, FxHashMap};
use tiktoken_rs::CoreBPE;

use crate::context::{Content, Part, ToolCall};

/// The tokenizer of a model: `cl100k_base` for the GPT-3.5 and GPT-4 families, `o200k_base` for everything else
/// (exact for newer OpenAI models, an estimate for other vendors, who publish no tokenizer).
fn tokenizer(model: &str) -> &'static CoreBPE {
    if is_older(model) { tiktoken_rs::cl100k_base_singleton() } else { tiktoken_rs::o200k_base_singleton() }
}

fn is_older(model: &str) -> bool {
    let name = model.rsplit('/').next().unwrap_or(model);
    ["gpt-3.5", "gpt-4-", "text-embedding-"].iter().any(|prefix| name.starts_with(prefix)) || name == "gpt-4"
}

/// Text is counted in pieces of this many bytes: the tokenizer's regular expression overflows the stack on about a
/// million spaces in a row.
const PIECE: usize = 100_000;

/// How many tokens `text` takes for `model`. Special tokens in it count as ordinary text.
pub fn count(model: &str, text: &str) -> u64 {
    let tokenizer = tokenizer(model);
    let mut rest = text;
    let mut total = 0;
    while !rest.is_empty() {
        let cut = rest.floor_char_boundary(PIECE);
        let (piece, after) = rest.split_at(cut);
        total += count_piece(tokenizer, piece);
        rest = after;
    }
    total
}

fn count_piece(tokenizer: &CoreBPE, piece: &str) -> u64 {
    // The tokenizer panics where its regular expression gives up on a text. About four bytes are a token.
    let counted = catch_unwind(AssertUnwindSafe(|| tokenizer.encode_ordinary(piece).len()));
    counted.unwrap_or(piece.len() / 4 + 1) as u64
}

/// Texts that come with every call (instructions, tool schemas), counted before.
static KEPT: LazyLock<Mutex<FxHashMap<(bool, u64), u64>>> = LazyLock::new(Mutex::default);
/// At most so many are kept; then all are forgotten.
const MOST_KEPT: usize = 4096;

/// The same as [`count`], for a text that is likely to be counted again: what it comes to is kept.
pub fn count_kept(model: &str, text: &str) -> u64 {
    let key = (is_older(model), FxBuildHasher.hash_one(text));
    let kept = || KEPT.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(&counted) = kept().get(&key) {
        return counted;
    }
    let counted = count(model, text);
    let mut kept = kept();
    if kept.len() >= MOST_KEPT {
        kept.clear();
    }
    kept.insert(key, counted);
    counted
}

/// What a message takes beside its text: role and separators (OpenAI's published chat format: 3 a message, plus the role).
pub const PER_MESSAGE: u64 = 4;

/// What a message takes: its content and the frame around it.
pub fn message(model: &str, content: &Content) -> u32 {
    let inside = match content {
        Content::Text(text) => count(model, text),
        Content::Parts(parts) => parts
            .iter()
            .map(|part| match part {
                Part::Text { text } => count(model, text),
                Part::Image { data, .. } => image::count(model, data),
            })
            .fold(0, u64::saturating_add),
    };
    u32::try_from(PER_MESSAGE + inside).unwrap_or(u32::MAX)
}

/// What a text takes that goes with a message: the reasoning behind it, where the provider wants that back.
pub fn text(model: &str, text: &str) -> u32 {
    u32::try_from(count(model, text)).unwrap_or(u32::MAX)
}

/// What the tool calls of a message take beside its text.
pub fn calls(model: &str, calls: &[ToolCall]) -> u32 {
    let each = calls
        .iter()
        .map(|call| PER_MESSAGE + count(model, &call.name) + count(model, &call.arguments.to_string()));
    u32::try_from(each.sum::<u64>()).unwrap_or(u32::MAX)
}

#[cfg(test)]
mod tests;
