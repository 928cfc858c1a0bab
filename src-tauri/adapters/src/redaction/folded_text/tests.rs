use super::*;

fn folded(text: &str) -> String {
    String::from_utf8(fold(text)).expect("UTF-8")
}

#[test]
fn fold_ignores_case_space_invisible_characters_and_escapes() {
    for text in [
        "abc+d/e",
        "ABC-D_E",
        "a b\tc\n-d_e",
        "a\u{200b}b\u{ad}c\u{feff}-\u{2060}d\u{e0041}_e",
        "%61%62%63%2D%64%5F%65",
        "%2561bc%2Dd_e",
        r"\u0061\u0062c\u002dd_\u0065",
        r"\\u0061bc\\\\u002dd\/e",
        r"\x61bc-d\u200b_e",
        "a%E2%80%8Bbc-d_e",
        r"a\nbc-\td_e",
    ] {
        assert_eq!(folded(text), "abc+d/e", "{text:?}");
    }
}

#[test]
fn fold_keeps_other_text() {
    assert_eq!(folded("größe 100%"), "größe100%");
    assert_eq!(folded("50% of"), "50%of");
    assert_eq!(folded("%zz \\u12 \\ud800"), "%zzu12");
    assert_eq!(folded("%C3%BC"), "ü");
}

#[test]
fn source_range_covers_whole_escapes_and_nothing_around() {
    for (text, range, source) in [
        ("x %61bc y", 1..4, "%61bc"),
        ("x a b\u{200b}c y", 1..4, "a b\u{200b}c"),
        (r"x a\u0062\\u0063 y", 1..4, r"a\u0062\\u0063"),
        ("ü ab ü", 2..4, "ab"),
    ] {
        let folded = FoldedText::new(text).expect("small");
        assert_eq!(&text[folded.source_range(range)], source, "{text}");
    }
}

#[test]
fn incomplete_escape_is_found_at_the_end_alone() {
    for (text, escape) in [
        ("abc", ""),
        ("ab%", "%"),
        ("ab%4", "%4"),
        ("ab%41", ""),
        ("ab%25", "%25"),
        ("ab%252", "%252"),
        ("ab%253", "%253"),
        ("ab%x", ""),
        (r"ab\", r"\"),
        (r"ab\\\u00", r"\\\u00"),
        (r"ab\u0041", ""),
        (r"ab\n", ""),
        (r"ab\x4", r"\x4"),
    ] {
        assert_eq!(&text[incomplete_escape_start(text)..], escape, "{text}");
    }
}
