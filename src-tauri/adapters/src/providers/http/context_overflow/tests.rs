use super::{ContextOverflow, PATTERNS, SENTENCES, read};

fn numbers(message: &str) -> Option<(Option<u64>, Option<u64>)> {
    read(None, message).map(|ContextOverflow { limit, tokens }| (limit, tokens))
}

#[test]
fn every_pattern_compiles() {
    assert_eq!(PATTERNS.len(), SENTENCES.len());
}

#[test]
fn numbers_of_a_refusal_are_read() {
    for (message, limit, tokens) in [
        (
            "This model's maximum context length is 8192 tokens. However, your messages resulted in 10234 tokens. Please reduce the length of the messages.",
            8192,
            10_234,
        ),
        (
            "This model's maximum context length is 65536 tokens. However, you requested 70000 tokens (62000 in the messages, 8000 in the completion).",
            65_536,
            62_000,
        ),
        (
            "This endpoint's maximum context length is 131072 tokens. However, you requested about 150000 tokens (140000 of text input, 10000 in the output).",
            131_072,
            140_000,
        ),
        (
            "This model's maximum context length is 8192 tokens. However, you requested 500 output tokens and your prompt contains at least 7693 input tokens, for a total of at least 8193 tokens.",
            8192,
            7693,
        ),
        ("prompt is too long: 208310 tokens > 200000 maximum", 200_000, 208_310),
        (
            "input length and `max_tokens` exceed context limit: 188240 + 21333 > 200000, decrease input length",
            200_000,
            188_240,
        ),
        (
            "The input token count (1048577) exceeds the maximum number of tokens allowed (1048576).",
            1_048_576,
            1_048_577,
        ),
        (
            "This model's maximum prompt length is 131072 but the request contains 144543 tokens.",
            131_072,
            144_543,
        ),
        (
            "Prompt contains 40000 tokens and 0 draft tokens, too large for model with 32768 maximum context length",
            32_768,
            40_000,
        ),
        ("The decoder prompt (length 5000) is longer than the maximum model length of 4096.", 4096, 5000),
        ("The input (5000 tokens) is longer than the model's context length (4096 tokens).", 4096, 5000),
        (
            "request (5000 tokens) exceeds the available context size (4096 tokens), try increasing it",
            4096,
            5000,
        ),
        (
            "Trying to keep the first 5000 tokens when context the overflows. However, the model is loaded with context length of only 4096 tokens",
            4096,
            5000,
        ),
    ] {
        assert_eq!(numbers(message), Some((Some(limit), Some(tokens))), "{message}");
    }
}

#[test]
fn refusal_without_numbers_is_one() {
    assert_eq!(numbers("Your input exceeds the context window of this model."), Some((None, None)));
    assert_eq!(read(Some("context_length_exceeded"), "No."), Some(ContextOverflow::default()));
    assert_eq!(numbers("This model's maximum context length is 8192 tokens."), Some((Some(8192), None)));
}

#[test]
fn other_errors_are_none() {
    for message in
        ["max_tokens is too large", "Rate limit of 8192 tokens per minute reached", "The prompt is empty."]
    {
        assert_eq!(read(Some("invalid_request_error"), message), None, "{message}");
    }
}
