//! The commands that only hosts have: their arguments and their replies. `plait-server` executes them.

use std::collections::BTreeMap;

use jiff::Timestamp;
use plait_core::flow::Flow;
use plait_core::id::{AttachmentHash, RunId};
use schemars::JsonSchema;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use ts_rs::TS;

/// One thing that only a host can be asked for. The struct is its arguments.
pub trait HostCommand: Serialize + DeserializeOwned + JsonSchema + TS + Send + 'static {
    /// Its name on the wire.
    const NAME: &'static str;
    /// Its result.
    type Reply: Serialize + DeserializeOwned + JsonSchema + TS + Send + 'static;
}

pub trait HostCommandVisitor {
    /// Called once for each command.
    fn visit<C: HostCommand>(&mut self);
}

macro_rules! host_commands {
    ($($name:literal: $command:ty => $reply:ty;)*) => {
        $(impl HostCommand for $command {
            const NAME: &'static str = $name;
            type Reply = $reply;
        })*

        pub fn visit_host_commands(visitor: &mut impl HostCommandVisitor) {
            $(visitor.visit::<$command>();)*
        }
    };
}

host_commands! {
    "host.about": AboutHost => HostInfo;
    "host.files": HostFiles => Vec<HostFile>;
    "host.runTree": ReadRunTree => RunTree;
    "published.list": ListPublished => Vec<PublishedFlow>;
    "published.versions": ListPublishedVersions => Vec<PublishedVersion>;
    "published.read": ReadPublished => VersionedFlow;
    "published.publish": PublishFlow => PublishedVersion;
    "published.rollBack": RollBack => PublishedVersion;
    "published.schedule": SchedulePublished => Option<String>;
    "published.remove": Unpublish => ();
}

/// `host.about`: what the host is, and what the token may do there.
#[derive(Debug, Default, Serialize, Deserialize, JsonSchema, TS)]
#[serde(deny_unknown_fields)]
pub struct AboutHost {}

/// A host as the owner of a token sees it.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema, TS)]
#[serde(rename_all = "camelCase")]
pub struct HostInfo {
    pub version: String,
    /// The name of the token.
    pub token: String,
    /// Its role: `viewer`, `runner`, `editor` or `admin`.
    pub role: String,
    /// The tenant that it belongs to, if the host has others than the default one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub tenant: Option<String>,
    /// When the token expires.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<String>")]
    #[ts(optional, type = "string")]
    pub expires_at: Option<Timestamp>,
    /// The commands that it may execute, sorted.
    pub commands: Vec<String>,
}

/// `host.files`: the flow and pipeline files in the folder with the flows, and in the folders below it. At most 1,000.
#[derive(Debug, Default, Serialize, Deserialize, JsonSchema, TS)]
#[serde(deny_unknown_fields)]
pub struct HostFiles {}

/// A file in the folder with the flows of a host.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema, TS)]
#[serde(rename_all = "camelCase")]
pub struct HostFile {
    /// Relative to the folder.
    pub path: String,
    /// When it was written, in milliseconds since the Unix epoch.
    #[ts(type = "number")]
    pub modified_at: u64,
}

/// `host.runTree`: the journals of a run and the runs below it, with all that they name. `run.unknown`, `run.busy` while it goes on,
/// `run.in_conversation`.
#[derive(Debug, Serialize, Deserialize, JsonSchema, TS)]
#[serde(deny_unknown_fields)]
pub struct ReadRunTree {
    #[schemars(with = "String")]
    pub run: RunId,
}

/// A run tree on its way from one data directory to another one.
#[derive(Debug, Serialize, Deserialize, JsonSchema, TS)]
pub struct RunTree {
    /// The run at its root.
    #[schemars(with = "String")]
    pub root: RunId,
    /// The file of the tree, in base64.
    pub journal: String,
    /// The documents of the flows that its runs ran.
    pub flows: Vec<String>,
    /// The attachments that its journals name, by hash, in base64.
    #[schemars(with = "BTreeMap<String, String>")]
    pub attachments: BTreeMap<AttachmentHash, String>,
}

