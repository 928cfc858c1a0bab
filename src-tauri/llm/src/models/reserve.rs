//! Part of step 1: how much of the window is reserved: the room for the reply, and the margin for counts that are too low.

/// The largest reserve for a reply without a maximum length, in tokens.
const MAX_DEFAULT_RESERVE: u64 = 16_384;
/// The margin: the share of the window that is reserved in addition, one token in this many. Counts are estimates for providers that
/// publish no tokenizer.
const MARGIN_DIVISOR: u64 = 64;

/// The room for the reply, which is `max_tokens`, or by default a quarter of the window, at most 16,384; and the margin, a 64th of
/// the window.
pub fn reserve(window: u64, max_tokens: Option<u32>) -> u64 {
    max_tokens.map_or(MAX_DEFAULT_RESERVE.min(window / 4), u64::from) + window / MARGIN_DIVISOR
}

#[cfg(test)]
mod tests;
