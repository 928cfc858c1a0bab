//! Keys that are recognized by their published form, whether Plait holds them or not.
//!
//! Each form has a prefix that ordinary text does not have at the start of a word, and a length or a digit that tells a key
//! from a word. Keys without such a form can't be recognized; they are redacted if Plait holds them.

use std::ops::{Range, RangeInclusive};
use std::sync::LazyLock;

use aho_corasick::{AhoCorasick, MatchKind};

use super::invisible::VisibleText;
use super::preceding::Preceding;

/// How much of a text behind a prefix decides whether it is a key. Bounds the work for texts made of prefixes.
const MAX_DECIDING_BYTES: usize = 512;
/// The largest private key. A 16,384-bit RSA key has about 12 KB.
const MAX_PRIVATE_KEY_BYTES: usize = 16 << 10;
/// Shorter prefixes occur inside of random identifiers, so no `-` or `_` may stand before them.
const MIN_DISTINCTIVE_PREFIX_BYTES: usize = 6;

struct KeyPattern {
    /// The name of the key in the label.
    name: &'static str,
    prefix: &'static str,
    body: Body,
    /// The number of bytes behind the prefix.
    length: RangeInclusive<usize>,
}

/// The characters behind the prefix.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Body {
    /// Letters and digits, at least one digit.
    Alphanumeric,
    /// Capital letters and digits.
    Capitals,
    /// Hexadecimal digits.
    Hex,
    /// Letters, digits, `-` and `_`, at least one digit.
    Base64Url,
    /// The same and `.`, at least one digit.
    Dotted,
    /// Three parts in base64, divided by dots; the second is a JSON object as well.
    JsonWebToken,
}

const fn pattern(
    name: &'static str,
    prefix: &'static str,
    body: Body,
    length: RangeInclusive<usize>,
) -> KeyPattern {
    KeyPattern { name, prefix, body, length }
}

const ANY: usize = usize::MAX;

