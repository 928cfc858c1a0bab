//! When the parts of a reply arrived, so that a replay can stream it as it was streamed. A few bytes for each part; the texts are those
//! of the reply.

use std::time::Duration;

use serde::{Deserialize, Serialize};
use ts_rs::TS;

use crate::provider::{Chunk, ModelReply};

/// The most parts of a reply that are kept. Later ones count as one with the last.
const MAX_PARTS: usize = 20_000;

/// The parts of a reply in the order in which they arrived: the milliseconds since the one before, or since the request, and the
/// number of characters; negative for reasoning.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(transparent)]
pub struct StreamPace(Vec<(u32, i32)>);

impl StreamPace {
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The parts of the reply with the time to wait before each. A text that is longer than its parts ends with the rest.
    pub fn parts(&self, reply: &ModelReply) -> Vec<(Duration, Chunk)> {
        let (mut text, mut reasoning) = (&*reply.text, reply.reasoning.as_deref().unwrap_or_default());
        let mut parts = Vec::with_capacity(self.0.len() + 2);
        for (millis, chars) in &self.0 {
            let rest = if *chars < 0 { &mut reasoning } else { &mut text };
            let part = take_chars(rest, chars.unsigned_abs() as usize).to_owned();
            let chunk = if *chars < 0 { Chunk::Reasoning(part) } else { Chunk::Text(part) };
            parts.push((Duration::from_millis(u64::from(*millis)), chunk));
        }
        for chunk in [Chunk::Reasoning(reasoning.to_owned()), Chunk::Text(text.to_owned())] {
            if !chunk.is_empty() {
                parts.push((Duration::ZERO, chunk));
            }
        }
        parts
    }
}

impl Chunk {
    fn is_empty(&self) -> bool {
        let (Self::Text(text) | Self::Reasoning(text)) = self;
        text.is_empty()
    }
}

/// Notes when the parts of one reply arrive.
pub struct PaceRecorder {
    pace: StreamPace,
    /// When the last part arrived, in milliseconds since the Unix epoch.
    last: u64,
}

impl PaceRecorder {
    /// For a request that is sent at this time.
    pub fn new(now_ms: u64) -> Self {
        Self { pace: StreamPace::default(), last: now_ms }
    }

    /// Notes a part that arrived at this time.
    pub fn note(&mut self, chunk: &Chunk, now_ms: u64) {
        let (text, sign) = match chunk {
            Chunk::Text(text) => (text, 1),
            Chunk::Reasoning(text) => (text, -1),
        };
        let chars = i32::try_from(text.chars().count()).unwrap_or(i32::MAX).saturating_mul(sign);
        let millis = u32::try_from(now_ms.saturating_sub(self.last)).unwrap_or(u32::MAX);
        let parts = &mut self.pace.0;
        let is_full = parts.len() >= MAX_PARTS;
        match parts.last_mut() {
            Some((_, last)) if (millis == 0 || is_full) && (*last < 0) == (chars < 0) => {
                *last = last.saturating_add(chars);
            }
            _ if is_full => {}
            _ => parts.push((millis, chars)),
        }
        self.last = now_ms;
    }

    pub fn into_pace(self) -> StreamPace {
        self.pace
    }
}

fn take_chars<'t>(rest: &mut &'t str, count: usize) -> &'t str {
    let end = rest.char_indices().nth(count).map_or(rest.len(), |(end, _)| end);
    let (taken, left) = rest.split_at(end);
    *rest = left;
    taken
}

#[cfg(test)]
mod tests;
