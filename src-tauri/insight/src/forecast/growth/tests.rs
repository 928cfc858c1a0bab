//! Outlooks of sizes that grow in known ways.

use super::{Fate, Outlook, Size, WindowShare, outlook};
use crate::forecast::repetition::Iterations;

/// A window of 1,000 tokens, 100 of them reserved.
fn sizes(tokens: impl IntoIterator<Item = u64>) -> Vec<Size> {
    let size = |(at, tokens): (u32, u64)| Size {
        epoch: [at].as_slice().into(),
        tokens,
        window: 1_000,
        reserve: 100,
        fate: Fate::Whole,
    };
    (0..).zip(tokens).map(size).collect()
}

fn of(sizes: &[Size], at_most: Option<u64>) -> (Outlook, u64) {
    let is_complete = at_most == Some(sizes.len() as u64);
    let iterations = Iterations { at_most, is_exact: false, is_complete };
    outlook(sizes, Some(&iterations)).unwrap()
}

fn share(iteration: u64, percent: u64) -> WindowShare {
    WindowShare { iteration: iteration.to_string(), percent }
}

#[test]
fn growth_that_goes_on_overflows_where_the_line_crosses_the_room() {
    // 100, 150, …, 350 in iteration 6; 900 fit, so iteration 17 is the last.
    let (outlook, growth) = of(&sizes((0..6).map(|at| 100 + 50 * at)), None);
    assert_eq!(growth, 50);
    let expected =
        Outlook::Overflows { iteration: Some("18".to_owned()), fails: false, before: Some(share(17, 100)) };
    assert_eq!(outlook, expected);
}

#[test]
fn growth_that_ends_before_the_room_does_fits() {
    let (outlook, _) = of(&sizes((0..6).map(|at| 100 + 50 * at)), Some(10));
    assert_eq!(outlook, Outlook::Fits { percent: 65, iteration: Some("10".to_owned()) });
    let (outlook, _) = of(&sizes((0..6).map(|at| 100 + 50 * at)), Some(6));
    assert_eq!(outlook, Outlook::Fits { percent: 45, iteration: Some("6".to_owned()) });
}

#[test]
fn overflow_that_was_seen_counts_and_not_the_line() {
    let mut seen = sizes([100, 400, 700, 200]);
    seen[3].fate = Fate::Trimmed;
    let (outlook, growth) = of(&seen, None);
    assert_eq!(growth, 300);
    let expected =
        Outlook::Overflows { iteration: Some("4".to_owned()), fails: false, before: Some(share(3, 80)) };
    assert_eq!(outlook, expected);
    let first = outlook_of_first_failing();
    assert_eq!(first, Outlook::Overflows { iteration: Some("1".to_owned()), fails: true, before: None });
}

fn outlook_of_first_failing() -> Outlook {
    let mut seen = sizes([2_000]);
    seen[0].fate = Fate::Fails;
    of(&seen, Some(5)).0
}

#[test]
fn history_within_its_bounds_is_bounded_whatever_comes() {
    let mut seen = sizes([100, 300, 420, 420, 420, 420, 420, 420, 420]);
    for size in &mut seen[3..] {
        size.fate = Fate::Bounded;
    }
    assert_eq!(of(&seen, None).0, Outlook::Bounded { percent: 52 });
}

#[test]
fn prompts_that_do_not_grow_fit() {
    let (outlook, growth) = of(&sizes([400; 5]), None);
    assert_eq!(growth, 0);
    assert_eq!(outlook, Outlook::Fits { percent: 50, iteration: None });
}
