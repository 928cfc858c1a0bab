//! `hosts.list`, `hosts.add` and `hosts.remove`.

use serde::{Deserialize, Serialize};
use ts_rs::TS;

use super::service::HostService;
use crate::ErrorReply;
use crate::command::Command;
use crate::providers::SecretText;

/// `hosts.list`: the hosts of other machines that this one works with, by name. `hosts.unreadable`.
#[derive(Debug, Default, Serialize, Deserialize, TS)]
pub struct ListHosts {}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
pub struct ListedHost {
    pub name: String,
    /// Where it is.
    pub url: String,
}

impl Command for ListHosts {
    const NAME: &'static str = "hosts.list";
    type Service = HostService;
    type Reply = Vec<ListedHost>;

    async fn run(self, service: &HostService) -> Result<Vec<ListedHost>, ErrorReply> {
        let hosts = service.list.list()?.into_iter();
        Ok(hosts.map(|(name, entry)| ListedHost { name, url: entry.url }).collect())
    }
}

/// `hosts.add`: adds a host, or gives one that is there another address or token. `hosts.bad_name`, `hosts.bad_address`,
/// `hosts.unreadable`, `keys.*`.
#[derive(Debug, Serialize, Deserialize, TS)]
pub struct AddHost {
    pub name: String,
    /// Where it is. Without encryption (`http://`) only this machine.
    pub url: String,
    /// The token that the host gave. Surrounding whitespace is ignored.
    #[ts(type = "string")]
    pub token: SecretText,
}

impl Command for AddHost {
    const NAME: &'static str = "hosts.add";
    type Service = HostService;
    type Reply = ();

    async fn run(self, service: &HostService) -> Result<(), ErrorReply> {
        service.list.add(&self.name, &self.url, self.token.secret()).await?;
        service.forget_connection(&self.name);
        Ok(())
    }
}

/// `hosts.remove`: takes a host off the list and forgets its token. `hosts.unknown`, `hosts.unreadable`, `keys.*`.
#[derive(Debug, Serialize, Deserialize, TS)]
pub struct RemoveHost {
    pub name: String,
}

impl Command for RemoveHost {
    const NAME: &'static str = "hosts.remove";
    type Service = HostService;
    type Reply = ();

    async fn run(self, service: &HostService) -> Result<(), ErrorReply> {
        service.list.remove(&self.name).await?;
        service.forget_connection(&self.name);
        Ok(())
    }
}
