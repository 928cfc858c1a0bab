//! Programs in JavaScript. Plait's programs have their input and nothing else: they reach no files, no network and no modules.

/// Names of any tool that a program in Plait can't reach.
const UNREACHABLE: [&str; 5] = ["require(", "import(", "await ", "fetch(", "process."];

/// Why a program can't run in Plait, if it reaches beyond its input. `own` is what the tool gives to programs beside it.
pub(super) fn unreachable_reason(code: &str, own: &[&str]) -> Option<String> {
    let word = UNREACHABLE.iter().chain(own).find(|word| code.contains(**word))?;
    let word = word.trim().trim_end_matches(['(', '.']);
    Some(format!("Its program uses `{word}`, which programs in Plait can't reach."))
}
