//! The known name that a misspelled one is probably meant to be: "Did you mean …?".

/// Longer names are not compared.
const MAX_NAME_CHARS: usize = 64;

/// The most similar of `known` to `name`, if one is similar enough: at most a third of the letters differ, and case, `_`, `-` and
/// blanks do not count.
pub fn similar_name<'a>(name: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let name = letters(name)?;
    let candidates = known.into_iter().filter_map(|candidate| {
        let other = letters(candidate)?;
        // Swapped neighbors count as one change.
        let distance = strsim::osa_distance(&name, &other);
        let longest = name.chars().count().max(other.chars().count());
        (distance <= longest / 3).then_some((distance, candidate))
    });
    candidates.min_by_key(|(distance, _)| *distance).map(|(_, candidate)| candidate)
}

fn letters(name: &str) -> Option<String> {
    if name.len() > 4 * MAX_NAME_CHARS {
        return None;
    }
    let letters = name.chars().filter(|c| !matches!(c, '_' | '-' | ' ')).flat_map(char::to_lowercase);
    let letters: String = letters.collect();
    (1..=MAX_NAME_CHARS).contains(&letters.chars().count()).then_some(letters)
}

#[cfg(test)]
mod tests {
    use super::similar_name;

    const KEYS: [&str; 4] = ["strategy", "max_tokens", "max_turns", "summarizer_agent"];

    #[test]
    fn similar_name_finds_typos_and_other_spellings() {
        for (typo, meant) in [
            ("max_token", "max_tokens"),
            ("maxTurns", "max_turns"),
            ("startegy", "strategy"),
            ("summariser_agent", "summarizer_agent"),
        ] {
            assert_eq!(similar_name(typo, KEYS), Some(meant), "{typo}");
        }
    }

    #[test]
    fn similar_name_finds_nothing_for_another_word_or_an_endless_one() {
        assert_eq!(similar_name("temperature", KEYS), None);
        assert_eq!(similar_name("", KEYS), None);
        assert_eq!(similar_name(&"max_tokens".repeat(100_000), KEYS), None);
    }
}