/// Minimum lengths are below the published ones where vendors vary them.
static PATTERNS: &[KeyPattern] = &[
    // platform.openai.com/docs/api-reference/authentication: `sk-`, later `sk-proj-`, `sk-svcacct-` and `sk-admin-`. Legacy
    // keys have 48 letters and digits; other vendors with this prefix (DeepSeek, Moonshot) have 32 or more.
    pattern("OpenAI key", "sk-proj-", Body::Base64Url, 20..=ANY),
    pattern("OpenAI key", "sk-svcacct-", Body::Base64Url, 20..=ANY),
    pattern("OpenAI key", "sk-admin-", Body::Base64Url, 20..=ANY),
    pattern("OpenAI key", "sk-None-", Body::Base64Url, 20..=ANY),
    pattern("API key", "sk-", Body::Alphanumeric, 32..=ANY),
    // docs.claude.com, Admin API: `sk-ant-api03-…`, `sk-ant-admin01-…`, `sk-ant-oat01-…`.
    pattern("Anthropic key", "sk-ant-", Body::Base64Url, 20..=ANY),
    // openrouter.ai/docs/api-reference/authentication.
    pattern("OpenRouter key", "sk-or-v1-", Body::Hex, 32..=ANY),
    // cloud.google.com/docs/authentication/api-keys: 39 characters.
    pattern("Google key", "AIza", Body::Base64Url, 35..=ANY),
    // developers.google.com/identity/protocols/oauth2: access tokens and client secrets.
    pattern("Google token", "ya29.", Body::Base64Url, 20..=ANY),
    pattern("Google secret", "GOCSPX-", Body::Base64Url, 20..=ANY),
    // docs.github.com, "About authentication to GitHub", "GitHub's token formats".
    pattern("GitHub token", "ghp_", Body::Alphanumeric, 30..=ANY),
    pattern("GitHub token", "gho_", Body::Alphanumeric, 30..=ANY),
    pattern("GitHub token", "ghu_", Body::Alphanumeric, 30..=ANY),
    pattern("GitHub token", "ghs_", Body::Alphanumeric, 30..=ANY),
    pattern("GitHub token", "ghr_", Body::Alphanumeric, 30..=ANY),
    pattern("GitHub token", "github_pat_", Body::Base64Url, 22..=ANY),
    // docs.gitlab.com/security/tokens, "Token prefixes".
    pattern("GitLab token", "glpat-", Body::Dotted, 20..=ANY),
    // docs.slack.dev/authentication/tokens.
    pattern("Slack token", "xoxa-", Body::Base64Url, 10..=ANY),
    pattern("Slack token", "xoxb-", Body::Base64Url, 10..=ANY),
    pattern("Slack token", "xoxp-", Body::Base64Url, 10..=ANY),
    pattern("Slack token", "xoxr-", Body::Base64Url, 10..=ANY),
    pattern("Slack token", "xoxs-", Body::Base64Url, 10..=ANY),
    pattern("Slack token", "xoxe.", Body::Dotted, 20..=ANY),
    pattern("Slack token", "xapp-", Body::Base64Url, 20..=ANY),
    // docs.aws.amazon.com/IAM, "IAM identifiers", "Understanding unique ID prefixes": 20 characters.
    pattern("AWS key", "AKIA", Body::Capitals, 16..=16),
    pattern("AWS key", "ASIA", Body::Capitals, 16..=16),
    // huggingface.co/docs/hub/security-tokens: letters, digits in older tokens.
    pattern("Hugging Face token", "hf_", Body::Alphanumeric, 30..=ANY),
    // console.groq.com/docs/quickstart, docs.x.ai, docs.perplexity.ai, replicate.com/docs: the examples of their guides.
    pattern("Groq key", "gsk_", Body::Alphanumeric, 32..=ANY),
    pattern("xAI key", "xai-", Body::Alphanumeric, 40..=ANY),
    pattern("Perplexity key", "pplx-", Body::Alphanumeric, 32..=ANY),
    pattern("Replicate token", "r8_", Body::Alphanumeric, 32..=ANY),
    // docs.stripe.com/keys.
    pattern("Stripe key", "sk_live_", Body::Alphanumeric, 16..=ANY),
    pattern("Stripe key", "rk_live_", Body::Alphanumeric, 16..=ANY),
    pattern("Stripe key", "sk_test_", Body::Alphanumeric, 16..=ANY),
    // docs.npmjs.com/about-access-tokens; pypi.org/help, "API tokens": `pypi-` and the base64 of a macaroon.
    pattern("npm token", "npm_", Body::Alphanumeric, 36..=ANY),
    pattern("PyPI token", "pypi-AgE", Body::Base64Url, 50..=ANY),
    // RFC 7519 and RFC 7515, section 3.1: the base64 of `{"` begins a header and a payload.
    pattern("JSON web token", "eyJ", Body::JsonWebToken, 30..=ANY),
];

/// The beginning of a private key (RFC 7468, sections 10 and 11; RFC 4880, section 6.2, for `OpenPGP`).
const PRIVATE_KEY_BEGIN: &str = "-----BEGIN ";
const PRIVATE_KEY_NAME: &str = "private key";

/// All prefixes; the last pattern is that of private keys.
static PREFIXES: LazyLock<Option<AhoCorasick>> = LazyLock::new(|| {
    let prefixes = PATTERNS.iter().map(|pattern| pattern.prefix).chain([PRIVATE_KEY_BEGIN]);
    AhoCorasick::builder().match_kind(MatchKind::LeftmostLongest).build(prefixes).ok()
});

/// A key in a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct PatternMatch {
    pub(super) range: Range<usize>,
    pub(super) name: &'static str,
}

/// The keys in a text.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct PatternScan {
    /// In order.
    pub(super) matches: Vec<PatternMatch>,
    /// The start of a key that may go on behind the end of the text.
    pub(super) open_from: Option<usize>,
}

