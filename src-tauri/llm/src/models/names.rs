//! Looks up a model in a table by its name, which catalogs and servers write in many ways.
//!
//! A table's key is a prefix of a name, and the longest match wins. The rest of the name decides whether the entry applies:
//! `gpt-4-0613` is `gpt-4`, `gpt-4.1` is another model.

use std::collections::BTreeMap;

/// Prefixes of model names in some catalogs, removed repeatedly.
const VENDOR_PREFIXES: [&str; 16] = [
    "us.",
    "eu.",
    "apac.",
    "global.",
    "ai21.",
    "amazon.",
    "anthropic.",
    "cohere.",
    "deepseek.",
    "google.",
    "meta.",
    "mistral.",
    "openai.",
    "qwen.",
    "meta-",
    "ft:",
];

/// The names under which a table may list a model: the full name with its provider, then with one prefix less each.
pub(super) fn candidate_names(provider: &str, model: &str) -> impl Iterator<Item = String> {
    let full = format!("{provider}/{model}").to_lowercase();
    std::iter::successors(Some(full), |name| {
        let vendor = VENDOR_PREFIXES.iter().find_map(|vendor| name.strip_prefix(vendor));
        vendor.or_else(|| name.split_once('/').map(|(_, rest)| rest)).map(str::to_owned)
    })
}

/// The entry with the longest key that is a prefix of `name`, with the rest of the name.
pub(super) fn find_longest_prefix<'t, 'n, T>(
    table: &'t BTreeMap<String, T>,
    name: &'n str,
) -> Option<(&'t str, &'t T, &'n str)> {
    let matching =
        table.iter().filter_map(|(key, entry)| Some((key.as_str(), entry, rest_after_key(name, key)?)));
    matching.max_by_key(|(key, ..)| key.len())
}

/// What follows `key` in `name`, unless the key ends in the middle of a word (`o1` does not match `o12`) or is only the
/// name of the provider (`mistral/…`).
fn rest_after_key<'n>(name: &'n str, key: &str) -> Option<&'n str> {
    let rest = name.strip_prefix(key)?;
    let goes_on = |next: char| next.is_ascii_alphanumeric() || next == '/';
    (key.ends_with('/') || !rest.starts_with(goes_on)).then_some(rest)
}

/// Whether the rest after a key only names an edition of the same model: a date, `latest`, `preview`, the version of a
/// catalog (`-v2:0`).
pub(super) fn is_edition(rest: &str) -> bool {
    let mut dated = false;
    segments(rest).all(|segment| {
        let digits = segment.chars().all(|char| char.is_ascii_digit());
        let marks = matches!(segment, "latest" | "preview" | "exp" | "v1") || (dated && is_version(segment));
        // One or two digits alone are a version (`claude-opus-4-9`), after a date they are its month or day.
        let fits = marks || (digits && (dated || segment.len() > 2));
        dated |= fits;
        fits
    })
}

/// Whether the rest after a key contains a date: a number of several digits.
pub(super) fn is_dated(rest: &str) -> bool {
    segments(rest).any(|segment| segment.len() > 2 && segment.chars().all(|char| char.is_ascii_digit()))
}

/// Whether the rest after a key names a model of the same family: an edition, a size, a quantization, a tuning.
pub(super) fn is_variant(rest: &str) -> bool {
    is_edition(rest)
        || segments(rest).all(|segment| {
            is_edition(segment)
                || is_size(segment)
                || (segment.contains('.') && is_version(segment))
                || is_quantization(segment)
                || matches!(
                    segment,
                    "instruct" | "chat" | "it" | "base" | "text" | "hf" | "gguf" | "awq" | "gptq" | "qat"
                )
                || matches!(
                    segment,
                    "coder" | "code" | "math" | "vl" | "omni" | "python" | "k" | "m" | "s" | "turbo"
                )
        })
}

/// The window that a name contains: `phi-3-mini-4k`, `yi-34b-200k`, `qwen2.5-7b-1m`. The last of several.
pub(super) fn window_in_name(name: &str) -> Option<u64> {
    segments(name).filter_map(window_tokens).last()
}

fn window_tokens(segment: &str) -> Option<u64> {
    let (digits, unit) = segment.split_at_checked(segment.len().checked_sub(1)?)?;
    let number: u64 = digits.parse().ok().filter(|number| *number > 0)?;
    match unit {
        "k" if (2..=4_096).contains(&number) => {
            Some(number * if number.is_power_of_two() { 1_024 } else { 1_000 })
        }
        // More than that many million are parameters, not tokens.
        "m" if number <= 10 => Some(number * 1_000_000),
        _ => None,
    }
}

fn segments(rest: &str) -> impl Iterator<Item = &str> {
    rest.split(['-', ':', '@', '_', '/']).filter(|segment| !segment.is_empty())
}

/// `v2`, `v0.3`
fn is_version(segment: &str) -> bool {
    segment.strip_prefix('v').is_some_and(is_number)
}

/// `8b`, `6.7b`, `270m`, `8x7b`, `a22b`, `e4b`
fn is_size(segment: &str) -> bool {
    let size = segment.strip_prefix(['a', 'e']).unwrap_or(segment);
    let size = size.strip_suffix(['b', 'm']).unwrap_or_default();
    !size.is_empty() && size.split('x').all(is_number)
}

/// `q4`, `q8`, `fp16`, `f16`, `bf16`, `int4`, `4bit`; `q4_K_M` is several segments.
fn is_quantization(segment: &str) -> bool {
    let bits = ["q", "fp", "f", "bf", "int", "iq"].iter().find_map(|kind| segment.strip_prefix(kind));
    bits.is_some_and(is_number)
        || segment.strip_suffix("bit").is_some_and(is_number)
        || (segment.len() == 1 && segment.chars().all(|char| char.is_ascii_digit()) && segment < "2")
}

fn is_number(text: &str) -> bool {
    text.starts_with(|char: char| char.is_ascii_digit())
        && text.chars().all(|char| char.is_ascii_digit() || char == '.')
}

#[cfg(test)]
mod tests;
