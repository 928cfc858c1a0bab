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
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn known_counts() {
        assert_eq!(count("gpt-4o", "hello world"), 2);
        assert_eq!(count("gpt-4", "tiktoken is great!"), 6);
        assert_eq!(count("openai/gpt-4o", ""), 0);
    }

    #[test]
    fn special_tokens_are_ordinary_text() {
        assert!(count("gpt-4o", "<|endoftext|>") > 1);
    }

    #[test]
    fn very_long_runs_are_counted_without_a_crash() {
        assert!(count("gpt-4o", &" ".repeat(1_000_000)) > 0);
        assert!(count("gpt-4o", &"a".repeat(300_000)) > 1_000);
        assert!(count("gpt-4", &"é".repeat(150_000)) > 1_000);
    }

    #[test]
    fn kept_counts_are_the_same_counts() {
        for _ in 0..2 {
            assert_eq!(count_kept("gpt-4o", "You are brief."), count("gpt-4o", "You are brief."));
            assert_eq!(count_kept("gpt-4", "Vous êtes bref."), count("gpt-4", "Vous êtes bref."));
        }
    }

    #[test]
    fn a_message_counts_its_text_its_calls_and_its_frame() {
        let call = ToolCall {
            id: "1".into(),
            name: "calculator".into(),
            arguments: json!({ "expression": "1 + 1" }),
        };
        assert_eq!(message("gpt-4o", &"hello world".into()), 2 + 4);
        assert!(calls("gpt-4o", &[call]) > 4);
    }

    #[test]
    fn every_part_of_a_message_counts() {
        let text = |text: &str| Part::Text { text: text.to_owned() };
        // One white pixel.
        let data =
            "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAQAAAC1HAwCAAAAC0lEQVR42mP8/x8AAwMCAO+ip1sAAAAASUVORK5CYII=";
        let image = || Part::Image { media_type: "image/png".to_owned(), data: data.to_owned() };
        let parts = Content::Parts(vec![text("hello world"), image(), image(), text("hello world")]);
        assert_eq!(message("gpt-4o", &parts), 4 + 2 + 255 + 255 + 2);
        assert_eq!(message("gpt-4o", &Content::Parts(Vec::new())), 4);
    }
}
