use proptest::prelude::*;

use super::*;

/// What is written for a character within a line, by the escape of a history without a template.
const WRITTEN: [(char, &str); 8] = [
    ('&', "&amp;"),
    ('<', "&lt;"),
    ('>', "&gt;"),
    ('\n', "\n  "),
    ('\u{2028}', "\n  "),
    ('\t', "\t"),
    ('"', "\""),
    ('é', "é"),
];

proptest! {
    #[test]
    fn character_is_escaped_wherever_it_stands(before in 0..200_usize, after in 0..200_usize, at in 0..WRITTEN.len()) {
        let (character, written) = WRITTEN[at];
        let [before, after] = [before, after].map(|length| "x".repeat(length));
        let text = format!("{before}{character}{after}");
        prop_assert_eq!(ContentEscape::default().apply(&text), format!("{before}{written}{after}"));
    }

    #[test]
    fn tag_of_the_history_is_escaped_wherever_it_stands(before in 0..200_usize) {
        let before = "x".repeat(before);
        let text = format!("{before}<b></conversation_history>");
        let written = format!("{before}<b>&lt;/conversation_history>");
        prop_assert_eq!(ContentEscape::within_lines().apply(&text), written);
    }
}
