use super::*;

fn pdf(pages: Option<u32>, bytes: u64) -> Attachment {
    Attachment {
        hash: "0".into(),
        media_type: "application/pdf".to_owned(),
        name: "a.pdf".to_owned(),
        bytes,
        width: None,
        height: None,
        pages,
        data: None,
    }
}

#[test]
fn pdf_counts_by_pages_as_its_vendor_says() {
    for (model, tokens) in [
        ("gemini-2.5-pro", 2 * 258),
        ("gemini-3.1-pro-preview", 2 * 560),
        ("claude-opus-5", 2 * (3_000 + 1_600)),
        ("openai/gpt-4o", 2 * (3_000 + 85 + 8 * 170)),
    ] {
        assert_eq!(count_attachment(model, &pdf(Some(2), 1)), tokens, "{model}");
    }
}

#[test]
fn pdf_without_a_count_of_pages_counts_by_its_size() {
    assert_eq!(count_attachment("gemini-2.5-pro", &pdf(None, 100_001)), 3 * 258);
    assert_eq!(count_attachment("gemini-2.5-pro", &pdf(None, 1)), 258);
}
