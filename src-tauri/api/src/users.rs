//! `users.*`: the users of the data directory. One of them is the current one: lists show what belongs to that user, and new
//! runs and conversations do.

mod service;

use plait_core::error::Fault;
use plait_core::user::UserName;
use serde::{Deserialize, Serialize};
use ts_rs::TS;

use crate::ErrorReply;
use crate::blocking::run_blocking;
use crate::codes;
use crate::command::Command;

pub use plait_store::UserList;
pub use service::UserService;

/// `users.list`: the users, and which of them is the current one.
#[derive(Debug, Default, Serialize, Deserialize, TS)]
pub struct ListUsers {}

impl Command for ListUsers {
    const NAME: &'static str = "users.list";
    type Service = UserService;
    type Reply = UserList;

    async fn run(self, service: &UserService) -> Result<UserList, ErrorReply> {
        service.list().await
    }
}

/// `users.add`: adds a user. `user.bad_name`, `user.exists`, `user.too_many`.
#[derive(Debug, Default, Serialize, Deserialize, TS)]
pub struct AddUser {
    pub name: String,
    /// Whether the new user becomes the current one.
    #[serde(default)]
    #[ts(optional, as = "Option<bool>")]
    pub switch: bool,
}

impl Command for AddUser {
    const NAME: &'static str = "users.add";
    type Service = UserService;
    type Reply = UserList;

    async fn run(self, service: &UserService) -> Result<UserList, ErrorReply> {
        let redaction = service.keys.redaction_with_stored_keys().await;
        if redaction.first_secret(&self.name).is_some() {
            let message = "The name of the user is a key.";
            return Err(Fault::new(codes::USER_BAD_NAME, message).hint("Enter a name.").into());
        }
        let store = service.store.clone();
        let add = move |users: &mut UserList| {
            let name = users.add(&self.name)?;
            if self.switch {
                users.switch(name.as_str())?;
            }
            Ok(())
        };
        run_blocking(move || Ok(store.change_users(add)?.1)).await
    }
}

/// `users.switch`: makes a user the current one. Runs in progress keep their user. `user.unknown`.
#[derive(Debug, Default, Serialize, Deserialize, TS)]
pub struct SwitchUser {
    pub name: String,
}

impl Command for SwitchUser {
    const NAME: &'static str = "users.switch";
    type Service = UserService;
    type Reply = UserList;

    async fn run(self, service: &UserService) -> Result<UserList, ErrorReply> {
        let store = service.store.clone();
        run_blocking(move || Ok(store.change_users(|users| users.switch(&self.name))?.1)).await
    }
}

/// `users.remove`: removes a user. The user's runs and conversations stay, and are seen again if a user of the same name is
/// added. `user.unknown`, `user.current`; `user.has_memories` if memories are to be kept.
#[derive(Debug, Default, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct RemoveUser {
    pub name: String,
    /// Whether the user's long-term memories are erased.
    #[serde(default)]
    #[ts(optional, as = "Option<bool>")]
    pub erase_memories: bool,
}

impl Command for RemoveUser {
    const NAME: &'static str = "users.remove";
    type Service = UserService;
    type Reply = UserList;

    async fn run(self, service: &UserService) -> Result<UserList, ErrorReply> {
        let store = service.store.clone();
        let memories = store.clone();
        let remove = move |users: &mut UserList| {
            let name = users.remove(&self.name)?;
            let list = memories.memories(&name)?;
            if !self.erase_memories && (!list.memories.is_empty() || list.damage.is_some()) {
                return Err(has_memories(&name, list.memories.len()));
            }
            memories.remove_memories(&name)
        };
        run_blocking(move || Ok(store.change_users(remove)?.1)).await
    }
}

fn has_memories(name: &UserName, count: usize) -> Fault {
    Fault::new(codes::USER_HAS_MEMORIES, format!("The user `{name}` has {count} memories."))
        .hint("Export them first if you want to keep them, then remove the user together with the memories.")
}
