//! Parsing JSON without losing digits.
//!
//! Plait keeps integers of 64 bits exactly. A parser would turn a larger one into a float, so that other digits came out
//! than went in. Text from outside is parsed here: a larger integer is an error that names it.

use serde_json::Value;

/// The maximum nesting of lists and objects in a value of a journal. Readers stop at 127, which leaves room for the
/// event around a value, and for results of sub-flows with the results of their children inside.
pub const MAX_NESTING_DEPTH: usize = 100;

#[derive(Debug, thiserror::Error)]
pub enum ExactJsonError {
    #[error("{0}")]
    Syntax(#[from] serde_json::Error),
    /// It contains an integer of more than 64 bits.
    #[error("the integer {0} has more than 64 bits; write it as text, in quotes")]
    LargeInteger(String),
}

pub fn parse(text: &str) -> Result<Value, ExactJsonError> {
    let value = serde_json::from_str(text)?;
    match find_large_integer(text) {
        None => Ok(value),
        Some((_, digits)) => Err(ExactJsonError::LargeInteger(shorten(digits))),
    }
}

/// The first integer of a valid JSON text that does not fit into 64 bits, and its position in bytes.
pub(crate) fn find_large_integer(text: &str) -> Option<(usize, &str)> {
    let bytes = text.as_bytes();
    let mut at = 0;
    while let Some(&byte) = bytes.get(at) {
        match byte {
            b'"' => at = end_of_string(bytes, at),
            b'-' | b'0'..=b'9' => {
                let is_number = |byte: &u8| matches!(byte, b'0'..=b'9' | b'-' | b'+' | b'.' | b'e' | b'E');
                let length = bytes[at..].iter().take_while(|byte| is_number(byte)).count();
                let number = &text[at..at + length];
                if is_large_integer(number) {
                    return Some((at, number));
                }
                at += length;
            }
            _ => at += 1,
        }
    }
    None
}

/// The digits, without those in the middle of a very long number.
pub fn shorten(digits: &str) -> String {
    if digits.len() <= 40 { digits.to_owned() } else { format!("{}…", &digits[..40]) }
}

fn is_large_integer(number: &str) -> bool {
    // 18 digits always fit.
    number.len() > 18
        && !number.contains(['.', 'e', 'E'])
        && number.parse::<i64>().is_err()
        && number.parse::<u64>().is_err()
}

/// The position behind the string that begins at `start`.
fn end_of_string(bytes: &[u8], start: usize) -> usize {
    let mut at = start + 1;
    while let Some(&byte) = bytes.get(at) {
        match byte {
            b'"' => return at + 1,
            b'\\' => at += 2,
            _ => at += 1,
        }
    }
    at
}

#[cfg(test)]
mod tests;
