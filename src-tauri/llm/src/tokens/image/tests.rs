use super::*;

#[test]
fn image_counts_match_the_vendors_examples() {
    for (model, width, height, tokens) in [
        // OpenAI: a 1024 × 1024 image costs 765 tokens, a 2048 × 4096 one 1,105.
        ("gpt-4o", 1_024, 1_024, 765),
        ("gpt-4o", 2_048, 4_096, 1_105),
        ("gpt-5.1", 1_024, 1_024, 70 + 4 * 140),
        ("o3", 1_024, 1_024, 75 + 4 * 150),
        ("gpt-4o-mini", 512, 512, 2_833 + 5_667),
        // 1,024 patches of 32 pixels.
        ("gpt-4.1-mini", 1_024, 1_024, 1_659),
        // Anthropic: 1092 × 1092 takes about 1,590 tokens, 200 × 200 about 54.
        ("claude-opus-5", 1_092, 1_092, 1_590),
        ("claude-opus-5", 200, 200, 54),
        ("anthropic/claude-opus-5", 8_000, 8_000, 1_600),
        // Google: 258 for a small one, and for each tile of a larger one.
        ("gemini-2.5-pro", 384, 384, 258),
        ("gemini-2.5-pro", 960, 540, 516),
        ("gemini-3.1-pro-preview", 960, 540, 1_120),
    ] {
        assert_eq!(count(model, Some((width, height))), tokens, "{model} {width} × {height}");
    }
}

#[test]
fn unreadable_image_counts_as_the_maximum() {
    assert_eq!(count("claude-opus-5", None), 1_600);
    assert_eq!(count("llama3.2-vision", None), 1_600);
    assert_eq!(count("gpt-4o", None), 85 + 8 * 170);
    assert!(count("gemini-2.5-pro", None) > 258);
}

#[test]
fn extreme_sizes_do_not_overflow() {
    let most = u64::from(u32::MAX);
    for model in ["gpt-4o", "gpt-4.1-mini", "claude-opus-5", "gemini-2.5-pro"] {
        assert!(count(model, Some((most, 1))) > 0);
        assert!(count(model, Some((most, most))) > 0);
        assert!(count(model, Some((1, 1))) > 0);
    }
}
