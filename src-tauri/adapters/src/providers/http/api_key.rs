//! The API key of one provider as a request header that is never printed. Where keys are stored is up to the [`KeyStore`].

use plait_core::error::Fault;
use reqwest::header::{
    ACCEPT, AUTHORIZATION, CONNECTION, CONTENT_LENGTH, CONTENT_TYPE, HOST, HeaderName, HeaderValue,
    TRANSFER_ENCODING,
};
use secrecy::ExposeSecret as _;
use secrecy::zeroize::Zeroizing;

use super::ProtocolConfig;
use crate::codes;
use crate::keys::{KeyOwner, KeyStore, ResolvedKey, variable_names};
use crate::providers::ProviderSettings;

/// What stands before a key in the header `authorization`.
const BEARER: &str = "Bearer ";

pub(super) struct ApiKey {
    owner: KeyOwner,
    /// The owner of the key that is used while this owner has none.
    shared_owner: Option<KeyOwner>,
    header_name: HeaderName,
    prefix: &'static str,
    /// The environment variables that may hold the key, separated by commas. A provider that names any requires a key.
    variables: Option<String>,
    keys: KeyStore,
}

/// How a request authenticates.
pub(super) enum KeyHeader {
    Present(HeaderName, HeaderValue),
    /// No key, with the fault if the lookup failed. That fault is reported if the server turns out to require a key.
    Absent(Option<Fault>),
}

impl ApiKey {
    /// Fault `provider.bad_settings` for a header that cannot carry a key.
    pub(super) fn new(
        provider: &str,
        config: &'static ProtocolConfig,
        settings: &ProviderSettings,
        keys: &KeyStore,
    ) -> Result<Self, Fault> {
        let (header_name, prefix) = match settings.key_header.as_deref().map(str::trim) {
            None | Some("") => (HeaderName::from_static(config.key_header), config.key_prefix),
            Some(name) => {
                let name = parse_header_name(provider, name)?;
                let prefix = if name == AUTHORIZATION { BEARER } else { "" };
                (name, prefix)
            }
        };
        let variables = settings.key_env.as_deref().filter(|all| variable_names(all).next().is_some());
        Ok(Self {
            owner: settings.key_owner(provider),
            shared_owner: settings.shared_key_owner(),
            header_name,
            prefix,
            variables: variables.map(str::to_owned),
            keys: keys.clone(),
        })
    }

    /// The header that carries the key, in lower case.
    pub(super) fn header_name(&self) -> &str {
        self.header_name.as_str()
    }

    /// What stands before the key in the header.
    pub(super) fn prefix(&self) -> &'static str {
        self.prefix
    }

    /// The first environment variable that may hold the key, if the provider names any.
    pub(super) fn variable(&self) -> Option<&str> {
        self.variables.as_deref().and_then(|variables| variable_names(variables).next())
    }

    /// The header to send. Fault `provider.unauthorized` if a required key is missing, `keys.*` if the lookup fails.
    pub(super) async fn header(&self) -> Result<KeyHeader, Fault> {
        match (
            self.keys.find_shared(&self.owner, self.shared_owner.as_ref(), self.variables.as_deref()).await,
            &self.variables,
        ) {
            (Ok(Some(key)), _) => self.build_header(&key),
            (Ok(None), None) => Ok(KeyHeader::Absent(None)),
            // The provider may need no key: a failed lookup is no reason not to send the request.
            (Err(fault), None) => Ok(KeyHeader::Absent(Some(fault))),
            (Ok(None), Some(variables)) => Err(self.missing(variables)),
            (Err(fault), Some(_)) => Err(fault),
        }
    }

    /// The fault for a keychain that does not respond.
    pub(super) fn keychain_timeout(&self) -> Fault {
        let message = format!(
            "The system's keychain did not return the key of the provider `{}`.",
            self.owner.provider()
        );
        Fault::new(codes::KEYS_LOCKED, message)
            .hint("Unlock the keychain, set the key in the environment, or set PLAIT_KEYCHAIN=off to keep keys in a file.")
    }

    fn build_header(&self, resolved: &ResolvedKey) -> Result<KeyHeader, Fault> {
        let text = Zeroizing::new(format!("{}{}", self.prefix, resolved.key.expose_secret()));
        let mut value = HeaderValue::from_str(&text).map_err(|_| {
            let message =
                format!("The key of the provider `{}` contains invalid characters.", self.owner.provider());
            Fault::new(codes::KEYS_BAD_KEY, message).hint("Check it for spaces or line breaks.")
        })?;
        value.set_sensitive(true);
        Ok(KeyHeader::Present(self.header_name.clone(), value))
    }

    fn missing(&self, variables: &str) -> Fault {
        let all: Vec<_> = variable_names(variables).collect();
        let (provider, verb) = (self.owner.provider(), if all.len() == 1 { "is" } else { "are" });
        let message = format!(
            "The provider `{provider}` needs a key: none is stored for {}, and {} {verb} not set.",
            self.owner.origin().unwrap_or("it"),
            all.join(" and ")
        );
        Fault::new(codes::PROVIDER_UNAUTHORIZED, message).hint(format!(
            "Add the key in the settings or with `plait keys set {provider}`, or set {} in the environment. A key belongs to \
             one host: when the base URL changes to another, enter it again.",
            all[0]
        ))
    }
}

/// Headers that a request needs for something else.
const TAKEN_HEADERS: [HeaderName; 6] =
    [ACCEPT, CONNECTION, CONTENT_LENGTH, CONTENT_TYPE, HOST, TRANSFER_ENCODING];

fn parse_header_name(provider: &str, name: &str) -> Result<HeaderName, Fault> {
    let parsed = HeaderName::from_bytes(name.as_bytes()).ok().filter(|name| !TAKEN_HEADERS.contains(name));
    parsed.ok_or_else(|| {
        let message = format!("The provider `{provider}` cannot send its key in the header `{name}`.");
        Fault::new(codes::PROVIDER_BAD_SETTINGS, message)
            .hint("Name a header such as api-key, or leave it out to use the protocol's.")
    })
}
