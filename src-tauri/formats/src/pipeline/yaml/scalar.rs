//! The values of plain scalars by the core schema of YAML 1.2.

use std::ops::Range;

use serde_json::{Number, Value};

use super::unsupported;
use crate::pipeline::problem::Problem;
use plait_core::exact_json;

/// A plain scalar by the core schema.
pub(super) fn plain_value(source: &str, range: &Range<usize>) -> Result<Value, Problem> {
    Ok(match source {
        "" | "~" | "null" | "Null" | "NULL" => Value::Null,
        "true" | "True" | "TRUE" => Value::Bool(true),
        "false" | "False" | "FALSE" => Value::Bool(false),
        _ => match number(source) {
            None => Value::String(source.to_owned()),
            Some(Some(number)) => Value::Number(number),
            Some(None) => {
                let message = format!("The number {} cannot be held exactly.", exact_json::shorten(source));
                return Err(unsupported(range.clone(), message).hint("Write it as text, in quotes."));
            }
        },
    })
}

/// The number that a text is, if it is one; `Some(None)` of one that JSON cannot hold.
#[expect(clippy::option_option, reason = "no number, a number that JSON can't hold, a number")]
fn number(source: &str) -> Option<Option<Number>> {
    let (sign, digits) = match source.as_bytes().first()? {
        b'-' => ("-", &source[1..]),
        b'+' => ("", &source[1..]),
        _ => ("", source),
    };
    if let Some(hexadecimal) = source.strip_prefix("0x") {
        let valid = !hexadecimal.is_empty() && hexadecimal.bytes().all(|byte| byte.is_ascii_hexdigit());
        return valid.then(|| u64::from_str_radix(hexadecimal, 16).ok().map(Number::from));
    }
    if let Some(octal) = source.strip_prefix("0o") {
        let valid = !octal.is_empty() && octal.bytes().all(|byte| (b'0'..=b'7').contains(&byte));
        return valid.then(|| u64::from_str_radix(octal, 8).ok().map(Number::from));
    }
    if matches!(digits, ".inf" | ".Inf" | ".INF") || matches!(source, ".nan" | ".NaN" | ".NAN") {
        return Some(None);
    }
    // A leading zero marks a text: a postal code, an id.
    if digits.len() > 1 && digits.bytes().all(|byte| byte.is_ascii_digit()) && digits.starts_with('0') {
        return None;
    }
    if !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit()) {
        let text = format!("{sign}{digits}");
        let number = text.parse::<u64>().map(Number::from).or_else(|_| text.parse::<i64>().map(Number::from));
        return Some(number.ok());
    }
    if !is_decimal(digits) {
        return None;
    }
    Some(format!("{sign}{digits}").parse::<f64>().ok().and_then(Number::from_f64))
}

/// Whether a text is `1.5`, `.5`, `1e3` and the like.
fn is_decimal(digits: &str) -> bool {
    let all_digits = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
    let (mantissa, exponent) = match digits.split_once(['e', 'E']) {
        Some((mantissa, exponent)) => (mantissa, Some(exponent.strip_prefix(['+', '-']).unwrap_or(exponent))),
        None => (digits, None),
    };
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    all_digits(whole)
        && all_digits(fraction)
        && !(whole.is_empty() && fraction.is_empty())
        && exponent.is_none_or(|exponent| !exponent.is_empty() && all_digits(exponent))
}

/// Whether a text means itself without quotes, anywhere.
pub(in crate::pipeline) fn is_plain_text(text: &str) -> bool {
    let starts_like_a_word = text.starts_with(|first: char| first.is_alphanumeric() || first == '_');
    let is_word = |character: char| character.is_alphanumeric() || " _-./()+=<>?!;$^~%'".contains(character);
    starts_like_a_word
        && !text.ends_with(' ')
        && text.chars().all(is_word)
        && matches!(plain_value(text, &(0..0)), Ok(Value::String(_)))
        // Readers of older versions take these for booleans.
        && !["yes", "no", "on", "off"].contains(&text.to_lowercase().as_str())
        && !text.bytes().all(|byte| byte.is_ascii_digit() || b"_:.".contains(&byte))
}
