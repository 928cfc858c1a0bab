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
fn recording_keeps_the_rows_that_were_not_measured() {
    let row = |name: &str, value: &str| format!("| {name} | ≤ 5 × | {value} × | met | 1234abc |\n");
    let page = |head: &str, rows: &[String]| {
        format!("# Head\n{BEGIN}\n{head}{HEADER}{}{END}\ntail\n", rows.concat())
    };
    let old = page("old\n\n", &[row("a", "1"), row("b", "1")]);
    let new = replace_rows(&old, "new\n\n", vec![row("c", "2"), row("a", "2")]).unwrap();
    assert_eq!(new, page("new\n\n", &[row("a", "2"), row("b", "1"), row("c", "2")]));
    assert!(replace_rows("# Head\n", "new\n", Vec::new()).is_err());
}
