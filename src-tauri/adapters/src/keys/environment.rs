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
mod tests {
    use super::*;
    use secrecy::ExposeSecret as _;

    #[test]
    fn the_first_variable_that_holds_a_key_counts() {
        // Variables that every test process has.
        let found =
            get("PLAIT_NO_SUCH_VARIABLE, CARGO_PKG_NAME,CARGO_PKG_VERSION").expect("read").expect("there");
        assert_eq!(found.key.expose_secret(), "plait-adapters");
        assert_eq!(found.variable.as_deref(), Some("CARGO_PKG_NAME"));
        assert_eq!(get("CARGO_PKG_DESCRIPTION").expect_err("it has spaces").code, "keys.bad_key");
        assert!(get("PLAIT_NO_SUCH_VARIABLE").expect("read").is_none());
        assert!(get(" , ").expect("read").is_none());
    }
}
