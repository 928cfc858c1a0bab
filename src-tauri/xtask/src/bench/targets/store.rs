//! Opening and searching many runs.

use super::{Limit, Measurements, Target, target};

pub(super) fn opening(measured: Measurements<'_>) -> Vec<Target> {
    [
        ("opening 10,000 runs of 100 events", 300.0),
        ("opening the same without its index", 20_000.0),
        ("opening a run of 100,000 events after a crash, up to where it goes on", 1_000.0),
        ("listing 10,000 runs", 50.0),
        ("listing the newest 100 of 10,000 runs", 1.0),
        ("opening 10,000 runs beside a writer and listing them", 500.0),
    ]
    .map(|(by, most)| target(by, measured.figure("open", by), Limit::AtMost(most), "ms"))
    .into()
}

pub(super) fn finding(measured: Measurements<'_>) -> Vec<Target> {
    [
        "a condition on the outputs of a node",
        "a condition on the inputs of a node",
        "a condition that is true in each",
    ]
    .map(|condition| {
        let by = format!("asking 10,000 runs of 100 events: {condition}");
        let value = measured.figure("find", &by);
        target(by, value, Limit::AtMost(2_000.0), "ms")
    })
    .into()
}
