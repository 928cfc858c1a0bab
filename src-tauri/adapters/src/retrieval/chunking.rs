//! Splits the text of a document into passages of a few hundred tokens, on its structure: sections and paragraphs of Markdown,
//! items of code, sentences of text.

mod headings;
mod token_estimate;

use std::path::Path;

use plait_engine::error::Fault;
use text_splitter::{ChunkConfig, CodeSplitter, MarkdownSplitter, TextSplitter};
use tree_sitter::{Language, Parser};

use super::document::{self, CodeLanguage, Document, Structure, check_beginning};
use headings::Headings;
use token_estimate::TokenEstimate;

/// The size of a passage in estimated tokens: from the first on, it ends where the structure does; it never exceeds the last.
const PASSAGE_TOKENS: std::ops::Range<usize> = 256..513;
/// Splitters see no more than this at once: what they do is not linear in every text.
const MAX_PART_BYTES: usize = 32 << 10;
/// The time that the splitter of code takes grows with the square of this.
const MAX_SIBLINGS: usize = 1_000;
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
pub fn split_file(path: &Path, bytes: Vec<u8>) -> Result<Vec<(usize, String)>, Fault> {
    check_beginning(path, &bytes)?;
    let document = document::read(path, bytes, None)?;
    Ok(split(&document).into_iter().map(|chunk| (chunk.offset, chunk.text)).collect())
}

/// The passages of a document, in order.
pub(super) fn split(document: &Document) -> Vec<Chunk> {
    let text = document.text.as_str();
    let mut headings = Headings::new(if document.structure == Structure::Markdown { text } else { "" });
    let (mut chunks, mut start, mut line, mut counted) = (Vec::new(), 0, 1, 0);
    while start < text.len() {
        let end = part_end(text, start);
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

/// Where the part that begins at `start` ends: after at most [`MAX_PART_BYTES`], before a heading, else after a blank line, else
/// after a line, in its second half.
fn part_end(text: &str, start: usize) -> usize {
    if text.len() - start <= MAX_PART_BYTES {
        return text.len();
    }
    let end = text.floor_char_boundary(start + MAX_PART_BYTES);
    let half = text.ceil_char_boundary(start + MAX_PART_BYTES / 2);
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
                Ok(splitter) if !is_flat(&language, part) => splitter.chunk_indices(part).collect(),
                _ => as_text(),
            }
        }
    }
}

fn config() -> ChunkConfig<TokenEstimate> {
    ChunkConfig::new(PASSAGE_TOKENS).with_sizer(TokenEstimate)
}

/// Whether a syntax tree has so many nodes side by side that splitting along them would take minutes: large tables, and what is
/// no code at all.
fn is_flat(language: &Language, part: &str) -> bool {
    let mut parser = Parser::new();
    let tree = parser.set_language(language).ok().and_then(|()| parser.parse(part, None));
    let Some(tree) = tree else { return true };
    let mut cursor = tree.walk();
    loop {
        if cursor.node().child_count() > MAX_SIBLINGS {
            return true;
        }
        if cursor.goto_first_child() {
            continue;
        }
        while !cursor.goto_next_sibling() {
            if !cursor.goto_parent() {
                return false;
            }
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
