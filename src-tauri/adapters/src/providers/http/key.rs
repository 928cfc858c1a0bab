//! The key of one provider: given for the session, or in the environment. Owns which of them counts. It is never written
//! anywhere and nothing prints it.

use std::sync::{PoisonError, RwLock};

use plait_engine::error::Fault;
use reqwest::header::{HeaderName, HeaderValue};

use super::Manner;

/// Where a provider's key comes from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum KeyFrom {
    /// It was given for as long as this process lives.
    Given,
    /// It stands in this environment variable.
    Environment(String),
    /// There is none, and none is asked for.
    NotNeeded,
    /// It should stand in one of these environment variables, and does not.
    Missing(Vec<String>),
}

pub(super) struct Key {
    provider: String,
    manner: &'static Manner,
    /// The environment variables that may hold it; the first that does counts.
    variables: Vec<String>,
    /// Given for the session; marked so that nothing prints it.
    given: RwLock<Option<HeaderValue>>,
}

impl Key {
    /// `variables` are names with commas between them.
    pub(super) fn new(provider: &str, manner: &'static Manner, variables: Option<&str>) -> Self {
        let names = variables.unwrap_or_default().split(',').map(str::trim).filter(|name| !name.is_empty());
        Self {
            provider: provider.to_owned(),
            manner,
            variables: names.map(str::to_owned).collect(),
            given: RwLock::default(),
        }
    }

    /// Takes a key for as long as it lives; an empty one takes it back. Fault `provider.bad_settings`.
    pub(super) fn give(&self, key: &str) -> Result<(), Fault> {
        let header = if key.is_empty() { None } else { Some(self.header(key, "given")?) };
        *self.given.write().unwrap_or_else(PoisonError::into_inner) = header;
        Ok(())
    }

    /// Where it comes from.
    pub(super) fn from(&self) -> KeyFrom {
        if self.given().is_some() {
            return KeyFrom::Given;
        }
        match self.environment() {
            Some((variable, _)) => KeyFrom::Environment(variable.to_owned()),
            None if self.variables.is_empty() => KeyFrom::NotNeeded,
            None => KeyFrom::Missing(self.variables.clone()),
        }
    }

    /// The header to send: with the session's key, else the environment's, else none where none is asked for. Faults
    /// `provider.unauthorized`, `provider.bad_settings`.
    pub(super) fn to_send(&self) -> Result<Option<(HeaderName, HeaderValue)>, Fault> {
        let named = |value| (HeaderName::from_static(self.manner.key_header), value);
        if let Some(given) = self.given() {
            return Ok(Some(named(given)));
        }
        if let Some((variable, key)) = self.environment() {
            return self.header(key.trim(), &format!("in {variable}")).map(named).map(Some);
        }
        if self.variables.is_empty() {
            return Ok(None);
        }
        let (all, verb) =
            (self.variables.join(" and "), if self.variables.len() == 1 { "holds" } else { "hold" });
        let fault = Fault::new(
            "provider.unauthorized",
            format!("The provider `{}` needs a key, and {all} {verb} none.", self.provider),
        );
        Err(fault
            .hint(format!("Set {} in the environment, or give the key in the settings.", self.variables[0])))
    }

    fn given(&self) -> Option<HeaderValue> {
        self.given.read().unwrap_or_else(PoisonError::into_inner).clone()
    }

    fn environment(&self) -> Option<(&str, String)> {
        let held = |variable: &String| std::env::var(variable).ok().filter(|key| !key.trim().is_empty());
        self.variables.iter().find_map(|variable| Some((variable.as_str(), held(variable)?)))
    }

    fn header(&self, key: &str, which: &str) -> Result<HeaderValue, Fault> {
        let bad = |_| {
            let said =
                format!("The key {which} for the provider `{}` has characters no key has.", self.provider);
            Fault::new("provider.bad_settings", said).hint("Look for spaces or line ends copied along.")
        };
        let mut header = HeaderValue::from_str(&format!("{}{key}", self.manner.key_prefix)).map_err(bad)?;
        header.set_sensitive(true);
        Ok(header)
    }
}
