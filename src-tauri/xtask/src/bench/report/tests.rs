use super::*;

fn estimate(by: &str, nanoseconds: f64) -> Estimate {
    Estimate { group: "chain".to_owned(), by: by.to_owned(), elements: 1000, nanoseconds }
}

#[test]
fn estimates_are_compared_with_reference_and_peers() {
    let peer = Peer {
        name: "other 1.0".to_owned(),
        shape: "chain".to_owned(),
        journal: "none".to_owned(),
        nodes: 500,
        nanoseconds: Some(30_000_000.0),
        failure: None,
        complete: false,
    };
    let text = estimates(&[estimate("engine", 6_000_000.0), estimate("floor", 3_000_000.0)], &[peer]);
    assert!(text.contains("| engine | 1000 | 6.00 | 2.00 |"), "{text}");
    assert!(text.contains("| floor | 1000 | 3.00 | 1.00 |"), "{text}");
    assert!(
        text.contains("| other 1.0 (left nodes out and reported success) | 500 | 60.00 | 10 × engine |"),
        "{text}"
    );
}

#[test]
fn record_replaces_only_the_measured_part() {
    let old = format!("# Head\n{BEGIN}\nold\n{END}\ntail\n");
    assert_eq!(record(&old, "new\n").unwrap(), format!("# Head\n{BEGIN}\nnew\n{END}\ntail\n"));
    assert!(record("# Head\n", "new\n").is_err());
}
