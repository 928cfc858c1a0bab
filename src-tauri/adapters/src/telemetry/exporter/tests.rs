use super::*;

#[test]
fn headers_are_pairs() {
    let headers = parse_headers("x-key=abc==, other = 1 ,").unwrap();
    assert_eq!(headers["x-key"], "abc==");
    assert_eq!(headers["other"], "1");
    assert!(parse_headers("no pair").is_none());
    assert!(parse_headers("bad name=1").is_none());
}

#[test]
fn rejected_spans_are_read_from_a_partial_success() {
    assert_eq!(rejected_spans(b"{\"partialSuccess\":{\"rejectedSpans\":\"3\"}}"), 3);
    assert_eq!(rejected_spans(b"{}"), 0);
    assert_eq!(rejected_spans(b"<html>"), 0);
}
