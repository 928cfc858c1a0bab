//! Which of the passages that were found fit a cap of tokens.

use std::collections::HashMap;

use super::block::{introduction, render_chunk};
use super::{LeftOutChunk, LeftOutReason, Passage, Retrieval, RetrievedChunk};
use crate::tokens::{count, count_cached, has_common_tokenizer, remember_count};

/// A passage with its text.
#[derive(Clone, Debug)]
pub struct Candidate {
    /// Where it stands. Its tokens are counted here.
    pub passage: Passage,
    /// Its text, without secrets.
    pub text: String,
    /// The [`passage_tokens`](super::passage_tokens) of the text, if they are known.
    pub text_tokens: Option<u32>,
}

/// Takes the candidates in their order, the best first. One that does not fit is left out, and a later, smaller one may still
/// fit. Two line breaks before each passage count as one token.
pub fn fit(query: String, candidates: Vec<Candidate>, max_tokens: u64, model: &str) -> Retrieval {
    let mut retrieval = Retrieval { query, max_tokens, ..Retrieval::default() };
    let mut room = max_tokens.saturating_sub(count_cached(model, introduction()));
    let mut numbers: HashMap<String, usize> = HashMap::new();
    for Candidate { mut passage, text, text_tokens } in candidates {
        let number = retrieval.used.len() + 1;
        let known = text_tokens.filter(|_| has_common_tokenizer(model)).map(u64::from);
        let same_text = numbers.get(text.trim()).map(|&of| LeftOutReason::Duplicate { of: of as u64 });
        let no_room = known.filter(|tokens| 1 + tokens > room).map(|_| LeftOutReason::Cap { room });
        if let (Some(reason), Some(tokens)) = (same_text.clone().or(no_room), known) {
            // Most candidates have no room for their text alone. What stands above it would take longer to count than to find them.
            passage.tokens = 1 + tokens;
            retrieval.left_out.push(LeftOutChunk { passage, reason });
            continue;
        }
        passage.tokens = 1 + match known {
            Some(tokens) => count(model, &render_chunk(number, &passage, "")) + tokens,
            None => count_cached(model, &render_chunk(number, &passage, &text)),
        };
        let reason = match same_text {
            Some(reason) => reason,
            None if passage.tokens > room => LeftOutReason::Cap { room },
            None => {
                room -= passage.tokens;
                if known.is_some() {
                    // The block of the prompt counts it again.
                    remember_count(model, &render_chunk(number, &passage, &text), passage.tokens - 1);
                }
                numbers.insert(text.trim().to_owned(), number);
                retrieval.used.push(RetrievedChunk { passage, text });
                continue;
            }
        };
        retrieval.left_out.push(LeftOutChunk { passage, reason });
    }
    retrieval
}
