//! Measures CPU time of the thread, so that other processes do not affect the result.

use cpu_time::ThreadTime;
use criterion::measurement::{Measurement, ValueFormatter, WallTime};

/// A criterion measurement of the CPU time of the measuring thread.
pub struct OnThread;

impl Measurement for OnThread {
    type Intermediate = ThreadTime;
    type Value = std::time::Duration;

    fn start(&self) -> ThreadTime {
        ThreadTime::now()
    }

    fn end(&self, start: ThreadTime) -> Self::Value {
        start.elapsed()
    }

    fn add(&self, one: &Self::Value, other: &Self::Value) -> Self::Value {
        *one + *other
    }

    fn zero(&self) -> Self::Value {
        Self::Value::ZERO
    }

    fn to_f64(&self, value: &Self::Value) -> f64 {
        WallTime.to_f64(value)
    }

    fn formatter(&self) -> &dyn ValueFormatter {
        WallTime.formatter()
    }
}
