//! Who sent a request, and what they may do.

use jiff::Timestamp;
use plait_api::ErrorReply;
use plait_host_store::TenantName;

use crate::codes;
use crate::roles::Role;
use crate::tokens::Token;

/// Who sent a request, by a token of the host or by one of an identity provider.
#[derive(Clone)]
pub(crate) struct Caller {
    /// Identifies them in the audit log: the id of the token, or a hash of the identity.
    pub(crate) id: String,
    pub(crate) name: String,
    pub(crate) role: Role,
    /// The published flow that the token begins, if it is one of an address for another system.
    pub(crate) hook: Option<String>,
    /// Whose data they reach.
    pub(crate) tenant: TenantName,
    /// Until when.
    pub(crate) expires_at: Option<Timestamp>,
}

impl From<Token> for Caller {
    fn from(token: Token) -> Self {
        let Token { id, name, role, hook, tenant, expires_at, .. } = token;
        Self { id, name, role, hook, tenant, expires_at }
    }
}

impl Caller {
    /// `host.forbidden` for a lower role.
    pub(crate) fn require(&self, least: Role) -> Result<(), ErrorReply> {
        if self.role >= least {
            return Ok(());
        }
        let (least, role) = (least.name(), self.role.name());
        let message = format!("This needs the role `{least}`, and the token has the role `{role}`.");
        Err(ErrorReply::new(codes::HOST_FORBIDDEN, message)
            .hint("An administrator of the host adds tokens: `plait-server tokens add`."))
    }
}
