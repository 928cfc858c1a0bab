//! The environment of the process.

#![expect(clippy::disallowed_methods, reason = "this file reads the environment")]

use std::ffi::OsString;

/// The value of a variable, if it is set.
pub(crate) fn variable(name: &str) -> Option<OsString> {
    std::env::var_os(name)
}
