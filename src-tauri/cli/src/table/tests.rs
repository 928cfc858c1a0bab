use super::*;

#[test]
fn durations_are_short() {
    let shown = [0, 999, 1_500, 125_000, 12_000_000].map(duration);
    assert_eq!(shown, ["0 ms", "999 ms", "1.5 s", "2 min 5 s", "3 h 20 min"]);
}

#[test]
fn long_texts_become_a_first_line() {
    assert_eq!(first_line("short", 10), "short");
    assert_eq!(first_line("two\nlines", 10), "two…");
    assert_eq!(first_line("äöüäöüäöü", 3), "äöü…");
}
