//! The environment of the process. The only place of the library that reads it: keys, secrets to redact, and variables that a person
//! names in the settings. Values of the configuration never come from here. Clippy checks it.

#![expect(clippy::disallowed_methods, reason = "this file reads the environment")]

use std::ffi::OsString;

/// The value of a variable, if it is set and Unicode.
pub fn variable(name: &str) -> Option<String> {
    std::env::var(name).ok()
}

/// The value of a variable, if it is set.
pub fn os_variable(name: &str) -> Option<OsString> {
    std::env::var_os(name)
}

pub(crate) fn os_variables() -> impl Iterator<Item = (OsString, OsString)> {
    std::env::vars_os()
}
