//! Within step 1: how much of the window is kept free for the reply.

/// The most that is kept for a reply whose length nobody set.
const MOST: u64 = 16_384;
/// One token in so many is kept on top: counts for vendors who publish no tokenizer are estimates.
const MARGIN: u64 = 64;

/// `max_tokens`, else the lesser of 16,384 and a quarter of the window; and a margin of a 64th of the window.
pub fn reserve(window: u64, max_tokens: Option<u32>) -> u64 {
    max_tokens.map_or(MOST.min(window / 4), u64::from) + window / MARGIN
}

#[cfg(test)]
mod tests;
