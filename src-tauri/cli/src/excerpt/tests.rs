use super::*;

fn shown(text: &str, span: Range<usize>) -> (String, String) {
    let excerpt = Excerpt::around("x", text, span);
    (excerpt.text.clone(), excerpt.text[excerpt.span.clone()].to_owned())
}

#[test]
fn excerpt_has_the_line_before_and_the_line_after() {
    let text = "one\ntwo\nthree\nfour\nfive";
    assert_eq!(shown(text, 8..13), ("two\nthree\nfour".to_owned(), "three".to_owned()));
    assert_eq!(shown(text, 0..3), ("one\ntwo".to_owned(), "one".to_owned()));
    assert_eq!(shown(text, 19..23), ("four\nfive".to_owned(), "five".to_owned()));
}

#[test]
fn any_range_of_any_text_gives_an_excerpt() {
    for text in ["", "\n", "\n\n", "é\u{1b}\né", &"ü".repeat(500), &"a\n".repeat(50)] {
        for start in 0..=text.len() + 2 {
            for end in [start, start + 1, start + 300, usize::MAX] {
                let excerpt = Excerpt::around("x", text, start..end);
                assert!(excerpt.text.get(excerpt.span.clone()).is_some(), "{text:?} {start}..{end}");
                assert!(excerpt.text.len() <= 3 * MAX_LINE_BYTES + 4 * ELLIPSIS.len() + 2);
            }
        }
    }
}

#[test]
fn lines_are_cut_around_the_place() {
    let text = format!("{}HERE{}", "a".repeat(100_000), "b".repeat(100_000));
    let (text, place) = shown(&text, 100_000..100_004);
    assert_eq!(place, "HERE");
    assert!(text.starts_with("…aaa") && text.ends_with("bbb…"), "{text}");
    assert_eq!(text.len(), MAX_LINE_BYTES + 2 * ELLIPSIS.len());
}
