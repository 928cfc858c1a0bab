//! The tenants that are open: each is opened when it is needed first, and stays.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use parking_lot::Mutex;
use plait_api::ErrorReply;
use plait_host_store::TenantName;
use plait_store::private_files;
use tokio::sync::watch;

use crate::audit::AuditLog;
use crate::codes;
use crate::kept_runs::KeptRuns;
use crate::limits::Limits;
use crate::phase::{Phase, closing};
use crate::restate::ingress::Ingress;
use crate::restate::relay;
use crate::tenant::{Tenant, TenantOptions};
use crate::tenant_folders::{TENANTS, TenantFolders, mark};
use crate::{retention, run_reports, scheduled_runs};

/// How tenants are opened.
pub(crate) struct TenantsOptions {
    /// The data directory of the host, which is that of the default tenant.
    pub(crate) home: PathBuf,
    /// The folder with the flows of the default tenant.
    pub(crate) flows: PathBuf,
    /// A folder with a folder of flows for each of the others.
    pub(crate) tenant_flows: Option<PathBuf>,
    /// The address of the database, if workers drive the runs of published flows.
    pub(crate) database: Option<String>,
    /// Where Restate takes which runs have work, if it decides who drives them.
    pub(crate) restate: Option<Arc<Ingress>>,
    pub(crate) limits: Limits,
    /// How long ended runs of the database are kept.
    pub(crate) kept_runs: KeptRuns,
    pub(crate) audit: Arc<AuditLog>,
}

pub(crate) struct Tenants {
    options: TenantsOptions,
    folders: TenantFolders,
    phase: watch::Receiver<Phase>,
    opened: Mutex<BTreeMap<TenantName, Arc<Tenant>>>,
    /// Held while one is opened, so that none is opened twice or after the end. Whether all are closed.
    opening: tokio::sync::Mutex<bool>,
}

impl Tenants {
    /// `host.path` if the folders with flows are in one another, `host.tenant_unknown` if it is said how long the runs of a tenant are kept that is
    /// not there. Opens none.
    pub(crate) fn new(options: TenantsOptions, phase: watch::Receiver<Phase>) -> Result<Self, ErrorReply> {
        refuse_nesting(&options.home, &options.flows, options.tenant_flows.as_deref())?;
        let folders = TenantFolders::of(&options.home);
        for tenant in options.kept_runs.tenants() {
            folders.find(tenant)?;
        }
        Ok(Self { options, folders, phase, opened: Mutex::default(), opening: tokio::sync::Mutex::default() })
    }

    /// The tenant of this name. `host.tenant_unknown`, `host.closing`, and the errors of opening its data directory.
    pub(crate) async fn get(&self, name: &TenantName) -> Result<Arc<Tenant>, ErrorReply> {
        if let Some(tenant) = self.find(name) {
            return Ok(tenant);
        }
        let closed = self.opening.lock().await;
        if let Some(tenant) = self.find(name) {
            return Ok(tenant);
        }
        if *closed {
            return Err(closing());
        }
        // What was interrupted would go on.
        self.phase.borrow().refuse_unless_serving()?;
        let home = self.folders.find(name)?;
        let flows = match &self.options.tenant_flows {
            _ if name.is_default() => self.options.flows.clone(),
            Some(folder) => folder.join(name.as_str()),
            None => home.join("host").join("flows"),
        };
        let options = TenantOptions {
            name: name.clone(),
            home,
            flows,
            database: self.options.database.clone(),
            limits: self.options.limits,
            phase: self.phase.clone(),
        };
        let tenant = Arc::new(Tenant::open(options).await?);
        run_reports::resume(&tenant);
        tokio::spawn(scheduled_runs::begin_due(Arc::clone(&tenant)));
        if tenant.database.is_some() {
            let (kept, audit) = (self.options.kept_runs.of(name), Arc::clone(&self.options.audit));
            tokio::spawn(retention::keep_house(Arc::clone(&tenant), kept, audit));
        }
        if let Some(ingress) = &self.options.restate {
            tokio::spawn(relay::report_due_trees(Arc::clone(&tenant), Arc::clone(ingress)));
        }
        self.opened.lock().insert(name.clone(), Arc::clone(&tenant));
        Ok(tenant)
    }

    /// Opens those that are there, so that what was interrupted goes on. One that cannot be opened is named, and asked for again by its
    /// next request.
    pub(crate) async fn open_all(&self) {
        let names = match self.folders.list() {
            Ok(names) => names,
            Err(error) => return eprintln!("warning: {error}"),
        };
        for name in names {
            match self.get(&name).await {
                Ok(_) => {}
                Err(error) if error.code == codes::HOST_CLOSING => return,
                Err(error) => eprintln!("warning: {}{error}", mark(&name)),
            }
        }
    }

    /// Where Restate takes which runs have work.
    pub(crate) fn restate(&self) -> Option<&Ingress> {
        self.options.restate.as_deref()
    }

    /// Those that are open.
    pub(crate) fn opened(&self) -> Vec<Arc<Tenant>> {
        self.opened.lock().values().cloned().collect()
    }

    /// Closes all of them, and opens none any more.
    pub(crate) async fn close(&self) -> Result<(), ErrorReply> {
        let mut closed = self.opening.lock().await;
        *closed = true;
        let opened = std::mem::take(&mut *self.opened.lock());
        let closing = opened.into_values().map(async |tenant| tenant.close().await);
        futures::future::join_all(closing).await.into_iter().collect()
    }

    fn find(&self, name: &TenantName) -> Option<Arc<Tenant>> {
        self.opened.lock().get(name).cloned()
    }
}

/// With folders in one another, a tenant could name what is another one's.
fn refuse_nesting(home: &Path, flows: &Path, tenant_flows: Option<&Path>) -> Result<(), ErrorReply> {
    let failed = |error: std::io::Error| {
        ErrorReply::new(codes::HOST_PATH, format!("The folders with flows cannot be used: {error}."))
    };
    // Before the others, which may be in it.
    private_files::create_folder(home).map_err(failed)?;
    let mut folders = vec![home.canonicalize().map_err(failed)?.join(TENANTS)];
    for folder in [Some(flows), tenant_flows].into_iter().flatten() {
        std::fs::create_dir_all(folder).map_err(failed)?;
        let folder = folder.canonicalize().map_err(failed)?;
        if let Some(other) =
            folders.iter().find(|other| folder.starts_with(other) || other.starts_with(&folder))
        {
            let message =
                format!("The folders `{}` and `{}` are in one another.", folder.display(), other.display());
            return Err(ErrorReply::new(codes::HOST_PATH, message)
                .hint("Choose other folders with `--flows` and `--tenant-flows`, outside of the folder with the tenants."));
        }
        folders.push(folder);
    }
    Ok(())
}
