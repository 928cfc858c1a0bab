use super::*;
use serde_json::json;

#[test]
fn known_counts() {
    assert_eq!(count("gpt-4o", "hello world"), 2);
    assert_eq!(count("gpt-4", "tiktoken is great!"), 6);
    assert_eq!(count("openai/gpt-4o", ""), 0);
}

#[test]
fn special_tokens_are_ordinary_text() {
    assert!(count("gpt-4o", "<|endoftext|>") > 1);
}

#[test]
fn very_long_runs_are_counted_without_a_crash() {
    assert!(count("gpt-4o", &" ".repeat(1_000_000)) > 0);
    assert!(count("gpt-4o", &"a".repeat(300_000)) > 1_000);
    assert!(count("gpt-4", &"é".repeat(150_000)) > 1_000);
}

#[test]
fn kept_counts_are_the_same_counts() {
    for _ in 0..2 {
        assert_eq!(count_kept("gpt-4o", "You are brief."), count("gpt-4o", "You are brief."));
        assert_eq!(count_kept("gpt-4", "Vous êtes bref."), count("gpt-4", "Vous êtes bref."));
    }
}

#[test]
fn a_message_counts_its_text_its_calls_and_its_frame() {
    let call =
        ToolCall { id: "1".into(), name: "calculator".into(), arguments: json!({ "expression": "1 + 1" }) };
    assert_eq!(message("gpt-4o", &"hello world".into()), 2 + 4);
    assert!(calls("gpt-4o", &[call]) > 4);
}

#[test]
fn every_part_of_a_message_counts() {
    let text = |text: &str| Part::Text { text: text.to_owned() };
    // One white pixel.
    let data = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAQAAAC1HAwCAAAAC0lEQVR42mP8/x8AAwMCAO+ip1sAAAAASUVORK5CYII=";
    let image = || Part::Image { media_type: "image/png".to_owned(), data: data.to_owned() };
    let parts = Content::Parts(vec![text("hello world"), image(), image(), text("hello world")]);
    assert_eq!(message("gpt-4o", &parts), 4 + 2 + 255 + 255 + 2);
    assert_eq!(message("gpt-4o", &Content::Parts(Vec::new())), 4);
}
