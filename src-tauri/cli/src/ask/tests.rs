use super::*;

fn said(typed: &str) -> Option<String> {
    read(&mut io::BufReader::new(typed.as_bytes())).unwrap()
}

#[test]
fn a_line_is_an_answer_and_a_backslash_asks_for_more() {
    assert_eq!(said("hello\nrest"), Some("hello".to_owned()));
    assert_eq!(said("one\\\ntwo\r\n"), Some("one\ntwo".to_owned()));
    assert_eq!(said("\n"), Some(String::new()));
}

#[test]
fn the_end_of_input_ends_the_pause_unless_something_was_said() {
    assert_eq!(said(""), None);
    assert_eq!(said("no newline"), Some("no newline".to_owned()));
    assert_eq!(said("one\\\n"), Some("one\n".to_owned()));
}
