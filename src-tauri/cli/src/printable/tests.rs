use super::*;

#[test]
fn escape_sequences_become_visible() {
    let clipboard = "a\u{1b}]52;c;cGxhaXQ=\u{7}b";
    assert_eq!(printable(clipboard), "a␛]52;c;cGxhaXQ=␇b");
    assert_eq!(printable("\u{9b}31mred"), "\u{fffd}31mred");
    assert_eq!(printable("1\r2\u{8}\u{7f}"), "1␍2␈␡");
    assert_eq!(printable("a\u{202e}b"), "a\u{fffd}b");
}

#[test]
fn line_breaks_and_tabs_stay() {
    assert_eq!(printable("a\r\nb\tc\n"), "a\nb\tc\n");
    assert!(matches!(printable("Zoë 👩‍💻\n"), Cow::Borrowed(_)));
}

#[test]
fn in_place_replacement_keeps_byte_positions() {
    for char in (0..=0x2fff).filter_map(char::from_u32) {
        let text = format!("a{char}b");
        let replaced = printable_in_place(&text);
        assert_eq!(replaced.len(), text.len(), "{char:?}");
        assert!(!replaced.chars().any(is_unsafe), "{char:?}");
    }
}
