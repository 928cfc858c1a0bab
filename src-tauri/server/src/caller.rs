//! Who sent a request, and what that token may be used for.

use plait_api::ErrorReply;

use crate::codes;
use crate::roles::Role;
use crate::tokens::Token;

/// Who sent a request.
#[derive(Clone)]
pub(crate) struct Caller(pub(crate) Token);

impl Caller {
    /// `host.forbidden` for a lower role.
    pub(crate) fn require(&self, least: Role) -> Result<(), ErrorReply> {
        let role = self.0.role;
        if role >= least {
            return Ok(());
        }
        let (least, role) = (least.name(), role.name());
        let message = format!("This needs the role `{least}`, and the token has the role `{role}`.");
        Err(ErrorReply::new(codes::HOST_FORBIDDEN, message)
            .hint("An administrator of the host adds tokens: `plait-server tokens add`."))
    }
}
