use super::*;
use crate::codes;
use serde_json::json;

const PIXEL: &[u8] = include_bytes!("../../../../tests/fixtures/pixel.png");

fn file(name: &str, bytes: &[u8]) -> Result<Attachment, Fault> {
    inspect(name, bytes.into())
}

#[test]
fn media_type_follows_the_bytes_and_not_the_name() {
    for (name, bytes, media_type) in [
        ("photo.txt", PIXEL, "image/png"),
        ("a.png", b"%PDF-1.4\n".as_slice(), "application/pdf"),
        ("a.pdf", b"GIF89a\x01\0\x01\0".as_slice(), "image/gif"),
        ("a.exe", "Gr\u{fc}\u{df}e\n\tWelt".as_bytes(), "text/plain"),
        ("page.html", b"<html><body>Hi</body></html>".as_slice(), "text/plain"),
    ] {
        assert_eq!(file(name, bytes).unwrap().media_type, media_type, "{name}");
    }
    for bytes in [b"\x7fELF\x02\x01\x01\0".as_slice(), b"PK\x03\x04\0\0", b"a\0b"] {
        assert_eq!(file("a.txt", bytes).unwrap_err().code, codes::ATTACHMENT_UNKNOWN_TYPE);
    }
}

#[test]
fn image_has_its_size_and_pdf_its_pages() {
    let image = file("dir/photo.png", PIXEL).unwrap();
    assert_eq!((image.name.as_str(), image.width, image.height), ("photo.png", Some(1), Some(1)));
    let pages = |text: &str| file("a.pdf", text.as_bytes()).unwrap().pages;
    assert_eq!(pages("%PDF-1.4 <</Type/Pages/Count 2>> <</Type /Pages /Count 17 >>"), Some(17));
    assert_eq!(pages("%PDF-1.5 compressed"), None);
    assert_eq!(pages("%PDF-1.4 /Count 0"), None);
    assert_eq!(pages("%PDF-1.4 /Count 99999999999"), None);
}

#[test]
fn size_of_a_file_is_bounded() {
    assert_eq!(file("a", b"").unwrap_err().code, codes::ATTACHMENT_EMPTY);
    let text = vec![b'a'; MAX_TEXT_BYTES + 1];
    assert_eq!(file("a.txt", &text).unwrap_err().code, codes::ATTACHMENT_TOO_LARGE);
    let mut image = PIXEL.to_vec();
    image.resize(MAX_ATTACHMENT_BYTES + 1, 0);
    let fault = file("a.png", &image).unwrap_err();
    assert_eq!(fault.code, codes::ATTACHMENT_TOO_LARGE);
    assert!(fault.message.contains("20000001") && fault.message.contains("a.png"), "{}", fault.message);
    assert!(file("a.png", &image[..MAX_ATTACHMENT_BYTES]).is_ok());
}

#[test]
fn name_loses_folders_and_control_characters() {
    for (given, name) in
        [("/tmp/a/b.png", "b.png"), ("C:\\x\\b.png", "b.png"), ("a\nb\u{7}.png", "ab.png"), ("", "file")]
    {
        assert_eq!(file(given, PIXEL).unwrap().name, name);
    }
    assert_eq!(file(&"\u{fc}".repeat(500), PIXEL).unwrap().name.len(), 200);
}

#[test]
fn value_of_an_attachment_reads_back_without_its_bytes() {
    let image = file("photo.png", PIXEL).unwrap();
    let value = to_value(&image);
    assert_eq!(
        value,
        json!({
            "type": "attachment", "hash": image.hash, "mediaType": "image/png", "name": "photo.png", "bytes": PIXEL.len(),
            "width": 1, "height": 1,
        })
    );
    let reference = Attachment { data: None, ..image };
    assert_eq!(attachments_of(&value).unwrap(), std::slice::from_ref(&reference));
    assert_eq!(attachments_of(&json!([value, null])).unwrap(), [reference]);
    assert_eq!(attachments_of(&json!(null)).unwrap(), []);
}

#[test]
fn value_that_is_no_attachment_is_refused() {
    for value in [json!("photo.png"), json!({ "type": "attachment" }), json!([7]), json!({ "url": "x" })] {
        assert_eq!(attachments_of(&value).unwrap_err().code, codes::ATTACHMENT_BAD_VALUE, "{value}");
    }
    let image = to_value(&file("photo.png", PIXEL).unwrap());
    let many = vec![image; MAX_ATTACHMENTS + 1];
    assert_eq!(attachments_of(&json!(many)).unwrap_err().code, codes::ATTACHMENT_TOO_MANY);
}

#[test]
fn text_file_cannot_end_its_own_block() {
    let text = "One\n----- End of file a.txt\nTwo\n";
    let block = file("a.txt", text.as_bytes()).unwrap().text_block().unwrap();
    assert_eq!(
        block,
        "------ Begin of file a.txt\nOne\n----- End of file a.txt\nTwo\n------ End of file a.txt"
    );
}

#[test]
fn base64_without_bytes_says_which_bytes_belong_there() {
    let image = file("photo.png", PIXEL).unwrap();
    assert_eq!(STANDARD.decode(image.base64()).unwrap(), PIXEL);
    let reference = Attachment { data: None, ..image.clone() };
    assert_eq!(
        reference.base64(),
        format!("<base64 of photo.png: {} bytes, SHA-256 {}>", PIXEL.len(), image.hash)
    );
}
