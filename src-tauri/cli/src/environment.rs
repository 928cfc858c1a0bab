//! The environment of the process, as the terminal reads it. `PLAIT_HOME` is an option of the command line.

#![expect(clippy::disallowed_methods, reason = "this file reads the environment")]

/// Whether the person wants no color anywhere; see <https://no-color.org>.
pub(crate) fn is_color_off() -> bool {
    std::env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty())
}

/// A variable that a recorded program would read, or the process that drives a run. None if it is not set, or no text.
pub(crate) fn variable(name: &str) -> Option<String> {
    std::env::var(name).ok()
}
