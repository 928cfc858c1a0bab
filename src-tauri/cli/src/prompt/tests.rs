use super::*;

fn answer(typed: &str) -> Option<String> {
    let mut lines = AnswerLines::default();
    let typed = typed.split_inclusive('\n').map(Some).chain([None]);
    match typed.into_iter().find_map(|line| lines.add(line)).unwrap() {
        PromptReply::Text(text) => Some(text),
        PromptReply::End => None,
    }
}

#[test]
fn answer_continues_after_a_backslash() {
    assert_eq!(answer("hello\nrest"), Some("hello".to_owned()));
    assert_eq!(answer("one\\\ntwo\r\n"), Some("one\ntwo".to_owned()));
    assert_eq!(answer("\n"), Some(String::new()));
}

#[test]
fn end_of_input_is_no_answer_unless_text_was_typed() {
    assert_eq!(answer(""), None);
    assert_eq!(answer("no newline"), Some("no newline".to_owned()));
    assert_eq!(answer("one\\\n"), Some("one\n".to_owned()));
}
