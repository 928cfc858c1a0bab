//! Users: the persons that a data directory holds runs, conversations and memories of.
//!
//! A run has one user from its first event to its end. Nothing in a run can change it.

use std::fmt;
use std::sync::Arc;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use ts_rs::TS;

use crate::codes;
use crate::error::Fault;

/// The user of a data directory with no other, and of journals that name none.
pub const DEFAULT_USER: &str = "local";
/// The longest name, in characters.
pub const MAX_USER_NAME_CHARS: usize = 60;

/// The name of a user.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema, TS)]
#[serde(transparent)]
#[ts(type = "string")]
pub struct UserName(#[schemars(with = "String")] Arc<str>);

impl UserName {
    /// A name as a person enters it, without spaces around it. Fault `user.bad_name`.
    pub fn parse(text: &str) -> Result<Self, Fault> {
        let name = text.trim();
        let count = name.chars().count();
        if count == 0 || count > MAX_USER_NAME_CHARS || name.chars().any(char::is_control) {
            let message =
                format!("The name of a user has from 1 to {MAX_USER_NAME_CHARS} characters on one line.");
            return Err(
                Fault::new(codes::USER_BAD_NAME, message).hint("Choose a shorter name, such as `ada`.")
            );
        }
        Ok(Self(name.into()))
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }

    pub fn is_default(&self) -> bool {
        self.as_str() == DEFAULT_USER
    }

    /// Whether the names differ in case alone.
    pub fn resembles(&self, other: &Self) -> bool {
        self.0.to_lowercase() == other.0.to_lowercase()
    }
}

impl Default for UserName {
    fn default() -> Self {
        Self(DEFAULT_USER.into())
    }
}

impl fmt::Display for UserName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl fmt::Debug for UserName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&self.0, f)
    }
}

#[cfg(test)]
mod tests;
