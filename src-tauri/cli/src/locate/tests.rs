use super::*;

const TEXT: &str = r#"{
  "version": 1,
  "nodes": {
    "a/b": { "type": "text", "config": { "template": "Grüß {{x}}" } },
    "list": [1, { "x": true }]
  }
}"#;

fn at(pointer: &str) -> &'static str {
    &TEXT[Located::new(TEXT).span(pointer)]
}

#[test]
fn pointers_find_their_place() {
    assert_eq!(at("/version"), "1");
    assert_eq!(at("/nodes/a~1b"), "\"a/b\"");
    assert_eq!(at("/nodes/a~1b/config/template"), "\"Grüß {{x}}\"");
    assert_eq!(at("/nodes/list/1/x"), "true");
    assert_eq!(at(""), "{");
}

#[test]
fn what_is_not_there_is_placed_at_the_nearest_above() {
    assert_eq!(at("/nodes/a~1b/config/missing/deeper"), "\"config\"");
    assert_eq!(at("/edges/e1"), "{");
    assert_eq!(Located::new("{ not json").span("/nodes"), 0..0);
}

#[test]
fn lines_and_columns_become_offsets() {
    let located = Located::new(TEXT);
    assert_eq!(located.offset(1, 1), 0);
    assert_eq!(located.offset(2, 3), 4);
    assert_eq!(located.offset(99, 99), TEXT.len());
    // A column inside a character falls back to its start.
    let letter = TEXT.find('ü').unwrap();
    let line = TEXT[..letter].matches('\n').count() + 1;
    let column = letter - TEXT[..letter].rfind('\n').unwrap();
    assert_eq!(located.offset(line, column + 1), letter);
}
