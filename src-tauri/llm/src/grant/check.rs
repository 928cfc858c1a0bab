//! Whether the grants let one call use a target, and how URLs and paths become targets.

use std::sync::Arc;

use url::Url;

use super::pattern::{GrantPattern, normalize_folder};
use super::{GrantDecision, GrantTarget, Grants, Ruling};
use crate::codes;
use plait_core::error::Fault;

/// A folder with a path relative to `base`.
pub fn folder_target(base: &str, path: &str) -> Option<GrantTarget> {
    normalize_folder(&format!("{base}/{path}")).map(GrantTarget::Folder)
}

/// The host of a URL. Its path and query may have placeholders. A text that is no URL has an unknown host.
pub fn host_of_url(url: &str) -> GrantTarget {
    // The parser takes a placeholder in the place of the host for a name.
    let parsed =
        Url::parse(url.trim()).ok().filter(|url| url.host_str().is_some_and(|host| !host.contains('{')));
    parsed.and_then(|url| host_target(&url)).unwrap_or(GrantTarget::Host(None))
}

pub fn host_target(url: &Url) -> Option<GrantTarget> {
    Some(GrantTarget::host(url.host_str()?, url.port_or_known_default()?))
}

/// The grants that one call is made with. Without any there are no limits: outside of runs, and in runs that were recorded
/// before there were grants.
#[derive(Clone, Debug, Default)]
pub struct CallGrants {
    grants: Option<Arc<Grants>>,
    /// Whether the person was asked about this call and approved it.
    approved: bool,
}

impl CallGrants {
    /// Of a run.
    pub fn new(grants: Option<Arc<Grants>>) -> Self {
        Self { grants, approved: false }
    }

    /// After the person approved the call.
    #[must_use]
    pub fn approved(self, approved: bool) -> Self {
        Self { approved, ..self }
    }

    /// What the grants say about a use.
    pub fn ruling(&self, target: &GrantTarget, write: bool) -> Ruling<'_> {
        match &self.grants {
            Some(grants) => grants.decide(target, write),
            None => Ruling { decision: GrantDecision::Allow, rule: None },
        }
    }

    /// Whether a use is allowed now. Faults `grant.denied`, `grant.missing`, `grant.asks`.
    pub fn check(&self, target: &GrantTarget, write: bool) -> Result<(), Fault> {
        let ruling = self.ruling(target, write);
        match ruling.decision {
            GrantDecision::Allow => Ok(()),
            GrantDecision::Ask if self.approved => Ok(()),
            _ => Err(refuse(target, write, ruling)),
        }
    }

    /// See [`Grants::opens_local_host`].
    pub fn opens_local_host(&self, target: &GrantTarget, write: bool) -> bool {
        match (&self.grants, target) {
            (Some(grants), GrantTarget::Host(Some((name, port)))) => {
                grants.opens_local_host(name, *port, write)
            }
            _ => false,
        }
    }
}

/// Why a use is refused.
pub fn refuse(target: &GrantTarget, write: bool, ruling: Ruling<'_>) -> Fault {
    let pattern = GrantPattern::of(target);
    let what = match (target, write) {
        (GrantTarget::Command(name), _) => format!("start the MCP server `{name}`"),
        (GrantTarget::Host(None), _) => "send requests to hosts that are not known before".to_owned(),
        (GrantTarget::Host(_), false) => format!("send requests to `{}`", pattern.name()),
        (GrantTarget::Host(_), true) => {
            format!("send requests that change something to `{}`", pattern.name())
        }
        (GrantTarget::Folder(folder), false) => format!("read files in `{folder}`"),
        (GrantTarget::Folder(folder), true) => format!("write files in `{folder}`"),
        (GrantTarget::Tool { .. }, _) => format!("call the tool `{}`", pattern.name()),
    };
    match (ruling.decision, ruling.rule) {
        (GrantDecision::Deny, Some(rule)) => Fault::new(
            codes::GRANT_DENIED,
            format!("This flow may not {what}: the rule `{}` denies it.", rule.target),
        )
        .hint(
            "Change the rule under *What this flow may do* or with `plait grants`, then run the flow again.",
        ),
        (GrantDecision::Ask, _) => {
            let message = format!("This flow may not {what} without asking, and nobody was asked.");
            Fault::new(codes::GRANT_ASKS, message)
                .hint("Call the tool with this target itself; the person is asked then.")
        }
        _ => {
            let message = format!("This flow may not {what}: nobody allowed it.");
            Fault::new(codes::GRANT_MISSING, message).hint(format!(
                "Allow it under *What this flow may do* or with `--allow {pattern}`, then run the flow again."
            ))
        }
    }
}