/// Finds keys, also with invisible characters inside. `preceding` is the text before it.
pub(super) fn scan(text: &str, preceding: Preceding) -> PatternScan {
    let Some(visible) = VisibleText::new(text) else { return scan_visible(text, preceding) };
    let PatternScan { matches, open_from } = scan_visible(visible.text(), preceding);
    let matches =
        matches.into_iter().map(|found| PatternMatch { range: visible.source_range(found.range), ..found });
    PatternScan { matches: matches.collect(), open_from: open_from.map(|start| visible.source_start(start)) }
}

fn scan_visible(text: &str, preceding: Preceding) -> PatternScan {
    let mut scan = PatternScan::default();
    let Some(prefixes) = &*PREFIXES else { return scan };
    let mut covered = 0;
    for found in prefixes.find_iter(text) {
        if found.start() < covered || !is_boundary(text, preceding, found.start(), found.len()) {
            continue;
        }
        let candidate = match PATTERNS.get(found.pattern().as_usize()) {
            Some(pattern) => pattern.read(text, found.end()),
            None => read_private_key(text, found.start()),
        };
        if candidate.end == text.len() && scan.open_from.is_none() {
            scan.open_from = Some(found.start());
        }
        if let Some(name) = candidate.name {
            covered = candidate.end;
            scan.matches.push(PatternMatch { range: found.start()..candidate.end, name });
        }
    }
    if let Some(start) = partial_prefix_start(text, preceding).filter(|start| *start >= covered) {
        scan.open_from = Some(scan.open_from.map_or(start, |open| open.min(start)));
    }
    scan
}

/// A text that begins like a key.
struct Candidate {
    /// Where the characters end that can be part of it.
    end: usize,
    /// The name of the key, if it is one.
    name: Option<&'static str>,
}

impl KeyPattern {
    /// Reads the body behind the prefix, from `start` on.
    fn read(&self, text: &str, start: usize) -> Candidate {
        let rest = &text.as_bytes()[start..];
        let deciding = &rest[..rest.len().min(MAX_DECIDING_BYTES)];
        let count = |bytes: &[u8]| bytes.iter().take_while(|byte| self.body.contains(**byte)).count();
        let mut length = count(deciding);
        if !(self.length.contains(&length) && self.body.is_key(&deciding[..length])) {
            return Candidate { end: start + length, name: None };
        }
        if length == deciding.len() {
            length += count(&rest[length..]);
        }
        Candidate { end: start + length, name: self.length.contains(&length).then_some(self.name) }
    }
}

impl Body {
    fn contains(self, byte: u8) -> bool {
        match self {
            // A small letter behind capitals belongs to it, and makes it a word.
            Self::Alphanumeric | Self::Capitals => byte.is_ascii_alphanumeric(),
            Self::Hex => byte.is_ascii_hexdigit(),
            Self::Base64Url => byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_'),
            Self::Dotted | Self::JsonWebToken => {
                byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.')
            }
        }
    }

    fn is_key(self, body: &[u8]) -> bool {
        match self {
            Self::Hex => true,
            Self::Capitals => body.iter().all(|byte| byte.is_ascii_uppercase() || byte.is_ascii_digit()),
            Self::Alphanumeric | Self::Base64Url | Self::Dotted => body.iter().any(u8::is_ascii_digit),
            Self::JsonWebToken => {
                let parts: Vec<&[u8]> = body.split(|byte| *byte == b'.').collect();
                matches!(parts[..], [_, payload, ..] if payload.starts_with(b"eyJ"))
            }
        }
    }
}

/// Whether a key can start at `start`: behind no letter or digit and, for a short prefix, behind no `-` or `_`.
fn is_boundary(text: &str, preceding: Preceding, start: usize, prefix: usize) -> bool {
    let mut before = text[..start].chars().rev().chain(preceding.chars());
    let Some(last) = before.next() else { return true };
    // The letter of an escaped line break or tab belongs to no word.
    if matches!(last, 'n' | 'r' | 't') && before.next() == Some('\\') {
        return true;
    }
    let joins = matches!(last, '-' | '_') && prefix < MIN_DISTINCTIVE_PREFIX_BYTES;
    !last.is_alphanumeric() && !joins
}

