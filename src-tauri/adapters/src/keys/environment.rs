//! Keys in environment variables, read on every lookup.

use plait_core::error::Fault;
use secrecy::SecretString;
use secrecy::zeroize::Zeroizing;

use super::{KeySource, ResolvedKey};

/// The names in a comma-separated list.
pub fn variable_names(variables: &str) -> impl Iterator<Item = &str> {
    variables.split(',').map(str::trim).filter(|name| !name.is_empty())
}

/// Whether a text can be the name of a variable. A key that was pasted where a name belongs mostly is none.
pub fn is_variable_name(text: &str) -> bool {
    let mut characters = text.chars();
    characters.next().is_some_and(|first| first.is_ascii_alphabetic() || first == '_')
        && characters.all(|char| char.is_ascii_alphanumeric() || char == '_')
}

/// The key in the first of `variables` that is set. Fault `keys.bad_key`.
pub(super) fn get(variables: &str) -> Result<Option<ResolvedKey>, Fault> {
    for variable in variable_names(variables) {
        let value = Zeroizing::new(crate::environment::variable(variable).unwrap_or_default());
        if !value.trim().is_empty() {
            let key: SecretString = super::parse_key(value.trim(), &format!("in {variable}"))?;
            let source = KeySource::Environment;
            return Ok(Some(ResolvedKey { key, source, variable: Some(variable.to_owned()), owner: None }));
        }
    }
    Ok(None)
}

#[cfg(test)]
mod tests;
