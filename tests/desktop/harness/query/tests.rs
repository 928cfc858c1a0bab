use super::quoted;

#[test]
fn quotes_in_names_are_kept() {
    assert_eq!(quoted("Run"), "'Run'");
    assert_eq!(quoted("don't"), "concat('don', \"'\", 't')");
}
