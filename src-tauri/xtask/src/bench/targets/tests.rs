use super::*;
use crate::bench::criterion::Estimate;
use crate::bench::figures::Figure;

fn estimate(group: &str, by: &str, elements: u64, nanoseconds: f64) -> Estimate {
    Estimate { group: group.to_owned(), by: by.to_owned(), elements, nanoseconds }
}

#[test]
fn targets_are_met_or_missed() {
    let own = [
        estimate("chain", "engine", 1_000, 6_000_000.0),
        estimate("chain", "floor", 1_000, 1_000_000.0),
        estimate("join", "engine", 1_000, 2_000_000.0),
        estimate("join", "floor", 1_000, 1_000_000.0),
    ];
    let text = rows(Measurements { own: &own, figures: &[], peers: &[] }, "1234abc").concat();
    assert!(text.contains("| chain of 1,000, journal in memory, compared with the hand-written loop | ≤ 5 × | 6.00 × | **missed** |"), "{text}");
    assert!(
        text.contains(
            "| join of 1,000, journal in memory, compared with the hand-written loop | ≤ 5 × | 2.00 × | met | 1234abc |"
        ),
        "{text}"
    );
    assert!(!text.contains("first paint"), "targets without a measurement are left out: {text}");
}

#[test]
fn loops_are_compared_with_references_of_the_same_run() {
    let own = [
        estimate("times", "loop", 1_000, 6_000_000.0),
        estimate("times", "cycle", 1_000, 2_000_000.0),
        estimate("for-each", "engine", 10_000, 3_000_000.0),
        estimate("for-each", "tasks", 10_000, 2_000_000.0),
    ];
    let figure = |by: &str, value: f64| {
        let group = "conversation_loop_100".to_owned();
        Figure { group, by: by.to_owned(), value, unit: "µs".to_owned() }
    };
    let figures = [figure("with history", 130.0), figure("without history", 50.0)];
    let text = rows(Measurements { own: &own, figures: &figures, peers: &[] }, "1234abc").concat();
    assert!(text.contains("of the same nodes | ≤ 2 × | 3.00 × | **missed** |"), "{text}");
    assert!(text.contains("spawns a task for each | ≤ 2 × | 1.50 × | met |"), "{text}");
    assert!(text.contains("at 100 turns | ≤ 100 µs | 80.00 µs | met |"), "{text}");
}
