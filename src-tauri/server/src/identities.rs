//! People and programs that an identity provider knows: which of its tokens are let in, as whom, and as what.
//!
//! An audience belongs to one tenant, so what a token reaches follows from whom it was made for.

use std::collections::{BTreeMap, HashMap};
use std::path::Path;
use std::sync::Arc;

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use jiff::Timestamp;
use parking_lot::Mutex;
use plait_api::ErrorReply;
use plait_api::openid::{Addressees, Claims, OpenIdProvider, texts};
use plait_host_store::TenantName;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use sha2::{Digest as _, Sha256};

use crate::caller::Caller;
use crate::codes;
use crate::list_file::{ListFile, ListFileKind};
use crate::roles::Role;
use crate::tokens::unauthorized;

/// What the ids of identities begin with; those of tokens have no `:`.
const ID_PREFIX: &str = "openid:";
/// The bytes of the hash in an id.
const ID_BYTES: usize = 9;

/// An identity provider for one tenant.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct IdentityProvider {
    /// What the administrator calls it.
    pub(crate) name: String,
    /// Its address, as its tokens have it in `iss`.
    pub(crate) issuer: String,
    /// For whom its tokens have to be made, in `aud`.
    pub(crate) audience: String,
    /// Whose data they reach.
    #[serde(default, skip_serializing_if = "TenantName::is_default")]
    pub(crate) tenant: TenantName,
    /// The claim with the name for the audit log.
    pub(crate) name_claim: String,
    /// The claim with the groups. Dots lead into it, as in `realm_access.roles`.
    pub(crate) group_claim: String,
    /// The roles of groups.
    pub(crate) groups: BTreeMap<String, Role>,
    /// The role of everybody whom it knows; without one, only those of a group are let in.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) everybody: Option<Role>,
}

impl IdentityProvider {
    /// The highest role of those that a token gives.
    fn role(&self, claims: &Claims) -> Option<Role> {
        let groups = claim(claims, &self.group_claim).into_iter().flat_map(texts);
        // Scopes are one text with spaces.
        let of_groups = groups.flat_map(|group| std::iter::once(group).chain(group.split(' ')));
        of_groups.filter_map(|group| self.groups.get(group).copied()).chain(self.everybody).max()
    }
}

/// A claim by its name, or by the names that lead to it.
fn claim<'c>(claims: &'c Claims, name: &str) -> Option<&'c Value> {
    claims.get(name).or_else(|| {
        let (first, rest) = name.split_once('.')?;
        claim(claims.get(first)?.as_object()?, rest)
    })
}

/// The identity providers of a host.
pub(crate) struct Identities {
    file: ListFile<IdentityProvider>,
    /// By issuer, with the keys that were read.
    providers: Mutex<HashMap<String, Arc<OpenIdProvider>>>,
}

impl Identities {
    /// Those of a data directory.
    pub(crate) fn of(home: &Path) -> Self {
        let kind = ListFileKind {
            name: "identity-providers",
            items: "identity providers",
            code: codes::HOST_IDENTITY_PROVIDERS,
        };
        Self { file: ListFile::of(home, kind), providers: Mutex::default() }
    }

    /// All of them, the oldest first. `host.identity_providers`.
    pub(crate) fn list(&self) -> Result<Arc<[IdentityProvider]>, ErrorReply> {
        self.file.list()
    }

