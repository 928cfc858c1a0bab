//! `hosts.*`: the hosts that this machine works with, and what is asked of them. Never reveals a token.
//!
//! A window belongs to this machine or to one host of the list; `crate::host_window` says which of its commands go there.

mod host_commands;
mod list;
mod publish;
mod pull;
mod remote_host;
mod run_published;
mod service;

pub use host_commands::{
    AboutHost, HostCommand, HostCommandVisitor, HostFile, HostFiles, HostInfo, ListPublished,
    ListPublishedVersions, PublishFlow, PublishedFlow, PublishedVersion, ReadPublished, ReadRunTree,
    RollBack, RunTree, Schedule, SchedulePublished, Unpublish, VersionedFlow, visit_host_commands,
};
pub use list::{AddHost, ListHosts, ListedHost, RemoveHost};
pub use plait_adapters::hosts::{HostAccess, HostClient, HostEntry, HostList};
pub use publish::{PreviewPublication, PublicationPreview, PublishOnHost, publication_name};
pub use pull::{PullRun, PulledRun};
pub(crate) use remote_host::{HostEvents, HostWatch, RemoteHost};
pub use run_published::{RunOnHost, RunPublished};
pub use service::HostService;
