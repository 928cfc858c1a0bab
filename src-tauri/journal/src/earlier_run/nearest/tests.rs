use super::differences;

fn named(recorded: &str, now: &str) -> Vec<(String, String)> {
    differences(recorded, now).into_iter().map(|found| (found.recorded, found.now)).collect()
}

#[test]
fn one_changed_word_is_one_difference() {
    let word = |recorded: &str, now: &str| (recorded.to_owned(), now.to_owned());
    assert_eq!(named("See you on Monday then", "See you on Tuesday then"), [word("Monday", "Tuesday")]);
    assert_eq!(named("a b c", "a c"), [word("b", "")]);
    assert_eq!(named("one two three four", "one zwei drei four"), [word("two three", "zwei drei")]);
    assert_eq!(named("same", "same"), []);
}
