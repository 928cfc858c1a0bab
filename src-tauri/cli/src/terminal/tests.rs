use super::*;

#[test]
fn output_to_a_terminal_has_no_escape_sequences() {
    let mut written = Vec::new();
    let (name, value) = ("a\u{1b}[2J", "b\u{9d}52;c;\u{7}");
    writeln!(PrintableWriter(&mut written), "{name}: {value}").unwrap();
    assert_eq!(String::from_utf8(written).unwrap(), "a␛[2J: b\u{fffd}52;c;␇\n");
}
