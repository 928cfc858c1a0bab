use super::words;

#[test]
fn words_concatenate_to_the_text() {
    for text in ["", " ", "one", " one  two\n\nthree ", "größe 🙂 日本語\tend", "  \n"] {
        let all: Vec<_> = words(text).collect();
        assert_eq!(all.concat(), text);
    }
    assert_eq!(words("one two  three").collect::<Vec<_>>(), ["one", " two", "  three"]);
}
