use std::path::Path;

use super::*;
use crate::codes;

fn read_text(name: &str, bytes: &[u8]) -> Result<Document, String> {
    let path = Path::new(name);
    check_beginning(path, &bytes[..bytes.len().min(100)]).and_then(|()| read(path, bytes, None)).map_err(
        |fault| {
            assert_eq!(fault.code, codes::KNOWLEDGE_BAD_FILE);
            fault.message
        },
    )
}

/// A PDF with one page that shows `text`.
fn pdf(text: &str) -> Vec<u8> {
    pdf_with(text, "")
}

/// The same with more in its trailer.
fn pdf_with(text: &str, trailer: &str) -> Vec<u8> {
    let content = format!("BT /F1 12 Tf 72 720 Td ({text}) Tj ET");
    let objects = [
        "<< /Type /Catalog /Pages 2 0 R >>".to_owned(),
        "<< /Type /Pages /Kids [3 0 R] /Count 1 >>".to_owned(),
        "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents 4 0 R \
         /Resources << /Font << /F1 5 0 R >> >> >>"
            .to_owned(),
        format!("<< /Length {} >>\nstream\n{content}\nendstream", content.len()),
        "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>".to_owned(),
    ];
    let mut bytes = b"%PDF-1.4\n".to_vec();
    let mut offsets = Vec::new();
    for (number, object) in (1..).zip(&objects) {
        offsets.push(bytes.len());
        bytes.extend(format!("{number} 0 obj\n{object}\nendobj\n").bytes());
    }
    let start = bytes.len();
    bytes.extend(format!("xref\n0 {}\n0000000000 65535 f \n", objects.len() + 1).bytes());
    for offset in offsets {
        bytes.extend(format!("{offset:010} 00000 n \n").bytes());
    }
    let trailer = format!(
        "trailer\n<< /Size {} /Root 1 0 R {trailer} >>\nstartxref\n{start}\n%%EOF\n",
        objects.len() + 1
    );
    bytes.extend(trailer.bytes());
    bytes
}

#[test]
fn kind_follows_from_the_name() {
    let structure = |name: &str| read_text(name, b"x").unwrap().structure;
    assert_eq!(structure("a.MD"), Structure::Markdown);
    assert_eq!(structure("a.rs"), Structure::Code(CodeLanguage::Rust));
    assert_eq!(structure("a.tsx"), Structure::Code(CodeLanguage::Tsx));
    assert_eq!(structure("LICENSE"), Structure::Text);
}

#[test]
fn large_code_is_text() {
    let text = "// generated\n".repeat(MAX_CODE_BYTES / 12);
    assert_eq!(read_text("a.rs", text.as_bytes()).unwrap().structure, Structure::Text);
}

#[test]
fn html_becomes_markdown_without_scripts() {
    let html = b"<html><head><title>T</title></head><body><h1>Trains</h1><script>alert(1)</script><p>Book <b>early</b>.</p></body>";
    let document = read_text("a.html", html).unwrap();
    assert_eq!(document.text.trim(), "# Trains\n\nBook **early**.");
    assert_eq!(document.structure, Structure::Markdown);
}

#[test]
fn pdf_gives_its_text() {
    assert_eq!(read_text("a.pdf", &pdf("Trains leave at noon.")).unwrap().text, "Trains leave at noon.");
}

#[test]
fn encrypted_pdf_is_refused_with_the_reason() {
    let key = "00".repeat(32);
    let trailer = format!(
        "/ID [<{key}> <{key}>] /Encrypt << /Filter /Standard /V 2 /R 3 /Length 128 /P -4 /O <{key}> /U <{key}> >>"
    );
    let fault = read_text("a.pdf", &pdf_with("Trains.", &trailer)).unwrap_err();
    assert_eq!(fault, "It is not indexed: the PDF is encrypted.");
}

#[test]
fn broken_documents_are_refused_with_the_reason() {
    let whole = pdf("Trains.");
    assert_eq!(read_text("a.pdf", b"%PDF-1.4 nothing").unwrap_err(), "It is not indexed: the PDF is broken.");
    assert_eq!(read_text("a.pdf", &whole[..200]).unwrap_err(), "It is not indexed: the PDF is broken.");
    assert_eq!(read_text("a.pdf", b"").unwrap_err(), "It is not indexed: the PDF is broken.");
    let empty = read_text("a.pdf", &pdf("")).unwrap_err();
    assert_eq!(empty, "It is not indexed: the PDF has no text, only images.");
    assert_eq!(read_text("a.txt", b"GIF89a\0\0\x01").unwrap_err(), "It is not indexed: it is a binary file.");
    assert_eq!(read_text("a.md", b"caf\xe9").unwrap().text, "café");
}

#[test]
fn marks_of_encodings_are_read() {
    assert_eq!(read_text("a.txt", "\u{feff}Tea".as_bytes()).unwrap().text, "Tea");
    assert_eq!(read_text("a.txt", &[0xff, 0xfe, b'T', 0, b'e', 0, b'a', 0]).unwrap().text, "Tea");
    assert_eq!(read_text("a.txt", &[0xfe, 0xff, 0, b'T', 0, b'e', 0, b'a']).unwrap().text, "Tea");
}
