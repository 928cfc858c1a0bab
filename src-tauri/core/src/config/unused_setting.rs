//! A setting that has no effect, with the reason.

use crate::diagnostic::Diagnostic;

use crate::codes;

/// A setting that has no effect beside the other settings of the node, or at its place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unused {
    /// The setting, as a JSON pointer within the config.
    pub pointer: String,
    /// Why, as a clause: "the loop has no conversation".
    pub reason: String,
    /// What gives it an effect, as a clause: "set `conversation: true`". Empty if nothing does.
    pub remedy: String,
}

impl Unused {
    /// A setting without effect, the reason, and what gives it one.
    pub fn new(pointer: impl Into<String>, reason: impl Into<String>, remedy: impl Into<String>) -> Self {
        Self { pointer: pointer.into(), reason: reason.into(), remedy: remedy.into() }
    }
}

/// The warning that the setting `name` at `place`, a JSON pointer into the document, has no effect. `reason` and `remedy` are those of
/// [`Unused`].
pub fn no_effect(place: impl Into<String>, name: &str, reason: &str, remedy: &str) -> Diagnostic {
    let message = format!("`{name}` has no effect: {reason}.");
    let hint = if remedy.is_empty() { "Remove it.".to_owned() } else { format!("Remove it, or {remedy}.") };
    Diagnostic::error(codes::CONFIG_NO_EFFECT, place, message).warning().hint(hint)
}
