//! Ranks a user's memories by the words of a query (BM25). There are ten thousand at most, each of a few sentences, so the index
//! is built in memory when it is needed. Words are those of knowledge bases: without case, accents and English endings.

use std::collections::{HashMap, HashSet};

use plait_llm::long_term_memory::MemoryRecord;

use crate::retrieval::{analyzer, is_function_word};

/// The most bytes of a query that are read: a message may be a whole document.
const MAX_QUERY_BYTES: usize = 16 << 10;
/// The most terms of a query; the rarest ones say what it is about.
const MAX_TERMS: usize = 24;
/// The usual constants of BM25.
const K1: f64 = 1.2;
const B: f64 = 0.75;

/// Which memories contain which words.
pub(super) struct RankingIndex {
    /// The memories that have a term, by their place, and how often.
    terms: HashMap<String, Vec<(usize, f64)>>,
    /// The number of terms of each memory.
    lengths: Vec<f64>,
    average_length: f64,
}

impl RankingIndex {
    pub(super) fn of(memories: &[MemoryRecord]) -> Self {
        let mut terms: HashMap<String, Vec<(usize, f64)>> = HashMap::new();
        let mut lengths = Vec::with_capacity(memories.len());
        let mut analyzer = analyzer();
        for (place, memory) in memories.iter().enumerate() {
            let mut length = 0.0;
            for text in memory.content.texts() {
                analyzer.token_stream(text).process(&mut |token| {
                    length += 1.0;
                    let found = terms.entry(token.text.clone()).or_default();
                    match found.last_mut() {
                        Some((last, count)) if *last == place => *count += 1.0,
                        _ => found.push((place, 1.0)),
                    }
                });
            }
            lengths.push(length);
        }
        let total: f64 = lengths.iter().sum();
        let average_length = (total / factor(lengths.len())).max(1.0);
        Self { terms, lengths, average_length }
    }

    /// The places of the memories that have a word of the query, the best first; of equally good ones the latest first.
    pub(super) fn rank(&self, query: &str) -> Vec<usize> {
        let mut scores: HashMap<usize, f64> = HashMap::new();
        let memories = factor(self.lengths.len());
        for found in self.terms_of(query) {
            let rarity = (1.0 + (memories - factor(found.len()) + 0.5) / (factor(found.len()) + 0.5)).ln();
            for (place, frequency) in found {
                let length = self.lengths.get(*place).copied().unwrap_or_default() / self.average_length;
                let weight = frequency * (K1 + 1.0) / (frequency + K1 * (1.0 - B + B * length));
                *scores.entry(*place).or_default() += rarity * weight;
            }
        }
        let mut ranked: Vec<(usize, f64)> = scores.into_iter().collect();
        ranked.sort_by(|left, right| right.1.total_cmp(&left.1).then(right.0.cmp(&left.0)));
        ranked.into_iter().map(|(place, _)| place).collect()
    }

    /// The memories of each known term of the query, the rarest terms first. Function words count only if there are no others.
    fn terms_of(&self, query: &str) -> Vec<&[(usize, f64)]> {
        let query = &query[..query.floor_char_boundary(MAX_QUERY_BYTES)];
        let mut seen = HashSet::new();
        let (mut terms, mut function_words) = (Vec::new(), Vec::new());
        analyzer().token_stream(query).process(&mut |token| {
            if let Some(found) = self.terms.get(&token.text)
                && seen.insert(token.text.clone())
            {
                let is_function_word = is_function_word(&query[token.offset_from..token.offset_to]);
                if is_function_word { &mut function_words } else { &mut terms }.push(found.as_slice());
            }
        });
        let mut terms = if terms.is_empty() { function_words } else { terms };
        terms.sort_by_key(|found| found.len());
        terms.truncate(MAX_TERMS);
        terms
    }
}

/// A small count as a factor of the formula.
#[expect(clippy::cast_precision_loss, reason = "there are ten thousand memories at most")]
fn factor(count: usize) -> f64 {
    count as f64
}
