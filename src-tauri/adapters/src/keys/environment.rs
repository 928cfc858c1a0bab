//! Keys in environment variables. Read anew each time: nothing is kept.

use plait_engine::error::Fault;
use secrecy::SecretString;
use secrecy::zeroize::Zeroizing;

use super::{FoundKey, KeySource};

/// The names in a list with commas between them.
pub fn names(variables: &str) -> impl Iterator<Item = &str> {
    variables.split(',').map(str::trim).filter(|name| !name.is_empty())
}

/// The key that the first of `variables` that holds one does. Fault `keys.bad_key`.
pub(super) fn get(variables: &str) -> Result<Option<FoundKey>, Fault> {
    for variable in names(variables) {
        let value = Zeroizing::new(std::env::var(variable).unwrap_or_default());
        if !value.trim().is_empty() {
            let key: SecretString = super::checked(value.trim(), &format!("in {variable}"))?;
            let source = KeySource::Environment;
            return Ok(Some(FoundKey { key, source, variable: Some(variable.to_owned()) }));
        }
    }
    Ok(None)
}

#[cfg(test)]
mod tests;
