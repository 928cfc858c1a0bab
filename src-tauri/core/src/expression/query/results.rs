//! Conversion between a query's values and JSON, within limits: a value that shares its parts can be small in memory and
//! huge when written out.

use jaq_core::native::{Fun, bome, v};
use jaq_core::{Error, Native};
use jaq_json::{Num, Val};
use serde_json::{Map, Number, Value};

use super::budget::QueryTypes;
use crate::exact_json::MAX_NESTING_DEPTH;

/// How many values the results may contain in total.
const MAX_VALUES: usize = 1_000_000;
/// How much text they may contain in total, in bytes.
const MAX_TEXT_BYTES: usize = 32 << 20;

/// The filter `fromjson`. It refuses values that are nested deeper than 128.
pub(super) fn from_json() -> Fun<QueryTypes> {
    let native = Native::new(|cv| {
        let (Val::TStr(text) | Val::BStr(text)) = &cv.1 else {
            return bome(Err(Error::str(format_args!("cannot parse {} as JSON", cv.1))));
        };
        bome(
            serde_json::from_slice(text)
                .map_err(|error| Error::str(format_args!("this text is not JSON: {error}"))),
        )
    });
    ("fromjson", v(0), native)
}

/// The remaining limits of the results of a query.
pub(super) struct ResultLimits {
    values: usize,
    text_bytes: usize,
}

impl Default for ResultLimits {
    fn default() -> Self {
        Self { values: MAX_VALUES, text_bytes: MAX_TEXT_BYTES }
    }
}

impl ResultLimits {
    /// The value as JSON. The error says which limit it exceeds.
    pub(super) fn convert_result(&mut self, value: &Val) -> Result<Value, &'static str> {
        self.convert(value, MAX_NESTING_DEPTH)
    }

    fn convert(&mut self, value: &Val, depth: usize) -> Result<Value, &'static str> {
        let depth = depth.checked_sub(1).ok_or("its result is nested too deep")?;
        self.values = self.values.checked_sub(1).ok_or("its result is too large")?;
        Ok(match value {
            Val::Null => Value::Null,
            Val::Bool(value) => Value::Bool(*value),
            Val::Num(number) => json_number(number)?,
            Val::TStr(text) | Val::BStr(text) => Value::String(self.text(text)?),
            Val::Arr(items) => {
                Value::Array(items.iter().map(|item| self.convert(item, depth)).collect::<Result<_, _>>()?)
            }
            Val::Obj(entries) => {
                let entries =
                    entries.iter().map(|(name, value)| Ok((self.name(name)?, self.convert(value, depth)?)));
                Value::Object(entries.collect::<Result<Map<_, _>, &'static str>>()?)
            }
        })
    }

    fn name(&mut self, name: &Val) -> Result<String, &'static str> {
        match name {
            Val::TStr(text) | Val::BStr(text) => self.text(text),
            _ => Err("its result has a key that is not text"),
        }
    }

    fn text(&mut self, bytes: &[u8]) -> Result<String, &'static str> {
        self.text_bytes = self.text_bytes.checked_sub(bytes.len()).ok_or("its result is too large")?;
        Ok(String::from_utf8_lossy(bytes).into_owned())
    }
}

/// 2 to the power of 53. Up to here every integer has a float of its own.
const MAX_EXACT_INTEGER: f64 = 9_007_199_254_740_992.0;

/// What JSON has no number for (NaN, infinities) becomes null, as in jq. A float that is an integer becomes one, so that
/// the result of a division compares equal to a written integer. An integer that JSON values can't hold exactly is an error.
fn json_number(number: &Num) -> Result<Value, &'static str> {
    let from_float = |number: f64| {
        if number.fract() == 0.0 && number.abs() <= MAX_EXACT_INTEGER {
            #[allow(clippy::cast_possible_truncation, reason = "it is an integer in range")]
            return Value::from(number as i64);
        }
        Number::from_f64(number).map_or(Value::Null, Value::Number)
    };
    Ok(match number {
        Num::Int(number) => Value::from(*number),
        Num::Float(number) => from_float(*number),
        Num::Dec(text) => text.parse().map_or(Value::Null, from_float),
        Num::BigInt(number) => {
            let text = number.to_string();
            let value =
                text.parse::<u64>().map(Value::from).or_else(|_| text.parse::<i64>().map(Value::from));
            value
                .map_err(|_| "its result has an integer of more than 64 bits (`tostring` keeps it as text)")?
        }
    })
}
