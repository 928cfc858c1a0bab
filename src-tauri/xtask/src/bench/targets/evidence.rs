//! Questions about recorded runs, and runs and tests that take recorded ones over.

use super::{Limit, Measurements, Target, UNCHANGED, ratio, target};

pub(super) fn lineage(measured: Measurements<'_>) -> Vec<Target> {
    [
        "where from, in 100,000 events: the first question, which reads the run",
        "where from, in 100,000 events, 1,000 steps",
        "where to, in 100,000 events, 1,000 steps",
    ]
    .map(|by| target(by, measured.figure("lineage", by), Limit::AtMost(100.0), "ms"))
    .into()
}

pub(super) fn comparing(measured: Measurements<'_>) -> Vec<Target> {
    ["that did the same", "in which every node differs"]
        .map(|which| {
            let by = format!("two runs of 10,000 nodes {which}");
            let value = measured.figure("compare", &by);
            target(format!("comparing {by}"), value, Limit::AtMost(200.0), "ms")
        })
        .into()
}

pub(super) fn testing(measured: Measurements<'_>) -> Vec<Target> {
    let by = "1,000 cases from recordings";
    vec![target(format!("testing {by}"), measured.figure("suites", by), Limit::AtMost(10.0), "s")]
}

pub(super) fn reuse(measured: Measurements<'_>) -> Vec<Target> {
    let figure = |by: &str| measured.figure("rerun", by);
    vec![
        target(
            "running 1,000 nodes with 100 model calls again after an edit of the last call",
            figure("the same again after an edit of the last call"),
            Limit::AtMost(50.0),
            "ms",
        ),
        target("its bill before", figure("its bill before"), Limit::AtMost(50.0), "ms"),
        target(
            "finding a reply among 1,000,000 by its key",
            figure("finding a reply among 1,000,000"),
            Limit::AtMost(100.0),
            "µs",
        ),
    ]
}

pub(super) fn replay(measured: Measurements<'_>) -> Vec<Target> {
    ["texts", "1,000 of them model calls"]
        .map(|which| {
            let what = format!("replay of 10,000 nodes, {which}");
            let figure = |by: &str| measured.figure(&what, by);
            let compared = ratio(figure("replay"), figure("scheduler"));
            target(format!("{what}, compared with running them"), compared, UNCHANGED, "×")
        })
        .into()
}
