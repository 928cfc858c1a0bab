use super::{CallIdForm, bounded_id, short_id, word_id};

#[test]
fn accepted_ids_stay() {
    assert_eq!(word_id("toolu_01-A"), "toolu_01-A");
}

#[test]
fn short_ids_are_nine_letters_and_digits() {
    assert_eq!(short_id("Ab3dE6gH9"), "Ab3dE6gH9");
    let ids = ["", "call_0", "call_1", "call_0fypS1hVX", "toolu_01", "größe1234", "abcdefgh", "abcdefgh_"];
    let short: std::collections::BTreeSet<_> = ids.iter().map(|id| short_id(id).into_owned()).collect();
    assert_eq!(short.len(), ids.len());
    let is_short = |id: &String| id.len() == 9 && id.chars().all(|char| char.is_ascii_alphanumeric());
    assert!(short.iter().all(is_short), "{short:?}");
}

#[test]
fn long_ids_are_shortened_and_stay_apart() {
    let long = |end: &str| format!("call_{}{end}", "x".repeat(50));
    assert_eq!(bounded_id("call_1", 40), "call_1");
    let exact = "y".repeat(40);
    assert_eq!(bounded_id(&exact, 40), exact);
    let short: std::collections::BTreeSet<_> =
        ["a", "b", "ab", "ö"].map(long).iter().map(|id| bounded_id(id, 40).into_owned()).collect();
    assert_eq!(short.len(), 4);
    assert!(short.iter().all(|id| id.chars().count() == 40 && id.starts_with("call_xxx")), "{short:?}");
    assert_eq!(CallIdForm::Any.apply(&long("a")), long("a"));
    assert_eq!(CallIdForm::AtMost(40).apply(&long("a")), bounded_id(&long("a"), 40));
    assert_eq!(CallIdForm::Short.apply("call_1").len(), 9);
}

#[test]
fn other_ids_are_mapped_one_to_one() {
    let ids = [
        "",
        "call:1",
        "call.1",
        "call 1",
        "functions.search:0",
        "größe",
        "call_0_1",
        "abcdefgh",
        "abcdefghij",
    ];
    let words: std::collections::BTreeSet<_> = ids.iter().map(|id| word_id(id).into_owned()).collect();
    assert_eq!(words.len(), ids.len());
    let is_word = |char: char| char.is_ascii_alphanumeric() || "_-".contains(char);
    assert!(words.iter().all(|id| !id.is_empty() && id.chars().all(is_word)), "{words:?}");
    assert_eq!(word_id("call:1"), word_id("call:1"));
}
