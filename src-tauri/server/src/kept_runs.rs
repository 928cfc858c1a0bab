//! How long ended runs of a database are kept, of each tenant.

use std::collections::BTreeMap;
use std::str::FromStr;
use std::time::Duration;

use jiff::{Span, SpanRelativeTo};
use plait_host_store::TenantName;

/// The shortest time: who waits for a run still reads how it ended.
const MIN_TIME: Duration = Duration::from_hours(1);
/// What stands for no end.
const FOREVER: &str = "forever";

/// How long a run is kept after its end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct KeptTime(pub(crate) Duration);

impl FromStr for KeptTime {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let time = text.trim().parse::<Span>().ok();
        let time = time.and_then(|span| span.to_duration(SpanRelativeTo::days_are_24_hours()).ok());
        let time = time.and_then(|time| Duration::try_from(time).ok()).filter(|time| *time >= MIN_TIME);
        time.map(Self).ok_or_else(|| "write days, weeks or hours, such as `90d`, at least `1h`".to_owned())
    }
}

/// What one option says: of a tenant, or of all that no option names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct KeptFor {
    tenant: Option<TenantName>,
    /// None for ever.
    time: Option<KeptTime>,
}

impl FromStr for KeptFor {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let (tenant, time) = match text.split_once('=') {
            Some((tenant, time)) => (Some(tenant), time),
            None => (None, text),
        };
        let tenant = tenant.map(TenantName::parse).transpose().map_err(|fault| fault.to_string())?;
        let time = if time.trim() == FOREVER { None } else { Some(time.parse()?) };
        Ok(Self { tenant, time })
    }
}

/// What the options of a host say. Without any, all runs are kept.
#[derive(Clone, Debug, Default)]
pub(crate) struct KeptRuns {
    others: Option<KeptTime>,
    named: BTreeMap<TenantName, Option<KeptTime>>,
}

impl From<Vec<KeptFor>> for KeptRuns {
    /// A later option replaces an earlier one of the same tenant.
    fn from(options: Vec<KeptFor>) -> Self {
        let mut kept = Self::default();
        for KeptFor { tenant, time } in options {
            match tenant {
                Some(tenant) => drop(kept.named.insert(tenant, time)),
                None => kept.others = time,
            }
        }
        kept
    }
}

impl KeptRuns {
    /// How long those of a tenant are kept; none for ever.
    pub(crate) fn of(&self, tenant: &TenantName) -> Option<KeptTime> {
        self.named.get(tenant).copied().unwrap_or(self.others)
    }

    /// The tenants that options name.
    pub(crate) fn tenants(&self) -> impl Iterator<Item = &TenantName> {
        self.named.keys()
    }
}

#[cfg(test)]
mod tests;
