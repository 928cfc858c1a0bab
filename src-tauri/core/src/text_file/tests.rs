use super::*;

fn utf16(text: &str, unit: fn(u16) -> [u8; 2]) -> Vec<u8> {
    text.encode_utf16().flat_map(unit).collect()
}

fn decoded(bytes: &[u8]) -> Option<(String, Option<&'static str>)> {
    decode(bytes).map(|decoded| (decoded.text.clone().into_owned(), decoded.foreign_encoding()))
}

#[test]
fn text_is_read_in_the_encoding_of_its_bytes() {
    let text = "Größe: 5 €\r\nEnde";
    let read = |encoding| Some((text.to_owned(), encoding));
    assert_eq!(decoded(text.as_bytes()), read(None));
    assert_eq!(decoded(format!("\u{feff}{text}").as_bytes()), read(None), "without its mark");
    let marked = format!("\u{feff}{text}");
    assert_eq!(decoded(&utf16(&marked, u16::to_le_bytes)), read(Some("UTF-16LE")));
    assert_eq!(decoded(&utf16(&marked, u16::to_be_bytes)), read(Some("UTF-16BE")));
    assert_eq!(decoded(&utf16(text, u16::to_le_bytes)), read(Some("UTF-16LE")));
    assert_eq!(decoded(&utf16(text, u16::to_be_bytes)), read(Some("UTF-16BE")));
    assert_eq!(decoded(b"Gr\xf6\xdfe: 5 \x80\r\nEnde"), read(Some("Windows-1252")));
    assert_eq!(decoded(b""), Some((String::new(), None)));
}

#[test]
fn binary_files_are_no_text() {
    for bytes in [
        &b"\x7fELF\x02\x01\x01\0\0\0"[..],
        b"PK\x03\x04\x14\0",
        b"a\0b",
        b"Text\x1b[31m",
        b"\xff\xfe\x00\xd8a\0",
        b"\x81\x8d\x90",
    ] {
        assert_eq!(decoded(bytes), None, "{bytes:?}");
    }
}
