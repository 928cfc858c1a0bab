//! How texts become the terms of the index: words in lower case without accents and English endings. Scripts without spaces
//! become pairs of characters, so that a part of a sentence finds it.

use tantivy::tokenizer::{
    AsciiFoldingFilter, Language, LowerCaser, RemoveLongFilter, Stemmer, TextAnalyzer, Token, TokenStream,
    Tokenizer,
};

/// The name of the analyzer in the schema. Change it with the terms it makes: an index of another name is rebuilt.
pub(super) const ANALYZER: &str = "plait-1";
/// Longer terms are hashes and encoded data.
const MAX_TERM_BYTES: usize = 64;

/// The analyzer of texts and queries.
pub(crate) fn analyzer() -> TextAnalyzer {
    TextAnalyzer::builder(Words)
        .filter(RemoveLongFilter::limit(MAX_TERM_BYTES))
        .filter(LowerCaser)
        .filter(AsciiFoldingFilter)
        .filter(Stemmer::new(Language::English))
        .build()
}

/// Words, and pairs of characters of scripts without spaces.
#[derive(Clone)]
struct Words;

struct WordStream<'a> {
    text: &'a str,
    at: usize,
    token: Token,
}

impl Tokenizer for Words {
    type TokenStream<'a> = WordStream<'a>;

    fn token_stream<'a>(&'a mut self, text: &'a str) -> WordStream<'a> {
        WordStream { text, at: 0, token: Token::default() }
    }
}

impl WordStream<'_> {
    fn emit(&mut self, from: usize, to: usize) -> bool {
        self.token.offset_from = from;
        self.token.offset_to = to;
        self.token.position = self.token.position.wrapping_add(1);
        self.token.text.clear();
        self.token.text.push_str(&self.text[from..to]);
        true
    }
}

impl TokenStream for WordStream<'_> {
    fn advance(&mut self) -> bool {
        let mut chars = self.text[self.at..].char_indices().map(|(index, char)| (self.at + index, char));
        let Some((start, first)) = chars.find(|(_, char)| char.is_alphanumeric()) else {
            self.at = self.text.len();
            return false;
        };
        if !is_unspaced(first) {
            let end = chars.find(|(_, char)| !char.is_alphanumeric() || is_unspaced(*char));
            self.at = end.map_or(self.text.len(), |(end, _)| end);
            return self.emit(start, self.at);
        }
        let second = start + first.len_utf8();
        let is_pair = self.text[second..].chars().next().is_some_and(is_unspaced);
        let follows = self.text[..start].chars().next_back().is_some_and(is_unspaced);
        self.at = second;
        if !is_pair && follows {
            // The end of the last pair.
            return self.advance();
        }
        let end = if is_pair {
            second + self.text[second..].chars().next().map_or(0, char::len_utf8)
        } else {
            second
        };
        self.emit(start, end)
    }

    fn token(&self) -> &Token {
        &self.token
    }

    fn token_mut(&mut self) -> &mut Token {
        &mut self.token
    }
}

/// Whether a script has no spaces between words: Chinese, Japanese, Korean, Thai.
pub(super) fn is_unspaced(char: char) -> bool {
    matches!(char,
        '\u{0e00}'..='\u{0e7f}' | '\u{3040}'..='\u{30ff}' | '\u{3400}'..='\u{9fff}' | '\u{ac00}'..='\u{d7af}'
        | '\u{20000}'..='\u{3ffff}')
}

#[cfg(test)]
mod tests {
    use super::analyzer;

    fn terms(text: &str) -> Vec<String> {
        let mut terms = Vec::new();
        analyzer().token_stream(text).process(&mut |token| terms.push(token.text.clone()));
        terms
    }

    #[test]
    fn words_lose_case_accents_and_endings() {
        assert_eq!(
            terms("Booking trains, café: snake_case x2"),
            ["book", "train", "cafe", "snake", "case", "x2"]
        );
        assert_eq!(terms(" …!\n"), Vec::<String>::new());
    }

    #[test]
    fn scripts_without_spaces_become_pairs() {
        assert_eq!(terms("東京都 a駅b"), ["東京", "京都", "a", "駅", "b"]);
    }

    #[test]
    fn long_terms_are_left_out() {
        assert_eq!(terms(&format!("a {} b", "x".repeat(100))), ["a", "b"]);
    }
}
