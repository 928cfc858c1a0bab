use super::word_id;

#[test]
fn accepted_ids_stay() {
    assert_eq!(word_id("toolu_01-A"), "toolu_01-A");
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
