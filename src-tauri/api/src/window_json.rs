//! JSON for the window, without losing digits.
//!
//! JavaScript has one kind of number, which holds integers up to 2⁵³ - 1 exactly. A larger one travels as an object with one key,
//! `{"$int": "9007199254740993"}`. The page shows it as a number and sends it back as it came
//! (`ui/src/design/json/exact-json.ts`).

use serde::Serialize;
use serde_json::ser::{CompactFormatter, Formatter, Serializer};
use serde_json::{Number, Value};
use std::io;

use crate::ErrorReply;
use crate::codes;

/// The key of an integer that JavaScript cannot hold.
const KEY: &str = "$int";
/// JavaScript's `Number.MAX_SAFE_INTEGER`.
const MAX_SAFE_INTEGER: u64 = (1 << 53) - 1;

/// The JSON text of a value, for the page. `command.reply` if it has none.
pub fn to_window_json(value: &impl Serialize) -> Result<String, ErrorReply> {
    let mut text = Vec::new();
    let written =
        value.serialize(&mut Serializer::with_formatter(&mut text, ExactFormatter(CompactFormatter)));
    let text = written.map(|()| String::from_utf8(text).unwrap_or_default());
    text.map_err(|error| {
        ErrorReply::new(codes::COMMAND_REPLY, format!("The reply could not be serialized: {error}."))
    })
}

/// The value that the page means: with its large integers as numbers.
pub fn from_window_json(value: Value) -> Value {
    match value {
        Value::Array(items) => items.into_iter().map(from_window_json).collect(),
        Value::Object(object) => match large_integer(&object) {
            Some(number) => Value::Number(number),
            None => object.into_iter().map(|(key, inner)| (key, from_window_json(inner))).collect(),
        },
        other => other,
    }
}

/// The integer that an object stands for. Integers that JavaScript holds exactly are never written in this way.
fn large_integer(object: &serde_json::Map<String, Value>) -> Option<Number> {
    let digits = object.get(KEY).filter(|_| object.len() == 1)?.as_str()?;
    let number = digits.parse().map(|value: i64| (value.unsigned_abs(), Number::from(value)));
    let (size, number) =
        number.or_else(|_| digits.parse().map(|value: u64| (value, Number::from(value)))).ok()?;
    (size > MAX_SAFE_INTEGER && number.to_string() == digits).then_some(number)
}

/// Writes large integers as objects.
struct ExactFormatter(CompactFormatter);

impl Formatter for ExactFormatter {
    fn write_i64<W: io::Write + ?Sized>(&mut self, writer: &mut W, value: i64) -> io::Result<()> {
        if value.unsigned_abs() > MAX_SAFE_INTEGER {
            return write!(writer, "{{\"{KEY}\":\"{value}\"}}");
        }
        self.0.write_i64(writer, value)
    }

    fn write_u64<W: io::Write + ?Sized>(&mut self, writer: &mut W, value: u64) -> io::Result<()> {
        if value > MAX_SAFE_INTEGER {
            return write!(writer, "{{\"{KEY}\":\"{value}\"}}");
        }
        self.0.write_u64(writer, value)
    }
}

#[cfg(test)]
mod tests;
