use super::*;

fn figure(group: &str, by: &str, things: u64, nanoseconds: f64) -> Figure {
    Figure { group: group.to_owned(), by: by.to_owned(), things, nanoseconds }
}

#[test]
fn each_line_is_judged_by_what_is_asked() {
    let own = [
        figure("chain", "engine", 1_000, 6_000_000.0),
        figure("chain", "floor", 1_000, 1_000_000.0),
        figure("join", "engine", 1_000, 2_000_000.0),
        figure("join", "floor", 1_000, 1_000_000.0),
    ];
    let text = table(Measured { own: &own, notes: &[], peers: &[] });
    assert!(text.contains("| chain of 1,000, journal in memory, beside the hand-written loop | ≤ 5 × | 6.00 × | **missed** |"), "{text}");
    assert!(
        text.contains(
            "| join of 1,000, journal in memory, beside the hand-written loop | ≤ 5 × | 2.00 × | met |"
        ),
        "{text}"
    );
    assert!(!text.contains("first paint"), "what was not measured is not judged: {text}");
}
