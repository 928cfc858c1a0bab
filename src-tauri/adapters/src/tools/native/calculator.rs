//! `calculator`: the value of an expression.

use plait_core::error::Fault;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Number, Value};

use super::expression;
use super::tool::{CallContext, NativeTool};
use crate::codes;

/// Whole numbers up to 2^53 are exact, and are returned without a decimal point.
const MAX_EXACT_INTEGER: f64 = 9_007_199_254_740_992.0;

pub(super) struct Calculator;

/// The arguments of `calculator`.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Arguments {
    /// For example `2 * (3 + 4)^2` or `sqrt(2) / 3`.
    expression: String,
}

impl NativeTool for Calculator {
    type Arguments = Arguments;
    const NAME: &'static str = "calculator";
    const DESCRIPTION: &'static str = "Computes the value of an arithmetic expression. Takes + - * / % (remainder) ^ (power), \
        parentheses, pi, e, and sqrt cbrt abs exp ln log2 log10 log(x, base) sin cos tan asin acos atan atan2 (radians) floor \
        ceil round trunc sign min max.";

    async fn call(&self, arguments: Arguments, _: CallContext) -> Result<Value, Fault> {
        number(&arguments.expression, expression::evaluate(&arguments.expression)?)
    }
}

fn number(expression: &str, value: f64) -> Result<Value, Fault> {
    if value.fract() == 0.0 && value.abs() <= MAX_EXACT_INTEGER {
        // Checked to be whole and in the exact range.
        #[expect(clippy::cast_possible_truncation)]
        return Ok(Value::from(value as i64));
    }
    Number::from_f64(value).map(Value::Number).ok_or_else(|| {
        let what = if value.is_nan() { "has no real value" } else { "is infinite, or too large to compute" };
        Fault::new(codes::TOOL_NO_RESULT, format!("`{expression}` {what}.")).hint(
            "Check for a division by zero, the root or logarithm of a negative number, or a huge power.",
        )
    })
}
