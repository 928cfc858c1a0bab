//! Workers of a host.

use super::{Limit, Measurements, Target, target};

pub(super) fn load(measured: Measurements<'_>) -> Vec<Target> {
    let figure = |by: &str| measured.figure("a worker with 1,100 runs", by);
    [
        ("an event reaches a watcher, median", 25.0, "ms"),
        ("an answer reaches its run, median", 200.0, "ms"),
        ("memory", 1_000.0, "MB"),
    ]
    .map(|(by, most, unit)| {
        target(
            format!("a worker with 1,000 waiting runs and 100 at work: {by}"),
            figure(by),
            Limit::AtMost(most),
            unit,
        )
    })
    .into()
}
