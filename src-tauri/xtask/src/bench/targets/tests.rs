use super::*;

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
    let text = table(Measurements { own: &own, figures: &[], peers: &[] });
    assert!(text.contains("| chain of 1,000, journal in memory, compared with the hand-written loop | ≤ 5 × | 6.00 × | **missed** |"), "{text}");
    assert!(
        text.contains(
            "| join of 1,000, journal in memory, compared with the hand-written loop | ≤ 5 × | 2.00 × | met |"
        ),
        "{text}"
    );
    assert!(!text.contains("first paint"), "targets without a measurement are left out: {text}");
}
