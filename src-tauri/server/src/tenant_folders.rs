//! The data directories of the tenants of a host, and how they are opened. That of the default one has the others below it, in
//! `tenants/NAME`.

use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use plait_api::keys::KeyStore;
use plait_api::{ErrorReply, Options};
use plait_host_store::TenantName;
use plait_store::private_files;

use crate::codes;

/// The folder of the data directory with the other tenants.
pub(crate) const TENANTS: &str = "tenants";

#[derive(Clone, Debug)]
pub(crate) struct TenantFolders(PathBuf);

impl TenantFolders {
    /// Those below the data directory of a host.
    pub(crate) fn of(home: &Path) -> Self {
        Self(home.to_owned())
    }

    /// Makes the data directory of a tenant. `host.tenant_exists`, `host.tenants`.
    pub(crate) fn add(&self, name: &TenantName) -> Result<PathBuf, ErrorReply> {
        let exists = || {
            ErrorReply::new(codes::HOST_TENANT_EXISTS, format!("There is a tenant `{name}` already."))
                .hint("Choose another name, or give it tokens: `plait-server tokens add --tenant NAME`.")
        };
        if name.is_default() {
            return Err(exists());
        }
        let folder = self.path(name);
        if folder.symlink_metadata().is_ok() {
            return Err(exists());
        }
        private_files::create_folder(&folder).map_err(|error| self.failed(&error))?;
        Ok(folder)
    }

    /// The data directory of a tenant. `host.tenant_unknown`.
    pub(crate) fn find(&self, name: &TenantName) -> Result<PathBuf, ErrorReply> {
        let folder = self.path(name);
        if name.is_default() || folder.is_dir() {
            return Ok(folder);
        }
        Err(ErrorReply::new(codes::HOST_TENANT_UNKNOWN, format!("There is no tenant `{name}`.")).hint(
            "On the machine of the host, `plait-server tenants list` lists them, and `tenants add` adds one.",
        ))
    }

    /// The tenants, the default one first, then by name. `host.tenants`.
    pub(crate) fn list(&self) -> Result<Vec<TenantName>, ErrorReply> {
        let entries = match std::fs::read_dir(self.0.join(TENANTS)) {
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(vec![TenantName::default()]),
            entries => entries.map_err(|error| self.failed(&error))?,
        };
        let mut names = Vec::new();
        for entry in entries {
            let entry = entry.map_err(|error| self.failed(&error))?;
            // Others are no tenants.
            let name = entry.file_name().to_str().and_then(|name| TenantName::parse(name).ok());
            names.extend(name.filter(|name| !name.is_default() && self.path(name).is_dir()));
        }
        names.sort_unstable();
        names.insert(0, TenantName::default());
        Ok(names)
    }

    fn path(&self, name: &TenantName) -> PathBuf {
        if name.is_default() { self.0.clone() } else { self.0.join(TENANTS).join(name.as_str()) }
    }

    fn failed(&self, error: &std::io::Error) -> ErrorReply {
        let message = format!("`{}` cannot be read or written: {error}.", self.0.join(TENANTS).display());
        ErrorReply::new(codes::HOST_TENANTS, message)
    }
}

/// How the application of a tenant is opened. What the environment of this process holds is the default tenant's.
pub(crate) fn options_of(tenant: &TenantName, home: &Path) -> Options {
    let keys = (!tenant.is_default()).then(|| KeyStore::open_without_environment(home));
    Options { keys, ..Options::of_application(home, plait_app::parts()) }
}

/// What messages about a tenant begin with.
pub(crate) fn mark(tenant: &TenantName) -> String {
    if tenant.is_default() { String::new() } else { format!("Tenant {tenant}: ") }
}

#[cfg(test)]
mod tests;