/// `published.list`: the flows that are served.
#[derive(Debug, Default, Serialize, Deserialize, JsonSchema, TS)]
#[serde(deny_unknown_fields)]
pub struct ListPublished {}

/// A flow that is served.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema, TS)]
#[serde(rename_all = "camelCase")]
pub struct PublishedFlow {
    pub name: String,
    /// The name and the description in the flow.
    pub title: String,
    pub description: String,
    /// Whether it has a context `main`, so that it can go on with a conversation.
    pub is_chat: bool,
    /// Whether its runs take a text.
    #[serde(default)]
    pub takes_input: bool,
    /// When it begins by itself.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub schedule: Option<Schedule>,
    #[serde(flatten)]
    pub about: PublishedVersion,
}

/// When a flow begins by itself, and with what.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema, TS)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Schedule {
    /// Minute, hour, day of the month, month and day of the week, as in a crontab; seconds may come before them.
    pub cron: String,
    /// The time zone by its IANA name, such as `Europe/Paris`. UTC, if left out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub timezone: Option<String>,
    /// The text input of the runs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub input: Option<String>,
}

/// What lists say of a version.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema, TS)]
#[serde(rename_all = "camelCase")]
pub struct PublishedVersion {
    /// Counts from 1.
    pub version: u32,
    /// When it was published.
    #[schemars(with = "String")]
    #[ts(type = "string")]
    pub at: Timestamp,
    /// The name of the token that published it, or `terminal`.
    pub by: String,
    /// The file of the flow: its grants hold for the runs, and tools may read in its folder.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub path: Option<String>,
}

/// `published.versions`: the versions of a flow, the oldest first. `published.unknown`.
#[derive(Debug, Serialize, Deserialize, JsonSchema, TS)]
#[serde(deny_unknown_fields)]
pub struct ListPublishedVersions {
    /// The name under which the flow is published.
    pub name: String,
}

/// `published.read`: a version of a flow, or the one that is served. `published.unknown`.
#[derive(Debug, Serialize, Deserialize, JsonSchema, TS)]
#[serde(deny_unknown_fields)]
pub struct ReadPublished {
    pub name: String,
    /// The one that is served, if left out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub version: Option<u32>,
}

/// A version with its flow.
#[derive(Debug, Serialize, Deserialize, JsonSchema, TS)]
#[serde(rename_all = "camelCase")]
pub struct VersionedFlow {
    #[serde(flatten)]
    pub about: PublishedVersion,
    #[schemars(with = "Value")]
    pub flow: Flow,
}

/// `published.publish`: checks a flow of the host's folder and serves it with its sub-flows as a new version. `flow.invalid`,
/// `published.bad_name`, `host.path`.
#[derive(Debug, Serialize, Deserialize, JsonSchema, TS)]
#[serde(deny_unknown_fields)]
pub struct PublishFlow {
    pub name: String,
    /// The file of the flow, in the folder with the flows of the host.
    pub path: String,
}

/// `published.rollBack`: serves an earlier version again. `published.unknown`.
#[derive(Debug, Serialize, Deserialize, JsonSchema, TS)]
#[serde(deny_unknown_fields)]
pub struct RollBack {
    pub name: String,
    pub version: u32,
}

/// `published.schedule`: has a flow that is served begin by itself, or without `schedule` no longer. The reply is the next time.
/// `published.unknown`, `published.bad_schedule`.
#[derive(Debug, Serialize, Deserialize, JsonSchema, TS)]
#[serde(deny_unknown_fields)]
pub struct SchedulePublished {
    pub name: String,
    /// No longer, if left out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub schedule: Option<Schedule>,
}

/// `published.remove`: serves a flow no longer. Its versions are kept. `published.unknown`.
#[derive(Debug, Serialize, Deserialize, JsonSchema, TS)]
#[serde(deny_unknown_fields)]
pub struct Unpublish {
    pub name: String,
}
