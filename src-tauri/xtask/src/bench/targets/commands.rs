//! The whole commands of the terminal program.

use super::{Limit, Measurements, Target, ratio, target};

pub(super) fn whole_commands(measured: Measurements<'_>) -> Vec<Target> {
    let mut targets: Vec<Target> = [
        ("run of a chain", 20.0, "µs"),
        ("run of a chain, peak memory", 4.0, "KB"),
        ("check of a chain", 8.0, "µs"),
        ("run of a cycle, peak memory", 1.0, "KB"),
    ]
    .map(|(by, most, unit)| {
        let what = format!("`plait`, whole command: {by}, for each of 100,000");
        target(what, measured.figure("command", by), Limit::AtMost(most), unit)
    })
    .into();
    let figure = |by: &str| measured.figure("command", by);
    let different = ratio(figure("run of a chain of different templates"), figure("run of a chain"));
    let what = "`plait`, whole command: run of a chain of different templates, compared with equal ones";
    targets.push(target(what, different, Limit::AtMost(2.0), "×"));
    let replay = "replay of 10,000 nodes, compared with their run";
    let what = format!("`plait`, whole command: {replay}");
    targets.push(target(what, figure(replay), Limit::AtMost(1.5), "×"));
    targets
}
