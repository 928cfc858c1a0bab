use super::{nine_character_id, word_id};

#[test]
fn accepted_ids_stay() {
    assert_eq!(word_id("toolu_01-A"), "toolu_01-A");
    assert_eq!(nine_character_id("abcDEF123"), "abcDEF123");
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
    let nines: std::collections::BTreeSet<_> =
        ids.iter().map(|id| nine_character_id(id).into_owned()).collect();
    assert_eq!((words.len(), nines.len()), (ids.len(), ids.len()));
    let is_word = |char: char| char.is_ascii_alphanumeric() || "_-".contains(char);
    assert!(words.iter().all(|id| !id.is_empty() && id.chars().all(is_word)), "{words:?}");
    assert!(
        nines.iter().all(|id| id.len() == 9 && id.chars().all(|char| char.is_ascii_alphanumeric())),
        "{nines:?}"
    );
    assert_eq!(word_id("call:1"), word_id("call:1"));
}
