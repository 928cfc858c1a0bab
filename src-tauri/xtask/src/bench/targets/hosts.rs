//! Workers of a host.

use super::{Limit, Measurements, Target, target};

pub(super) fn load(measured: Measurements<'_>) -> Vec<Target> {
    let groups =
        [("a worker with 1,100 runs", ""), ("a worker with 1,100 runs of Restate", ", with Restate")];
    let figures = [
        ("an event reaches a watcher, median", 25.0, "ms"),
        ("an answer reaches its run, median", 200.0, "ms"),
        ("memory", 1_000.0, "MB"),
    ];
    let rows = groups.iter().flat_map(|(group, driver)| {
        figures.map(|(by, most, unit)| {
            target(
                format!("a worker with 1,000 waiting runs and 100 at work{driver}: {by}"),
                measured.figure(group, by),
                Limit::AtMost(most),
                unit,
            )
        })
    });
    rows.collect()
}
