//! Equality of JSON values by meaning: `2` equals `2.0`.

use serde_json::{Number, Value};

/// Whether two values are equal. Numbers are compared by value, not by how they are written.
pub(crate) fn values_equal(left: &Value, right: &Value) -> bool {
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
    left == right || (left.is_f64() || right.is_f64()) && left.as_f64() == right.as_f64()
}
