//! Splits the text of a document into passages of a few hundred tokens, on its structure: sections and paragraphs of Markdown,
//! items of code, sentences of text.

mod headings;
mod token_estimate;

use std::path::Path;

use plait_core::error::Fault;
use text_splitter::{ChunkConfig, CodeSplitter, MarkdownSplitter, TextSplitter};
use tree_sitter::{Language, Parser};

use super::document::{self, CodeLanguage, Document, Structure, check_beginning};
use headings::Headings;
use token_estimate::TokenEstimate;

/// The size of a passage in estimated tokens: from the first on, it ends where the structure does; it never exceeds the last.
const PASSAGE_TOKENS: std::ops::Range<usize> = 256..513;
/// Splitters see no more than this at once: their time is not linear for every text.
const MAX_PART_BYTES: usize = 32 << 10;
/// The same for code. Splitters keep a whole syntax tree of it.
const MAX_CODE_PART_BYTES: usize = 8 << 10;
/// Bounds of the syntax tree of a part. Code that people write stays far below them.
const MAX_SIBLINGS: u32 = 500;
const MAX_DEPTH: usize = 60;
const MAX_TOKEN_BYTES: usize = 2 << 10;
/// Passages without letters and digits, such as rulers, find nothing.
const MIN_ALPHANUMERIC: usize = 2;

/// A passage of a document.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Chunk {
    /// Where it begins in the document's text, in bytes.
    pub(super) offset: usize,
    /// The line on which it begins, from 1.
    pub(super) line: usize,
    /// The headings above it.
    pub(super) heading: String,
    pub(super) text: String,
}

/// The passages of a file of this name, each with its offset. PDF and HTML are read in this process, which they can end. For
/// fuzzing. Fault `knowledge.bad_file`.
pub fn split_file(path: &Path, bytes: &[u8]) -> Result<Vec<(usize, String)>, Fault> {
    check_beginning(path, bytes)?;
    let document = document::read(path, bytes, None)?;
    Ok(split(&document).into_iter().map(|chunk| (chunk.offset, chunk.text)).collect())
}

/// The passages of a document, in order.
pub(super) fn split(document: &Document) -> Vec<Chunk> {
    let text = document.text.as_str();
    let mut headings = Headings::new(if document.structure == Structure::Markdown { text } else { "" });
    let (mut chunks, mut start, mut line, mut counted) = (Vec::new(), 0, 1, 0);
    while start < text.len() {
        let end = part_end(text, start, max_part_bytes(document.structure));
        for (offset, passage) in split_part(&text[start..end], document.structure) {
            if passage.chars().filter(|char| char.is_alphanumeric()).take(MIN_ALPHANUMERIC).count()
                < MIN_ALPHANUMERIC
            {
                continue;
            }
            let offset = start + offset;
            line += memchr::memchr_iter(b'\n', &text.as_bytes()[counted..offset]).count();
            counted = offset;
            chunks.push(Chunk { offset, line, heading: headings.above(offset), text: passage.to_owned() });
        }
        start = end;
    }
    chunks
}

fn max_part_bytes(structure: Structure) -> usize {
    if matches!(structure, Structure::Code(_)) { MAX_CODE_PART_BYTES } else { MAX_PART_BYTES }
}

/// Where the part that begins at `start` ends: after at most `max_bytes`, before a heading, else after a blank line, else
/// after a line, in its second half.
fn part_end(text: &str, start: usize, max_bytes: usize) -> usize {
    if text.len() - start <= max_bytes {
        return text.len();
    }
    let end = text.floor_char_boundary(start + max_bytes);
    let half = text.ceil_char_boundary(start + max_bytes / 2);
    let second_half = &text[half..end];
    let after = |separator: &str, skip: usize| second_half.rfind(separator).map(|at| half + at + skip);
    after("\n#", 1)
        .or_else(|| after("\n\n", 2))
        .or_else(|| after("\n", 1))
        .or_else(|| after(" ", 1))
        .unwrap_or(end)
}

fn split_part(part: &str, structure: Structure) -> Vec<(usize, &str)> {
    let as_text = || TextSplitter::new(config()).chunk_indices(part).collect();
    match structure {
        Structure::Text => as_text(),
        Structure::Markdown => MarkdownSplitter::new(config()).chunk_indices(part).collect(),
        Structure::Code(language) => {
            let language = grammar(language);
            match CodeSplitter::new(language.clone(), config()) {
                Ok(splitter) if is_quick(&language, part) => splitter.chunk_indices(part).collect(),
                _ => as_text(),
            }
        }
    }
}

fn config() -> ChunkConfig<TokenEstimate> {
    ChunkConfig::new(PASSAGE_TOKENS).with_sizer(TokenEstimate)
}

/// Whether splitting along the syntax tree is quick. Its time grows with the square of the nodes beside each other,
/// with the number of levels, and with the length of a single token: large tables, sums of a hundred terms, and texts
/// that are no code would take minutes.
fn is_quick(language: &Language, part: &str) -> bool {
    let mut parser = Parser::new();
    let tree = parser.set_language(language).ok().and_then(|()| parser.parse(part, None));
    let Some(tree) = tree else { return false };
    let (mut cursor, mut depth) = (tree.walk(), 0);
    loop {
        let node = cursor.node();
        let is_long_token = node.child_count() == 0 && node.byte_range().len() > MAX_TOKEN_BYTES;
        if is_long_token || node.child_count() > MAX_SIBLINGS || depth > MAX_DEPTH {
            return false;
        }
        if cursor.goto_first_child() {
            depth += 1;
            continue;
        }
        while !cursor.goto_next_sibling() {
            if !cursor.goto_parent() {
                return true;
            }
            depth -= 1;
        }
    }
}

fn grammar(language: CodeLanguage) -> Language {
    match language {
        CodeLanguage::Go => tree_sitter_go::LANGUAGE,
        CodeLanguage::JavaScript => tree_sitter_javascript::LANGUAGE,
        CodeLanguage::Python => tree_sitter_python::LANGUAGE,
        CodeLanguage::Rust => tree_sitter_rust::LANGUAGE,
        CodeLanguage::Tsx => tree_sitter_typescript::LANGUAGE_TSX,
        CodeLanguage::TypeScript => tree_sitter_typescript::LANGUAGE_TYPESCRIPT,
    }
    .into()
}

#[cfg(test)]
mod tests;
