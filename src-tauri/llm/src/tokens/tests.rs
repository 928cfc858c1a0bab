use super::*;
use serde_json::json;

const PIXEL: &[u8] = include_bytes!("../../../../tests/fixtures/pixel.png");

#[test]
fn counts_match_published_examples() {
    assert_eq!(count("gpt-4o", "hello world"), 2);
    assert_eq!(count("gpt-4", "tiktoken is great!"), 6);
    assert_eq!(count("openai/gpt-4o", ""), 0);
}

#[test]
fn special_tokens_are_ordinary_text() {
    assert!(count("gpt-4o", "<|endoftext|>") > 1);
}

#[test]
fn very_long_text_does_not_overflow_the_stack() {
    assert!(count("gpt-4o", &" ".repeat(1_000_000)) > 0);
    assert!(count("gpt-4o", &"a".repeat(300_000)) > 1_000);
    assert!(count("gpt-4", &"é".repeat(150_000)) > 1_000);
}

#[test]
fn cached_counts_equal_fresh_counts() {
    for _ in 0..2 {
        assert_eq!(count_cached("gpt-4o", "You are brief."), count("gpt-4o", "You are brief."));
        assert_eq!(count_cached("gpt-4", "Vous êtes bref."), count("gpt-4", "Vous êtes bref."));
    }
}

#[test]
fn message_count_includes_overhead_and_calls() {
    let call =
        ToolCall { id: "1".into(), name: "calculator".into(), arguments: json!({ "expression": "1 + 1" }) };
    assert_eq!(count_message("gpt-4o", &"hello world".into()), 2 + 4);
    assert!(count_tool_calls("gpt-4o", &[call]) > 4);
}

#[test]
fn message_count_includes_every_part() {
    let text = |text: &str| Part::Text { text: text.to_owned() };
    let image = || Part::Attachment(plait_core::attachment::inspect("dot.png", PIXEL.into()).unwrap());
    let parts = Content::Parts(vec![text("hello world"), image(), image(), text("hello world")]);
    assert_eq!(count_message("gpt-4o", &parts), 4 + 2 + 255 + 255 + 2);
    assert_eq!(count_message("gpt-4o", &Content::Parts(Vec::new())), 4);
}
