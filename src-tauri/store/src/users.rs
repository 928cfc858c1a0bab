//! The users of a data directory, and which of them is the current one: `users.json`.

use plait_core::error::Fault;
use plait_core::user::UserName;
use serde::{Deserialize, Serialize};
use ts_rs::TS;

use crate::codes;
use crate::document_files::USERS;
use crate::documents;
use crate::store_core::StoreCore;

/// The most users of a data directory.
const MAX_USERS: usize = 200;

/// The users. There is always a current one, and it is one of them.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase", default)]
pub struct UserList {
    /// Whose runs, conversations and memories are shown, and to whom new ones belong.
    pub current: UserName,
    /// All users, by name.
    pub names: Vec<UserName>,
}

impl Default for UserList {
    fn default() -> Self {
        Self { current: UserName::default(), names: vec![UserName::default()] }
    }
}

impl UserList {
    /// The user of this name. Fault `user.unknown`.
    pub fn find(&self, name: &str) -> Result<UserName, Fault> {
        let found = self.names.iter().find(|known| known.as_str() == name.trim());
        found.cloned().ok_or_else(|| self.unknown(name))
    }

    /// Adds a user. `user.bad_name`, `user.exists`, `user.too_many`.
    pub fn add(&mut self, name: &str) -> Result<UserName, Fault> {
        let name = UserName::parse(name)?;
        if let Some(known) = self.names.iter().find(|known| known.resembles(&name)) {
            return Err(Fault::new(codes::USER_EXISTS, format!("There is already a user `{known}`."))
                .hint(format!("Choose another name, or switch to that user: plait users switch {known}")));
        }
        if self.names.len() >= MAX_USERS {
            return Err(Fault::new(codes::USER_TOO_MANY, format!("There are {MAX_USERS} users already."))
                .hint("Remove one that is not needed any more."));
        }
        self.names.push(name.clone());
        self.names.sort();
        Ok(name)
    }

    /// Makes a user the current one. `user.unknown`.
    pub fn switch(&mut self, name: &str) -> Result<UserName, Fault> {
        self.current = self.find(name)?;
        Ok(self.current.clone())
    }

    /// Removes a user. `user.unknown`, `user.current`.
    pub fn remove(&mut self, name: &str) -> Result<UserName, Fault> {
        let name = self.find(name)?;
        if name == self.current {
            return Err(Fault::new(codes::USER_CURRENT, format!("`{name}` is the current user."))
                .hint("Switch to another user first: plait users switch NAME"));
        }
        self.names.retain(|known| *known != name);
        Ok(name)
    }

    fn unknown(&self, name: &str) -> Fault {
        let known: Vec<_> = self.names.iter().map(|name| format!("`{name}`")).collect();
        Fault::new(codes::USER_UNKNOWN, format!("There is no user `{}`.", name.trim()))
            .hint(format!("There are: {}. Add another one: plait users add NAME", known.join(", ")))
    }

    /// The same, with the current user among the names, each once.
    fn consistent(mut self) -> Self {
        if !self.names.contains(&self.current) {
            self.names.push(self.current.clone());
        }
        self.names.sort();
        self.names.dedup();
        self
    }
}

/// The users of the data directory.
pub(crate) fn get(core: &StoreCore) -> Result<UserList, Fault> {
    documents::get::<UserList>(core, USERS).map(UserList::consistent)
}

/// Changes the users. On disk when this returns.
pub(crate) fn change<T>(
    core: &StoreCore,
    change: impl FnOnce(&mut UserList) -> Result<T, Fault>,
) -> Result<(T, UserList), Fault> {
    let _alone = core.changing.lock();
    let mut users = get(core)?;
    let result = change(&mut users)?;
    documents::put(core, USERS, &users)?;
    Ok((result, users))
}

#[cfg(test)]
mod tests;
