use super::*;

#[test]
fn duration_has_suitable_units() {
    let texts = [0, 999, 1_500, 125_000, 12_000_000].map(format_duration);
    assert_eq!(texts, ["0 ms", "999 ms", "1.5 s", "2 min 5 s", "3 h 20 min"]);
}

#[test]
fn first_line_is_cut_with_an_ellipsis() {
    assert_eq!(first_line("short", 10), "short");
    assert_eq!(first_line("two\nlines", 10), "two…");
    assert_eq!(first_line("äöüäöüäöü", 3), "äöü…");
}
