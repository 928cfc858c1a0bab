//! The text of a reply that arrives in several parts.

use plait_llm::provider::{Chunk, ChunkSink};

/// Appends `more` to `all` and streams it, after a blank line if it starts a new part.
pub(in crate::providers) fn push_text(
    all: &mut String,
    starts: bool,
    more: &str,
    chunk: fn(String) -> Chunk,
    sink: &mut ChunkSink<'_>,
) {
    let separator = if starts && !all.is_empty() { "\n\n" } else { "" };
    let more = format!("{separator}{more}");
    all.push_str(&more);
    sink(chunk(more));
}
