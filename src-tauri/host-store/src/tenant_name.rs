//! The name of a tenant: of its data directory, of its part of a database, in the audit log.

use std::fmt;
use std::sync::Arc;

use plait_core::error::Fault;
use serde::{Deserialize, Serialize};

use crate::codes;

/// The tenant of hosts that need only one.
const DEFAULT_TENANT: &str = "default";
/// The longest name, in bytes. PostgreSQL cuts names of schemas and channels at 63.
const MAX_NAME_BYTES: usize = 40;

/// A name that was checked: it is a single part of a path on every system, and no two names differ in case alone.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String")]
pub struct TenantName(Arc<str>);

impl TenantName {
    /// Fault `host.tenant_name`.
    pub fn parse(text: &str) -> Result<Self, Fault> {
        let is_good = text.len() <= MAX_NAME_BYTES
            && text.starts_with(|first: char| first.is_ascii_lowercase() || first.is_ascii_digit())
            && text.bytes().all(|byte| {
                byte.is_ascii_lowercase() || byte.is_ascii_digit() || matches!(byte, b'-' | b'_')
            });
        if is_good {
            return Ok(Self(text.into()));
        }
        let message = format!("`{}` cannot be the name of a tenant.", text.escape_default());
        Err(Fault::new(codes::HOST_TENANT_NAME, message).hint(
            "Use small letters, digits, `-` and `_`, at most 40 of them, and begin with a letter or a digit.",
        ))
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Whether it is the tenant of hosts that need only one.
    pub fn is_default(&self) -> bool {
        self.as_str() == DEFAULT_TENANT
    }
}

impl Default for TenantName {
    fn default() -> Self {
        Self(DEFAULT_TENANT.into())
    }
}

impl TryFrom<String> for TenantName {
    type Error = Fault;

    fn try_from(text: String) -> Result<Self, Fault> {
        Self::parse(&text)
    }
}

impl std::str::FromStr for TenantName {
    type Err = Fault;

    fn from_str(text: &str) -> Result<Self, Fault> {
        Self::parse(text)
    }
}

impl fmt::Display for TenantName {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.0)
    }
}

#[cfg(test)]
mod tests;