/// Where the text ends with a part of a prefix.
fn partial_prefix_start(text: &str, preceding: Preceding) -> Option<usize> {
    let prefixes = PATTERNS.iter().map(|pattern| pattern.prefix).chain([PRIVATE_KEY_BEGIN]);
    let partial = |prefix: &'static str| {
        let starts = (1..prefix.len()).rev().filter(|length| text.ends_with(&prefix[..*length]));
        let mut starts = starts.map(|length| text.len() - length);
        starts.find(|start| is_boundary(text, preceding, *start, prefix.len()))
    };
    prefixes.filter_map(partial).min()
}

/// Reads a private key in PEM from its first line on. Line breaks may be escaped, as in JSON.
fn read_private_key(text: &str, start: usize) -> Candidate {
    let limit = text.floor_char_boundary(text.len().min(start + MAX_PRIVATE_KEY_BYTES));
    let mut lines = PemLines { text: &text[..limit], at: start };
    let ends_here = |end: usize| Candidate { end, name: None };
    let Some(label) = lines.next_label("BEGIN ") else { return ends_here(lines.unread_end(text, start)) };
    if !label.ends_with("PRIVATE KEY") && !label.ends_with("PRIVATE KEY BLOCK") {
        return ends_here(start);
    }
    let mut has_body = false;
    while lines.skip_break() {
        if lines.rest().starts_with("-----") {
            let _ = lines.next_label("END ");
            break;
        }
        let length = lines.line_len();
        let line = &lines.rest()[..length];
        let is_header = line.split_once(": ").is_some_and(|(name, _)| !name.contains(' '));
        // The last line may be short; words of ordinary text are no line of base64.
        let is_body = length >= 16 || has_body || lines.at + length == text.len();
        if !(line.is_empty() || is_header || is_body && line.bytes().all(is_base64)) {
            break;
        }
        has_body |= !is_header && length >= 16;
        lines.at += length;
    }
    Candidate { end: lines.at, name: has_body.then_some(PRIVATE_KEY_NAME) }
}

fn is_base64(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/' | b'=')
}

/// Reads the lines of a private key.
struct PemLines<'a> {
    text: &'a str,
    at: usize,
}

impl<'a> PemLines<'a> {
    fn rest(&self) -> &'a str {
        &self.text[self.at..]
    }

    /// Reads `-----BEGIN label-----` and moves behind it.
    fn next_label(&mut self, keyword: &str) -> Option<&'a str> {
        /// Longer than any label.
        const MAX_LABEL_BYTES: usize = 40;
        let line = self.rest().strip_prefix("-----")?.strip_prefix(keyword)?;
        let line = &line[..line.floor_char_boundary(line.len().min(MAX_LABEL_BYTES + 5))];
        let label = &line[..line.find("-----")?];
        self.at += 5 + keyword.len() + label.len() + 5;
        Some(label)
    }

    /// Moves behind line breaks, escaped or not. Returns whether there was one.
    fn skip_break(&mut self) -> bool {
        let start = self.at;
        loop {
            let rest = self.rest();
            let unescaped = rest.trim_start_matches('\\');
            let escaped = rest.len() - unescaped.len();
            if rest.starts_with(['\n', '\r', ' ', '\t']) {
                self.at += 1;
            } else if escaped > 0 && unescaped.starts_with(['n', 'r']) {
                self.at += escaped + 1;
            } else {
                return self.at > start;
            }
        }
    }

    fn line_len(&self) -> usize {
        self.rest().find(['\n', '\r', '\\']).unwrap_or(self.rest().len())
    }

    /// The end of the text if it may end inside of the first line, else `start`.
    fn unread_end(&self, text: &str, start: usize) -> usize {
        let is_label = |char: char| char.is_ascii_uppercase() || matches!(char, ' ' | '-');
        if self.rest().len() < 60 && self.rest().chars().all(is_label) { text.len() } else { start }
    }
}

#[cfg(test)]
mod tests;
