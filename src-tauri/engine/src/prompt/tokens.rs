//! Counting tokens. Each message is counted once, when it is made.

use tiktoken_rs::CoreBPE;

use crate::context::ToolCall;

/// The tokenizer of a model: `cl100k_base` for the GPT-3.5 and GPT-4 families, `o200k_base` for everything else
/// (exact for newer OpenAI models, an estimate for other vendors, who publish no tokenizer).
fn tokenizer(model: &str) -> &'static CoreBPE {
    let name = model.rsplit('/').next().unwrap_or(model);
    let older = ["gpt-3.5", "gpt-4-", "text-embedding-"].iter().any(|prefix| name.starts_with(prefix))
        || name == "gpt-4";
    if older { tiktoken_rs::cl100k_base_singleton() } else { tiktoken_rs::o200k_base_singleton() }
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
        total += tokenizer.encode_ordinary(piece).len() as u64;
        rest = after;
    }
    total
}

/// What a message takes beside its text: role and separators (OpenAI's published chat format: 3 a message, plus the role).
pub const PER_MESSAGE: u64 = 4;

/// What a message takes: its text, the tool calls it makes, and the frame around them.
pub fn message(model: &str, text: &str, calls: &[ToolCall]) -> u32 {
    let calls = calls.iter().map(|call| PER_MESSAGE + count(model, &call.name) + count(model, &call.arguments.to_string()));
    u32::try_from(PER_MESSAGE + count(model, text) + calls.sum::<u64>()).unwrap_or(u32::MAX)
}
