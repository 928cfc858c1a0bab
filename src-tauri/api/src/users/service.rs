//! The users of the data directory, and who is the current one for this process.

use plait_adapters::KeyStore;
use plait_core::user::UserName;
use plait_store::Store;

use super::UserList;
use crate::ErrorReply;
use crate::blocking::run_blocking;

/// The users. Cheap to clone.
#[derive(Clone)]
pub struct UserService {
    pub(super) store: Store,
    pub(super) keys: KeyStore,
    /// The user that this process works for, independent of the current one.
    acting: Option<UserName>,
}

impl UserService {
    /// `acting`: the user to work for, instead of the current one. `user.unknown`.
    pub(crate) fn new(store: Store, keys: KeyStore, acting: Option<&str>) -> Result<Self, ErrorReply> {
        let acting = acting.map(|name| store.users()?.find(name)).transpose()?;
        Ok(Self { store, keys, acting })
    }

    /// The same users, working for this one, or else for the current one. Blocks. `user.unknown`.
    pub(crate) fn acting_for(&self, name: Option<&str>) -> Result<Self, ErrorReply> {
        let acting = name.map(|name| self.store.users()?.find(name)).transpose()?;
        Ok(Self { acting, ..self.clone() })
    }

    /// The users; the current one is that of this process.
    pub(super) async fn list(&self) -> Result<UserList, ErrorReply> {
        let service = self.clone();
        run_blocking(move || service.read()).await
    }

    /// The user that a caller names, or else the current one. Blocks. `user.unknown`.
    pub(crate) fn resolve(&self, name: Option<&UserName>) -> Result<UserName, ErrorReply> {
        match (name, &self.acting) {
            (Some(name), _) => Ok(self.store.users()?.find(name.as_str())?),
            (None, Some(acting)) => Ok(acting.clone()),
            (None, None) => Ok(self.store.users()?.current),
        }
    }

    fn read(&self) -> Result<UserList, ErrorReply> {
        let mut users = self.store.users()?;
        if let Some(acting) = &self.acting {
            users.current = acting.clone();
        }
        Ok(users)
    }
}
