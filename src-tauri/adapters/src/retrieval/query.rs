//! From a query in plain words to a query of the index. The text of a person or a model is words, never syntax.

use std::collections::HashSet;

use tantivy::query::{BooleanQuery, BoostQuery, Occur, Query, TermQuery};
use tantivy::schema::IndexRecordOption;
use tantivy::tokenizer::Token;
use tantivy::{Searcher, Term};

use super::index::{Fields, fault};
use super::tokenizer::analyzer;
use plait_core::error::Fault;

/// The most bytes of a query that are read: a message may be a whole document.
const MAX_QUERY_BYTES: usize = 16 << 10;
/// The maximum number of terms of a query; the rarest terms are kept.
const MAX_TERMS: usize = 24;
/// A term in more passages than this share is ignored, unless no other term is rarer.
const COMMON_TERM_SHARE: u64 = 3;
/// Words of English that say nothing about a subject. In a small base they are as rare as any other word. A query of such words
/// alone keeps them.
const FUNCTION_WORDS: &str = "a about after all also am an and any are as at be because been but by can could did do does for from \
                              had has have he her his how i if in into is it its may me my no not of on or our she should so \
                              some such than that the their them then there these they this to was we were what when where \
                              which who why will with would you your";
/// How much a word in a heading or a file's name counts beside one in the text.
const TITLE_BOOST: f32 = 0.6;

/// The query for these words; `None` if no passage has any of them.
pub(super) fn build(text: &str, searcher: &Searcher, fields: &Fields) -> Result<Option<BooleanQuery>, Fault> {
    let text = &text[..text.floor_char_boundary(MAX_QUERY_BYTES)];
    let mut seen = HashSet::new();
    let mut terms: Vec<(u64, String)> = Vec::new();
    let mut failure = None;
    let is_function_word = |token: &Token| is_function_word(&text[token.offset_from..token.offset_to]);
    let mut function_words = Vec::new();
    analyzer().token_stream(text).process(&mut |token| {
        if failure.is_none() && seen.insert(token.text.clone()) {
            match frequency(searcher, fields, &token.text) {
                Ok(0) => {}
                Ok(count) if is_function_word(token) => function_words.push((count, token.text.clone())),
                Ok(count) => terms.push((count, token.text.clone())),
                Err(error) => failure = Some(error),
            }
        }
    });
    if let Some(error) = failure {
        return Err(fault("search the index", &error));
    }
    if terms.is_empty() {
        terms = function_words;
    }
    // The rarest first; equally rare terms stay in the order of the query.
    terms.sort_by_key(|(count, _)| *count);
    let rare = terms.iter().filter(|(count, _)| count * COMMON_TERM_SHARE <= searcher.num_docs()).count();
    terms.truncate(if rare == 0 { MAX_TERMS } else { rare.min(MAX_TERMS) });
    if terms.is_empty() {
        return Ok(None);
    }
    let clauses = terms.iter().flat_map(|(_, text)| {
        let term = |field| TermQuery::new(Term::from_field_text(field, text), IndexRecordOption::WithFreqs);
        let title: Box<dyn Query> = Box::new(BoostQuery::new(Box::new(term(fields.title)), TITLE_BOOST));
        [(Occur::Should, Box::new(term(fields.text)) as Box<dyn Query>), (Occur::Should, title)]
    });
    Ok(Some(BooleanQuery::new(clauses.collect())))
}

/// Whether a word of English says nothing about a subject.
pub(crate) fn is_function_word(word: &str) -> bool {
    let word = word.to_lowercase();
    FUNCTION_WORDS.split_whitespace().any(|one| one == word)
}

fn frequency(searcher: &Searcher, fields: &Fields, text: &str) -> tantivy::Result<u64> {
    let count = |field| searcher.doc_freq(&Term::from_field_text(field, text));
    Ok(count(fields.text)?.max(count(fields.title)?))
}
