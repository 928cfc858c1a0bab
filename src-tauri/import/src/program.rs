//! Programs in JavaScript. Plait's programs have their input and nothing else: they reach no files, no network and no modules.

/// Names of any tool that a program in Plait can't reach.
const UNREACHABLE: [&str; 5] = ["require(", "import(", "await ", "fetch(", "process."];

/// A program below a comment with the first line of what it is about: the card of a node shows the first line of its program, and those of
/// a runtime are the same in many.
pub(super) fn with_headline(about: &str, program: &str) -> String {
    const MAX_CHARS: usize = 80;
    let mut lines = about.lines().map(|line| line.trim().trim_start_matches("//").trim());
    let line = lines.find(|line| line.chars().any(char::is_alphanumeric)).unwrap_or_default();
    // These two end a line in JavaScript, but not in Rust.
    let headline: String =
        line.chars().filter(|one| !matches!(one, '\u{2028}' | '\u{2029}')).take(MAX_CHARS).collect();
    if headline.is_empty() { program.to_owned() } else { format!("// {}\n{program}", headline.trim_end()) }
}

/// Why a program can't run in Plait, if it reaches beyond its input. `own` is what the tool gives to programs beside it.
pub(super) fn unreachable_reason(code: &str, own: &[&str]) -> Option<String> {
    let word = UNREACHABLE.iter().chain(own).find(|word| code.contains(**word))?;
    let word = word.trim().trim_end_matches(['(', '.']);
    Some(format!("Its program uses `{word}`, which programs in Plait can't reach."))
}

#[cfg(test)]
mod tests {
    use super::with_headline;

    #[test]
    fn headline_is_the_first_line_that_says_something() {
        let headline = |about: &str| with_headline(about, "return 1;");
        assert_eq!(headline("\n// --\n// Parse the feed\nconst a = 1;"), "// Parse the feed\nreturn 1;");
        assert_eq!(headline("  return a\u{2028} + b;\n"), "// return a + b;\nreturn 1;");
        assert_eq!(headline(" \n{\n"), "return 1;");
        assert_eq!(headline(&"long ".repeat(40)).lines().next().unwrap().len(), "// ".len() + 79);
    }
}
