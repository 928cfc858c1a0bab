//! When two values are the same to a person: numbers by what they are, not by how they are written.

use serde_json::{Number, Value};

/// Whether `2` in the one may be `2.0` in the other, and all else is equal.
pub(super) fn equal(one: &Value, other: &Value) -> bool {
    match (one, other) {
        (Value::Number(one), Value::Number(other)) => same_number(one, other),
        (Value::Array(one), Value::Array(other)) => {
            one.len() == other.len() && one.iter().zip(other).all(|(one, other)| equal(one, other))
        }
        (Value::Object(one), Value::Object(other)) => {
            one.len() == other.len()
                && one.iter().all(|(name, one)| other.get(name).is_some_and(|other| equal(one, other)))
        }
        _ => one == other,
    }
}

/// Whole numbers are compared as such: as floats, large ones would be equal to their neighbours.
fn same_number(one: &Number, other: &Number) -> bool {
    one == other || (one.is_f64() || other.is_f64()) && one.as_f64() == other.as_f64()
}
