//! What is prepared for a model: prompts, retrieval and conversations.

use super::{Limit, Measurements, Target, UNCHANGED, ratio, target};

pub(super) fn assembly(measured: Measurements<'_>) -> Vec<Target> {
    let pass =
        ratio(measured.micros_per_element("trim", "engine"), measured.micros_per_element("trim", "bare"));
    let mut targets = vec![target(
        "trimming 10,000 messages compared with one pass over their counts",
        pass,
        Limit::AtMost(2.0),
        "×",
    )];
    for peer in measured.peers.iter().filter(|peer| peer.shape == "trim") {
        let longer = ratio(peer.micros_per_element(), measured.micros_per_element("trim", "engine"));
        targets.push(target(
            format!("{} takes this many times longer", peer.name),
            longer,
            Limit::AtLeast(100.0),
            "×",
        ));
    }
    let counting =
        ratio(measured.micros_per_element("count", "bare"), measured.micros_per_element("count", "engine"));
    targets.push(target(
        "speed of counting new text compared with bare tiktoken",
        counting,
        Limit::AtLeast(0.8),
        "×",
    ));
    let whole = |length: u32| {
        Some(measured.micros_per_element_at("snapshot", "engine", length.into())? * f64::from(length))
    };
    let snapshot = ratio(whole(100_000), whole(1_000));
    targets.push(target("a snapshot of 100,000 messages compared with 1,000", snapshot, UNCHANGED, "×"));
    targets.push(target(
        "assembling a prompt with all blocks but retrieval",
        measured.micros_per_element("blocks", "engine"),
        Limit::AtMost(200.0),
        "µs",
    ));
    for (turns, limit) in [(100, 100.0), (10_000, 1_000.0)] {
        let group = format!("loop_history_{turns}");
        let figure = |by: &str| measured.micros_per_element(&group, by);
        targets.push(target(
            format!("the history of a loop, prepared and sent, an iteration at {turns} turns"),
            figure("engine"),
            Limit::AtMost(limit),
            "µs",
        ));
        let compared = ratio(figure("engine"), figure("bare"));
        let name = format!("the same compared with a plain list, at {turns} turns");
        targets.push(target(name, compared, Limit::AtMost(10.0), "×"));
    }
    targets
}

pub(super) fn retrieval(measured: Measurements<'_>) -> Vec<Target> {
    let figure = |by: &str| measured.figure("retrieval", by);
    let search = figure("search of 10,000 passages");
    vec![
        target("a search of 10,000 passages, 95th percentile", search, Limit::AtMost(10.0), "ms"),
        target(
            "the same compared with bare tantivy",
            ratio(search, figure("bare tantivy")),
            Limit::AtMost(1.5),
            "×",
        ),
        target("indexing 100 MB of Markdown", figure("indexing Markdown"), Limit::AtLeast(5.0), "MB/s"),
    ]
}

pub(super) fn conversations(measured: Measurements<'_>) -> Vec<Target> {
    let turns = |range: &str| measured.figure("conversation", &format!("journal on disk, turns {range}"));
    let size = |by: &str| measured.figure("conversation-size", by);
    let apart = |range: &str| measured.figure("conversation-runs", &format!("a run each, turns {range}"));
    let stored = |by: &str| measured.figure("conversation-runs-size", by);
    let half = size("half of the turns");
    let second = size("all turns").zip(half).map(|(all, half)| all - half);
    let beside_text = ratio(stored("on disk, journals of all runs included"), stored("its text"));
    vec![
        target(
            "a turn at 10,000 messages compared with one at 100",
            ratio(turns("4950–5050"), turns("10–110")),
            Limit::AtMost(2.0),
            "×",
        ),
        target(
            "turn 2,000 compared with turn 10",
            ratio(turns("1900–2000"), turns("10–110")),
            UNCHANGED,
            "×",
        ),
        target(
            "stored size of the second half of 5,050 turns compared with the first",
            ratio(second, half),
            UNCHANGED,
            "×",
        ),
        target(
            "turn 1,000 compared with turn 10, one run per turn",
            ratio(apart("950–1000"), apart("10–60")),
            UNCHANGED,
            "×",
        ),
        target(
            "stored size of 1,000 turns, one run per turn, compared with their text",
            beside_text,
            Limit::AtMost(5.0),
            "×",
        ),
    ]
}