    /// Adds one that answers. `host.identity_provider_exists`, `host.identity_providers`, `openid.issuer`, `openid.unreachable`.
    pub(crate) async fn add(&self, provider: IdentityProvider) -> Result<(), ErrorReply> {
        OpenIdProvider::new(&provider.issuer)?.read_keys().await?;
        self.file.change(|providers| {
            let exists = |what: String| {
                ErrorReply::new(codes::HOST_IDENTITY_PROVIDER_EXISTS, what)
                    .hint("Remove it first: plait-server identities rm NAME")
            };
            if providers.iter().any(|other| other.name == provider.name) {
                return Err(exists(format!("There is an identity provider `{}` already.", provider.name)));
            }
            let is_same = |other: &&IdentityProvider| {
                (&other.issuer, &other.audience) == (&provider.issuer, &provider.audience)
            };
            if let Some(other) = providers.iter().find(is_same) {
                let IdentityProvider { name, audience, .. } = other;
                return Err(exists(format!("The audience `{audience}` is that of `{name}` already.")));
            }
            providers.push(provider);
            Ok(())
        })
    }

    /// Removes the one with this name: its tokens are refused from now on. `host.identity_provider_unknown`, `host.identity_providers`.
    pub(crate) fn remove(&self, name: &str) -> Result<(), ErrorReply> {
        self.file.change(|providers| {
            let before = providers.len();
            providers.retain(|provider| provider.name != name);
            if providers.len() < before {
                return Ok(());
            }
            let message = format!("There is no identity provider `{name}`.");
            Err(ErrorReply::new(codes::HOST_IDENTITY_PROVIDER_UNKNOWN, message)
                .hint("`plait-server identities list` lists them."))
        })
    }

    /// Whom a token is of. `host.unauthorized`, `host.forbidden`, `host.identity_providers`, `openid.unreachable`.
    pub(crate) async fn authenticate(
        &self,
        token: &str,
        addressees: &Addressees,
    ) -> Result<Caller, ErrorReply> {
        let providers = self.list()?;
        let mut fitting = providers.iter().filter(|provider| {
            provider.issuer == addressees.issuer && addressees.audiences.contains(&provider.audience)
        });
        let provider = match (fitting.next(), fitting.next()) {
            (Some(provider), None) => provider,
            (None, _) => return Err(unauthorized("The token was not made for this host.")),
            (Some(_), Some(_)) => {
                return Err(unauthorized("The token was made for several audiences of this host."));
            }
        };
        let checked = self.provider(&provider.issuer)?.claims(token, &provider.audience).await;
        let claims = checked.map_err(|fault| {
            if fault.code == codes::OPENID_REFUSED { unauthorized(&fault.message) } else { fault.into() }
        })?;
        let text = |name| claim(&claims, name).and_then(Value::as_str);
        // A claim that every token has.
        let subject = text("sub").unwrap_or_default();
        let name = text(&provider.name_claim).unwrap_or(subject).to_owned();
        let role = provider.role(&claims).ok_or_else(|| {
            let message = format!("`{name}` is in no group that has a role here.");
            ErrorReply::new(codes::HOST_FORBIDDEN, message)
                .hint("An administrator of the host gives groups roles: `plait-server identities add --role GROUP=ROLE`.")
        })?;
        let id = id_of(&provider.issuer, subject);
        let expires_at =
            claims.get("exp").and_then(Value::as_i64).and_then(|exp| Timestamp::from_second(exp).ok());
        Ok(Caller { id, name, role, hook: None, tenant: provider.tenant.clone(), expires_at })
    }

    fn provider(&self, issuer: &str) -> Result<Arc<OpenIdProvider>, ErrorReply> {
        let mut providers = self.providers.lock();
        if let Some(provider) = providers.get(issuer) {
            return Ok(Arc::clone(provider));
        }
        let provider = Arc::new(OpenIdProvider::new(issuer)?);
        providers.insert(issuer.to_owned(), Arc::clone(&provider));
        Ok(provider)
    }
}

/// The id of an identity: the same with each of its tokens.
fn id_of(issuer: &str, subject: &str) -> String {
    let hash = Sha256::new().chain_update(issuer).chain_update([0]).chain_update(subject).finalize();
    let start: Vec<u8> = hash.iter().copied().take(ID_BYTES).collect();
    format!("{ID_PREFIX}{}", URL_SAFE_NO_PAD.encode(start))
}

#[cfg(test)]
mod tests;
