use super::xpath_literal;

#[test]
fn xpath_literal_keeps_quotes() {
    assert_eq!(xpath_literal("Run"), "'Run'");
    assert_eq!(xpath_literal("don't"), "concat('don', \"'\", 't')");
}
