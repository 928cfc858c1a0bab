use super::*;

const TEXT: &str = r#"{
  "version": 1,
  "nodes": {
    "a/b": { "type": "text", "config": { "template": "Grüß {{x}}" } },
    "list": [1, { "x": true }]
  }
}"#;

fn at(pointer: &str) -> &'static str {
    &TEXT[JsonPositions::new(TEXT).span(pointer)]
}

#[test]
fn span_covers_the_value_or_the_key() {
    assert_eq!(at("/version"), "1");
    assert_eq!(at("/nodes/a~1b"), "\"a/b\"");
    assert_eq!(at("/nodes/a~1b/config/template"), "\"Grüß {{x}}\"");
    assert_eq!(at("/nodes/list/1/x"), "true");
    assert_eq!(at(""), "{");
}

#[test]
fn span_of_a_missing_value_is_its_nearest_parent() {
    assert_eq!(at("/nodes/a~1b/config/missing/deeper"), "\"config\"");
    assert_eq!(at("/edges/e1"), "{");
    assert_eq!(JsonPositions::new("{ not json").span("/nodes"), 0..0);
}

#[test]
fn offset_converts_line_and_column() {
    let positions = JsonPositions::new(TEXT);
    assert_eq!(positions.offset(1, 1), 0);
    assert_eq!(positions.offset(2, 3), 4);
    assert_eq!(positions.offset(99, 99), TEXT.len());
    // A column inside a character is rounded down to its start.
    let letter = TEXT.find('ü').unwrap();
    let line = TEXT[..letter].matches('\n').count() + 1;
    let column = letter - TEXT[..letter].rfind('\n').unwrap();
    assert_eq!(positions.offset(line, column + 1), letter);
}
