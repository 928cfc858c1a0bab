//! The tokens of a host: made once, shown once, stored as hashes.
//!
//! A token has 32 random bytes, which nobody can guess, so one round of SHA-256 is enough of a hash. A file that cannot be read lets
//! nobody in.

use std::path::Path;
use std::sync::Arc;

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use jiff::tz::TimeZone;
use jiff::{Span, Timestamp};
use plait_api::ErrorReply;
use plait_host_store::TenantName;
use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};
use subtle::ConstantTimeEq as _;

use crate::codes;
use crate::list_file::{ListFile, ListFileKind};
use crate::roles::Role;

/// The random bytes of a token, and of its id.
const SECRET_BYTES: usize = 32;
const ID_BYTES: usize = 6;

/// What tokens begin with, so that people and scanners for secrets recognize them.
const PREFIX: &str = "plait_";

/// The most characters of a name.
const MAX_NAME_CHARS: usize = 60;

/// A token as it is stored.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Token {
    /// Identifies it in the audit log; a part of the token.
    pub(crate) id: String,
    /// Who has it.
    pub(crate) name: String,
    pub(crate) role: Role,
    /// The published flow that it begins, if it is the token of an address for another system: it opens nothing else.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) hook: Option<String>,
    /// Whose data it reaches.
    #[serde(default, skip_serializing_if = "TenantName::is_default")]
    pub(crate) tenant: TenantName,
    pub(crate) created_at: Timestamp,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) expires_at: Option<Timestamp>,
    /// The SHA-256 of the token, in base64.
    hash: String,
}

impl Token {
    pub(crate) fn has_expired(&self) -> bool {
        self.expires_at.is_some_and(|at| at <= Timestamp::now())
    }
}

/// The file with the tokens.
pub(crate) struct TokenFile(ListFile<Token>);

impl TokenFile {
    /// The file in a data directory, which need not be there.
    pub(crate) fn of(home: &Path) -> Self {
        Self(ListFile::of(home, ListFileKind { name: "tokens", items: "tokens", code: codes::HOST_TOKENS }))
    }

    /// All tokens, the oldest first. `host.tokens`.
    pub(crate) fn list(&self) -> Result<Arc<[Token]>, ErrorReply> {
        self.0.list()
    }

    /// Whether a text looks like a token that a host made.
    pub(crate) fn is_own(given: &str) -> bool {
        given.starts_with(PREFIX)
    }

    /// The token that a request has. `host.unauthorized`, `host.tokens`.
    pub(crate) fn authenticate(&self, given: &str) -> Result<Token, ErrorReply> {
        let id = given.strip_prefix(PREFIX).and_then(|rest| rest.split_once('_')).map_or("", |(id, _)| id);
        let hash = hash(given);
        let tokens = self.list()?;
        let token = tokens.iter().find(|token| token.id == id);
        match token {
            Some(token) if !bool::from(token.hash.as_bytes().ct_eq(hash.as_bytes())) => {
                Err(unauthorized("The host does not know this token."))
            }
            Some(token) if token.has_expired() => Err(unauthorized("The token has expired.")),
            Some(token) => Ok(token.clone()),
            None => Err(unauthorized("The host does not know this token.")),
        }
    }

    /// Adds a token and returns it; it is stored nowhere. `host.token_name`, `host.token_expiry`, `host.tokens`.
    pub(crate) fn add(
        &self,
        name: &str,
        role: Role,
        hook: Option<String>,
        tenant: TenantName,
        expires: Option<&str>,
    ) -> Result<String, ErrorReply> {
        let name = name.trim();
        if name.is_empty() || name.chars().count() > MAX_NAME_CHARS || name.chars().any(char::is_control) {
            let message = "The name of a token is empty, too long or has several lines.";
            return Err(ErrorReply::new(codes::HOST_TOKEN_NAME, message));
        }
        let expires_at = expires.map(expiry).transpose()?;
        let (id, secret) = (random::<ID_BYTES>()?, random::<SECRET_BYTES>()?);
        // An `_` separates the parts of a token.
        let id = id.replace(['_', '-'], "0");
        let token = format!("{PREFIX}{id}_{secret}");
        self.0.change(|tokens| {
            if tokens.iter().any(|other| other.name == name) {
                let message = format!("There is a token with the name `{name}` already.");
                return Err(ErrorReply::new(codes::HOST_TOKEN_NAME, message)
                    .hint(format!("Revoke it first: plait-server tokens revoke '{name}'")));
            }
            let name = name.to_owned();
            tokens.push(Token {
                id,
                name,
                role,
                hook,
                tenant,
                created_at: Timestamp::now(),
                expires_at,
                hash: hash(&token),
            });
            Ok(())
        })?;
        Ok(token)
    }

    /// Removes the token with this name or id. `host.token_unknown`, `host.tokens`.
    pub(crate) fn revoke(&self, name: &str) -> Result<(), ErrorReply> {
        self.0.change(|tokens| {
            let before = tokens.len();
            tokens.retain(|token| token.name != name && token.id != name);
            if tokens.len() < before {
                return Ok(());
            }
            let message = format!("There is no token `{name}`.");
            Err(ErrorReply::new(codes::HOST_TOKEN_UNKNOWN, message)
                .hint("`plait-server tokens list` lists the tokens."))
        })
    }
}

/// Why nobody is let in.
pub(crate) fn unauthorized(message: &str) -> ErrorReply {
    ErrorReply::new(codes::HOST_UNAUTHORIZED, message).hint("Send `Authorization: Bearer TOKEN`.")
}

/// When a token made now expires.
fn expiry(text: &str) -> Result<Timestamp, ErrorReply> {
    let wrong = || {
        ErrorReply::new(codes::HOST_TOKEN_EXPIRY, format!("`{text}` is no time after which a token expires."))
            .hint("Write a number with a unit, such as `30d`, `12h` or `90m`.")
    };
    let span: Span = text.trim().parse().map_err(|_| wrong())?;
    if !span.is_positive() {
        return Err(wrong());
    }
    // Days need a calendar.
    let now = Timestamp::now().to_zoned(TimeZone::UTC);
    now.checked_add(span).map(|at| at.timestamp()).map_err(|_| wrong())
}

fn random<const BYTES: usize>() -> Result<String, ErrorReply> {
    let mut bytes = [0; BYTES];
    getrandom::fill(&mut bytes).map_err(|error| {
        ErrorReply::new(codes::HOST_TOKENS, format!("The system gives no random numbers: {error}."))
    })?;
    Ok(URL_SAFE_NO_PAD.encode(bytes))
}

fn hash(token: &str) -> String {
    URL_SAFE_NO_PAD.encode(Sha256::digest(token.as_bytes()))
}

#[cfg(test)]
mod tests;
