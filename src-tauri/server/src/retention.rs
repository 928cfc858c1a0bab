//! Removes runs of a database that ended longer ago than they are kept, at once and every few minutes, or by hand. Each removed run stands in the
//! audit log of the host that removed it.
//!
//! Any number of hosts do it beside each other: a run is removed by one of them, and the copies of the others follow.

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use jiff::Timestamp;
use plait_api::ErrorReply;
use plait_core::id::RunId;
use plait_host_store::{Database, TenantName};

use crate::audit::{AuditLog, AuditRemoval};
use crate::kept_runs::KeptTime;
use crate::tenant::Tenant;
use crate::tenant_folders::mark;

/// How often old runs are looked for.
const LOOK_INTERVAL: Duration = Duration::from_mins(10);
/// Whom the audit log names for what the option of a host removed.
const HOST: &str = "--keep-runs";
/// Whom it names for what was removed by hand.
const TERMINAL: &str = "terminal";
/// The connections of a terminal.
const CONNECTIONS: u32 = 1;

/// Removes the runs of a tenant that are no longer kept, and the copies of those that are gone, until the host ends.
pub(crate) async fn keep_house(tenant: Arc<Tenant>, kept: Option<KeptTime>, audit: Arc<AuditLog>) {
    loop {
        tokio::select! {
            biased;
            () = tenant.ended() => return,
            done = look(&tenant, kept, &audit) => if let Err(error) = done {
                eprintln!("warning: {}Old runs were not removed: {error}", mark(&tenant.name));
            },
        }
        tokio::select! {
            biased;
            () = tenant.ended() => return,
            () = tokio::time::sleep(LOOK_INTERVAL) => {}
        }
    }
}

async fn look(tenant: &Tenant, kept: Option<KeptTime>, audit: &AuditLog) -> Result<(), ErrorReply> {
    let Some(runs) = &tenant.database else { return Ok(()) };
    if let Some(kept) = kept {
        let removal = Removal { database: &runs.database, tenant: &tenant.name, audit, by: HOST };
        removal.remove(kept, |_| ()).await?;
    }
    runs.copies().forget_gone().await
}

/// Removes the runs of a tenant that are no longer kept, and prints them. `host.database`, `host.audit`.
pub(crate) async fn prune(
    home: &Path,
    url: &str,
    tenant: &TenantName,
    kept: KeptTime,
) -> Result<(), ErrorReply> {
    let audit = AuditLog::open(home)?;
    let database = Database::open(url, CONNECTIONS, tenant).await?;
    let removal = Removal { database: &database, tenant, audit: &audit, by: TERMINAL };
    let removed = removal.remove(kept, |run| println!("{run}")).await;
    database.close().await;
    removed
}

/// Prints the runs that [`prune`] would remove. `host.database`.
pub(crate) async fn print_expired(url: &str, tenant: &TenantName, kept: KeptTime) -> Result<(), ErrorReply> {
    let database = Database::open(url, CONNECTIONS, tenant).await?;
    let expired = database.expired_trees(kept.0).await;
    database.close().await;
    for run in expired? {
        println!("{run}");
    }
    Ok(())
}

struct Removal<'r> {
    database: &'r Database,
    tenant: &'r TenantName,
    audit: &'r AuditLog,
    /// Whom the audit log names.
    by: &'r str,
}

impl Removal<'_> {
    /// Removes all that is no longer kept; `removed` gets each run that is gone.
    async fn remove(&self, kept: KeptTime, removed: impl Fn(&RunId)) -> Result<(), ErrorReply> {
        loop {
            let gone = self.database.remove_expired_trees(kept.0, |roots| self.note(roots)).await?;
            gone.iter().for_each(&removed);
            if gone.is_empty() {
                break;
            }
        }
        self.database.remove_unnamed_values().await?;
        Ok(())
    }

    /// Before they are gone: the line of one that a crash keeps is written again with its removal.
    fn note(&self, roots: &[RunId]) -> Result<(), ErrorReply> {
        roots.iter().try_for_each(|removed| {
            let at = Timestamp::now();
            self.audit.write_removal(&AuditRemoval { at, name: self.by, tenant: self.tenant, removed })
        })
    }
}
