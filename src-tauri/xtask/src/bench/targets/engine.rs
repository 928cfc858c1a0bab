//! What the engine adds to the nodes that it runs.

use super::{Limit, Measurements, Target, UNCHANGED, ratio, target};

const SHAPES: [&str; 4] = ["chain", "fan-out", "join", "ladder"];

pub(super) fn scheduling(measured: Measurements<'_>) -> Vec<Target> {
    let mut targets = Vec::new();
    for shape in SHAPES {
        let floor =
            ratio(measured.micros_per_element(shape, "engine"), measured.micros_per_element(shape, "floor"));
        let what = format!("{shape} of 1,000, journal in memory, compared with the hand-written loop");
        targets.push(target(what, floor, Limit::AtMost(5.0), "×"));
    }
    let growth = |by: &str| {
        ratio(
            measured.micros_per_element_at("growth", by, 100_000),
            measured.micros_per_element_at("growth", by, 100),
        )
    };
    targets.push(target(
        "cost per node at 100,000 nodes compared with 100",
        growth("engine"),
        UNCHANGED,
        "×",
    ));
    let beside_loop = ratio(growth("engine"), growth("floor"));
    targets.push(target(
        "the same, each compared with the hand-written loop of its size",
        beside_loop,
        UNCHANGED,
        "×",
    ));
    for shape in SHAPES {
        for peer in measured.peers.iter().filter(|peer| peer.shape == shape) {
            let stored = peer.journal != "none";
            let (least, both) = if stored { (50.0, ", both stored") } else { (10.0, "") };
            let what = format!("{} of {shape} takes this many times longer{both}", peer.name);
            let longer =
                ratio(peer.micros_per_element(), measured.micros_per_element(&peer.group(), "engine"));
            targets.push(target(what, longer, Limit::AtLeast(least), "×"));
        }
        let stored = measured.micros_per_element(&format!("durable-{shape}"), "engine");
        targets.push(target(format!("a node of {shape}, stored"), stored, Limit::AtMost(40.0), "µs"));
    }
    let run_to = ratio(
        measured.micros_per_element("run-to", "engine"),
        measured.micros_per_element("run-to-chain", "engine"),
    );
    targets.push(target(
        "cost per node of a run to the last of 18 diamonds compared with a chain",
        run_to,
        UNCHANGED,
        "×",
    ));
    let breakpoints = ratio(
        measured.micros_per_element("breakpoints", "with"),
        measured.micros_per_element("breakpoints", "without"),
    );
    targets.push(target(
        "a chain of 1,000 with as many breakpoints compared with none",
        breakpoints,
        Limit::AtMost(1.1),
        "×",
    ));
    targets
}

pub(super) fn loops(measured: Measurements<'_>) -> Vec<Target> {
    let compared = |group: &str, by: &str, reference: &str| {
        ratio(measured.micros_per_element(group, by), measured.micros_per_element(group, reference))
    };
    let journal = |part: &str| measured.figure("loop", &format!("journal, {part} 1,000"));
    let mut targets = vec![
        target(
            "an iteration of a `times` loop compared with one of a cycle of the same nodes",
            compared("times", "loop", "cycle"),
            Limit::AtMost(2.0),
            "×",
        ),
        target(
            "`forEach` over 10,000 items, 16 at once, compared with a program that spawns a task for each",
            compared("for-each", "engine", "tasks"),
            Limit::AtMost(2.0),
            "×",
        ),
        target(
            "peak memory of an iteration, up to 10,000",
            measured.figure("loop", "peak memory of an iteration"),
            Limit::AtMost(0.1),
            "KB",
        ),
        target(
            "journal of the last 1,000 of 10,000 iterations compared with the first",
            ratio(journal("last"), journal("first")),
            UNCHANGED,
            "×",
        ),
    ];
    for (turns, limit) in [(100, 100.0), (10_000, 1_000.0)] {
        let figure = |by: &str| measured.figure(&format!("conversation_loop_{turns}"), by);
        let history =
            figure("with history").zip(figure("without history")).map(|(with, without)| with - without);
        let what = format!("what the history adds to a whole iteration of a running loop at {turns} turns");
        targets.push(target(what, history, Limit::AtMost(limit), "µs"));
    }
    targets
}

pub(super) fn expressions(measured: Measurements<'_>) -> Vec<Target> {
    [("template in place", 5.0), ("condition in place", 5.0), ("query in a worker", 100.0)]
        .map(|(by, most)| {
            let value = measured.figure("expressions", by);
            target(format!("one evaluation: {by}"), value, Limit::AtMost(most), "µs")
        })
        .into()
}
