//! The environment of the process.

use std::ffi::OsString;

/// The value of a variable, if it is set.
pub(crate) fn variable(name: &str) -> Option<OsString> {
    std::env::var_os(name)
}
