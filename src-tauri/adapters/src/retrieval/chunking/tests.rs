use text_splitter::ChunkSizer as _;

use super::token_estimate::TokenEstimate;
use super::{Chunk, MAX_PART_BYTES, PASSAGE_TOKENS, split};
use crate::retrieval::document::{CodeLanguage, Document, Structure};

fn split_text(text: &str, structure: Structure) -> Vec<Chunk> {
    let chunks = split(&Document { text: text.to_owned(), structure });
    for chunk in &chunks {
        assert_eq!(&text[chunk.offset..chunk.offset + chunk.text.len()], chunk.text);
        assert_eq!(chunk.line, text[..chunk.offset].matches('\n').count() + 1);
        assert!(TokenEstimate.size(&chunk.text) < PASSAGE_TOKENS.end);
    }
    chunks
}

fn paragraph(topic: &str) -> String {
    format!("The {topic} is described here in a sentence of some length. ").repeat(28)
}

#[test]
fn markdown_splits_at_headings_and_remembers_them() {
    let text = format!(
        "# Guide\n\n{}\n\n## Travel\n\n{}\n\n```\n# no heading\n```\n\n### Trains\n\n{}\n\n## Food\n\n{}",
        paragraph("guide"),
        paragraph("travel"),
        paragraph("train"),
        paragraph("food")
    );
    let chunks = split_text(&text, Structure::Markdown);
    let headings: Vec<_> = chunks.iter().map(|chunk| chunk.heading.as_str()).collect();
    assert_eq!(headings, ["Guide", "Guide › Travel", "Guide › Travel › Trains", "Guide › Food"]);
    assert!(chunks[3].text.starts_with("## Food"));
}

#[test]
fn code_splits_between_items() {
    let function =
        |name: &str| format!("fn {name}() {{\n{}}}\n", "    let value = compute(1, 2);\n".repeat(25));
    let text = [function("first"), function("second"), function("third")].join("\n");
    let chunks = split_text(&text, Structure::Code(CodeLanguage::Rust));
    assert_eq!(chunks.len(), 3);
    assert!(chunks[1].text.starts_with("fn second()"));
}

#[test]
fn every_grammar_loads() {
    for language in [
        CodeLanguage::Go,
        CodeLanguage::JavaScript,
        CodeLanguage::Python,
        CodeLanguage::Rust,
        CodeLanguage::TypeScript,
        CodeLanguage::Tsx,
    ] {
        assert!(super::is_quick(&super::grammar(language), "x"), "{language:?}");
    }
}

#[test]
fn large_texts_without_structure_are_split_in_parts() {
    for unit in ["x", "word ", "日", "\n", "# ", "- a\n", "|a|b|\n", "((((", "\u{301}"] {
        let text = unit.repeat(2 * MAX_PART_BYTES / unit.len() + 7);
        let covered: usize =
            split_text(&text, Structure::Markdown).iter().map(|chunk| chunk.text.len()).sum();
        assert!(covered <= text.len());
        split_text(&text, Structure::Text);
    }
}

#[test]
fn estimate_is_near_the_count() {
    let markdown = include_str!("../../../../../ARCHITECTURE.md");
    let code = include_str!("../chunking.rs");
    let text = "日本語の文書を検索する。東京都の電車は時間どおりに来ます。".repeat(20);
    for text in [markdown, code, &text] {
        #[allow(clippy::cast_precision_loss, reason = "small numbers")]
        let counted = plait_llm::tokens::count("gpt-5", text) as f64;
        #[allow(clippy::cast_precision_loss, reason = "small numbers")]
        let ratio = TokenEstimate.size(text) as f64 / counted;
        assert!((0.8..1.6).contains(&ratio), "{ratio} of {counted}");
    }
}

#[test]
fn rulers_are_no_passages() {
    assert_eq!(split_text("---\n\n***\n", Structure::Markdown), []);
}

/// Splitting these along their syntax would take minutes.
#[test]
fn code_with_an_extreme_syntax_tree_is_split_as_text() {
    let table = format!("export const table = [{}];\n", "1, ".repeat(2_500));
    let no_code = format!("export const f = <T,>(x: T): T => x;\ninterface {}", "- ".repeat(4_000));
    let sum = format!("export const sum = 0{};\n", " - 9223372036854775809".repeat(300));
    let token = format!("export const {} = 1;\n", "stream".repeat(1_200));
    for text in [table, no_code, sum, token] {
        let chunks = split_text(&text, Structure::Code(CodeLanguage::TypeScript));
        assert_eq!(chunks, split_text(&text, Structure::Text));
    }
}
