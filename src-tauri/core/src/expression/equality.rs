//! Equality of JSON values by meaning: `2` equals `2.0`.

use serde_json::{Number, Value};

/// Whether two values are equal. Numbers are compared by value, not by how they are written.
pub fn values_equal(left: &Value, right: &Value) -> bool {
    match (left, right) {
        (Value::Number(left), Value::Number(right)) => numbers_equal(left, right),
        (Value::Array(left), Value::Array(right)) => {
            left.len() == right.len() && left.iter().zip(right).all(|(left, right)| values_equal(left, right))
        }
        (Value::Object(left), Value::Object(right)) => {
            left.len() == right.len()
                && left
                    .iter()
                    .all(|(name, left)| right.get(name).is_some_and(|right| values_equal(left, right)))
        }
        _ => left == right,
    }
}

/// Compares integers as integers: as floats, large ones would equal their neighbors.
fn numbers_equal(left: &Number, right: &Number) -> bool {
    left == right || as_integer(left).is_some_and(|left| as_integer(right) == Some(left))
}

/// The integer that a number is, whether it is written as one or as a float.
fn as_integer(number: &Number) -> Option<i128> {
    let written = number.as_i64().map(i128::from).or_else(|| number.as_u64().map(i128::from));
    #[expect(clippy::cast_possible_truncation, reason = "the float is whole and far below the limit of i128")]
    let float = || {
        number.as_f64().filter(|float| float.fract() == 0.0 && float.abs() < 1e30).map(|float| float as i128)
    };
    written.or_else(float)
}
