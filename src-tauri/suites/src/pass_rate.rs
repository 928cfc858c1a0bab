//! How often a case passed, and what that says of the rate behind it: the Wilson score interval.

use serde::{Deserialize, Serialize};
use ts_rs::TS;

/// The quantile of the normal distribution for a confidence of 95 %.
const Z_95: f64 = 1.959_963_984_540_054;

/// Passes among runs, with the interval in which the true rate lies with a confidence of 95 %.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize, TS)]
pub struct PassRate {
    pub passed: u32,
    pub runs: u32,
    /// The lower end of the interval, from 0 to 1.
    pub low: f64,
    /// The upper end.
    pub high: f64,
}

impl PassRate {
    /// The interval of Wilson (1927), without a correction for continuity. Without runs it is everything from 0 to 1.
    pub fn of(passed: u32, runs: u32) -> Self {
        if runs == 0 {
            return Self { passed, runs, low: 0.0, high: 1.0 };
        }
        let (count, rate) = (f64::from(runs), f64::from(passed) / f64::from(runs));
        let square = Z_95 * Z_95;
        let scale = 1.0 + square / count;
        let center = (rate + square / (2.0 * count)) / scale;
        let half = Z_95 * (rate * (1.0 - rate) / count + square / (4.0 * count * count)).sqrt() / scale;
        // At the ends, rounding leaves a trace.
        let low = if passed == 0 { 0.0 } else { (center - half).max(0.0) };
        let high = if passed == runs { 1.0 } else { (center + half).min(1.0) };
        Self { passed, runs, low, high }
    }

    /// Whether at least this part of the runs passed. Without runs, none did.
    pub fn reaches(&self, part: f64) -> bool {
        // A rate like 0.8 is no exact binary number: four of five reach it.
        self.runs > 0 && f64::from(self.passed) + 1e-9 >= part * f64::from(self.runs)
    }
}
