//! Places on the canvas.

use serde_json::Value;

use super::arrange::{CARD_HEIGHT, CARD_WIDTH, GAP};

/// A place on the canvas.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Point {
    pub(super) x: f64,
    pub(super) y: f64,
}

impl Point {
    /// Reads a place. An invalid place becomes the origin.
    pub(super) fn new(x: Option<f64>, y: Option<f64>) -> Self {
        const MAX_COORDINATE: f64 = 1_000_000.0;
        let read = |value: Option<f64>| match value {
            Some(value) if value.is_finite() => value.clamp(-MAX_COORDINATE, MAX_COORDINATE),
            _ => 0.0,
        };
        Self { x: read(x), y: read(y) }
    }

    /// A place from an object with `x` and `y`.
    pub(super) fn read(value: Option<&Value>) -> Self {
        let coordinate = |key: &str| value.and_then(|value| value.get(key)).and_then(Value::as_f64);
        Self::new(coordinate("x"), coordinate("y"))
    }

    /// A place beside another, in cards.
    pub(super) fn beside(self, columns: f64, rows: f64) -> Self {
        Self { x: columns.mul_add(CARD_WIDTH + GAP, self.x), y: rows.mul_add(CARD_HEIGHT + GAP, self.y) }
    }
}
