//! Recognizes the refusal of a prompt that is larger than the model's window, and the numbers that it names. Servers say it in
//! words only, each in its own.

use std::sync::LazyLock;

use regex::Regex;

/// The sizes that a refusal names.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct ContextOverflow {
    /// The window, in tokens.
    pub(super) limit: Option<u64>,
    /// The tokens of the prompt, without the reserve for the reply.
    pub(super) tokens: Option<u64>,
}

const CODES: [&str; 3] = ["context_length_exceeded", "exceed_context_size_error", "context_window_exceeded"];

/// The sentences that say it; `limit` and `tokens` are the numbers. The first that matches counts, so that a more specific one
/// stands before a general one.
const SENTENCES: [&str; 13] = [
    // OpenAI, DeepSeek, vLLM, OpenRouter: with the parts of the request.
    r"maximum context length is (?<limit>\d+) tokens.*?(?<tokens>\d+) (?:in the messages|of text input|tokens? from the input)",
    // vLLM: "... you requested 500 output tokens and your prompt contains at least 7693 input tokens".
    r"maximum context length is (?<limit>\d+) tokens.*?prompt contains (?:at least )?(?<tokens>\d+)",
    r"maximum context length is (?<limit>\d+) tokens.*?your messages resulted in (?<tokens>\d+) tokens",
    r"maximum context length is (?<limit>\d+)",
    // Anthropic.
    r"prompt is too long: (?<tokens>\d+) tokens > (?<limit>\d+)",
    r"exceed context limit: (?<tokens>\d+) \+ \d+ > (?<limit>\d+)",
    // Gemini.
    r"input token count \(?(?<tokens>\d+)\)? exceeds the maximum number of tokens allowed \(?(?<limit>\d+)",
    // xAI.
    r"maximum prompt length is (?<limit>\d+) but the request contains (?<tokens>\d+)",
    // Mistral.
    r"prompt contains (?<tokens>\d+) tokens.*?(?<limit>\d+) maximum context length",
    // vLLM and sglang.
    r"(?:prompt|input) \(?(?:length )?(?<tokens>\d+)(?: tokens)?\)? is longer than the (?:maximum model length of|model's context length \()\s*(?<limit>\d+)",
    // llama.cpp.
    r"request \((?<tokens>\d+) tokens\) exceeds the available context size \((?<limit>\d+)",
    // LM Studio.
    r"first (?<tokens>\d+) tokens when context the overflows.*?context length of only (?<limit>\d+)",
    // Without numbers: older llama.cpp, Groq, OpenAI's Responses, Bedrock.
    r"exceeds the available context size|reduce the length of the messages|exceeds the context window|input is too long for requested model",
];

// A test compiles them all, so none is ever left out.
static PATTERNS: LazyLock<Vec<Regex>> = LazyLock::new(|| {
    SENTENCES.iter().filter_map(|sentence| Regex::new(&format!("(?is){sentence}")).ok()).collect()
});

/// The refusal in a server's error, if it is one.
pub(super) fn read(code: Option<&str>, message: &str) -> Option<ContextOverflow> {
    let found = PATTERNS.iter().find_map(|pattern| pattern.captures(message));
    let number = |name: &str| found.as_ref()?.name(name)?.as_str().parse().ok();
    let is_overflow = found.is_some() || code.is_some_and(|code| CODES.contains(&code));
    is_overflow.then(|| ContextOverflow { limit: number("limit"), tokens: number("tokens") })
}

#[cfg(test)]
mod tests;
