use super::*;
use crate::redaction::disguises::disguises;
use proptest::prelude::*;

const SECRET: &str = "abcdefghijklmnopqrstuvwxyz0123456789";

fn matcher(secrets: &[&str]) -> SecretMatcher {
    SecretMatcher::new(secrets.iter().map(|secret| disguises(secret, true)))
}

fn ranges(matcher: &SecretMatcher, text: &str) -> Vec<Range<usize>> {
    matcher.find(text.as_bytes()).into_iter().map(|found| found.range).collect()
}

proptest! {
    /// Every part of sixteen bytes or more is found, as far as it goes, and no shorter one.
    #[test]
    fn matcher_finds_every_long_part(start in 0_usize..36, length in 1_usize..36) {
        let part = &SECRET[start..(start + length).min(SECRET.len())];
        let found = ranges(&matcher(&[SECRET]), &format!("=={part}=="));
        if part.len() >= 16 {
            prop_assert!(found.contains(&(2..2 + part.len())), "{part}: {found:?}");
        } else {
            prop_assert!(found.is_empty(), "{part}: {found:?}");
        }
    }

    #[test]
    fn undecided_end_is_the_longest_part_of_a_secret(start in 0_usize..20, length in 0_usize..15) {
        let text = format!("=={}", &SECRET[start..start + length]);
        prop_assert_eq!(matcher(&[SECRET]).undecided_len(text.as_bytes()), length);
    }
}

#[test]
fn short_secrets_match_as_a_whole() {
    let matcher = matcher(&["hunter2hunter"]);
    assert_eq!(ranges(&matcher, "xhunter2hunterx"), std::slice::from_ref(&(1..14)));
    assert!(ranges(&matcher, "hunter2hunte").is_empty());
    assert!(ranges(&matcher, "hunter2").is_empty() && SecretMatcher::default().is_empty());
}

/// A secret that repeats itself must not make the search quadratic: the test would not end.
#[test]
fn repetitive_secrets_and_texts_are_searched_in_linear_time() {
    let matcher = matcher(&[&"a".repeat(4_000), &"ab".repeat(2_000)]);
    let text = "a".repeat(4 << 20);
    let covered = ranges(&matcher, &text).into_iter().map(|range| range.end).max();
    assert_eq!(covered, Some(text.len()));
    assert!(ranges(&matcher, &"abbb".repeat(1 << 20)).is_empty());
}
