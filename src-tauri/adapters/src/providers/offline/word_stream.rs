//! Streams text word by word at a given speed, up to a number of tokens.

use std::time::Duration;

use plait_llm::provider::{Chunk, ChunkSink};
use plait_llm::tokens;

/// One reply being sent.
pub(super) struct WordStream<'a> {
    model: &'a str,
    per_token: Option<Duration>,
    remaining: u64,
    sent: u64,
}

impl<'a> WordStream<'a> {
    /// `tokens_per_second` is 0 for no delay at all.
    pub(super) fn new(model: &'a str, tokens_per_second: f64, max_tokens: Option<u32>) -> Self {
        // Checked to be finite and not negative. A delay that does not fit becomes the longest one.
        let per_token = (tokens_per_second > 0.0)
            .then(|| Duration::try_from_secs_f64(tokens_per_second.recip()).unwrap_or(Duration::MAX));
        Self { model, per_token, remaining: max_tokens.map_or(u64::MAX, u64::from), sent: 0 }
    }

    /// Streams as much of `text` as the tokens allow and returns that part.
    pub(super) async fn send<'t>(
        &mut self,
        text: &'t str,
        chunk: fn(String) -> Chunk,
        sink: &mut ChunkSink<'_>,
    ) -> &'t str {
        let mut sent_bytes = 0;
        for word in words(text) {
            let count = tokens::count(self.model, word);
            if count > self.remaining {
                break;
            }
            if let Some(delay) = self.per_token {
                tokio::time::sleep(delay.saturating_mul(u32::try_from(count).unwrap_or(u32::MAX))).await;
            }
            self.remaining -= count;
            self.sent += count;
            sent_bytes += word.len();
            sink(chunk(word.to_owned()));
        }
        &text[..sent_bytes]
    }

    /// How many tokens were sent.
    pub(super) fn tokens(&self) -> u64 {
        self.sent
    }
}

/// The words of a text, each with the whitespace before it, like tokens. Together they are the text.
fn words(text: &str) -> impl Iterator<Item = &str> {
    let mut rest = text;
    std::iter::from_fn(move || {
        let start = rest.find(|letter: char| !letter.is_whitespace()).unwrap_or(rest.len());
        let end = rest[start..].find(char::is_whitespace).map_or(rest.len(), |length| start + length);
        let (word, after) = rest.split_at(end);
        rest = after;
        (!word.is_empty()).then_some(word)
    })
}

#[cfg(test)]
mod tests;
