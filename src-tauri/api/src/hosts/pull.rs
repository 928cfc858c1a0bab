//! `hosts.pull`: a run of a host in the data directory of this machine.

use std::collections::BTreeMap;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use plait_core::attachment::AttachmentStore as _;
use plait_core::id::{AttachmentHash, RunId};
use plait_store::{Store, StoredTree};
use serde::{Deserialize, Serialize};
use ts_rs::TS;

use super::host_commands::{ReadRunTree, RunTree};
use super::service::HostService;
use crate::ErrorReply;
use crate::blocking::run_blocking;
use crate::codes;
use crate::command::Command;

/// `hosts.pull`: copies a run of a host, with the runs below it, to this machine, where it is looked at, debugged, forked and continued
/// apart from that of the host. `run.exists` if it is here already, `run.unknown`, `run.busy`, `run.in_conversation`, `hosts.*`.
#[derive(Debug, Serialize, Deserialize, TS)]
pub struct PullRun {
    pub host: String,
    pub run: RunId,
}

#[derive(Debug, Serialize, Deserialize, TS)]
pub struct PulledRun {
    /// The run at the root of the tree, which has the same id here.
    pub run: RunId,
}

impl Command for PullRun {
    const NAME: &'static str = "hosts.pull";
    type Service = HostService;
    type Reply = PulledRun;

    async fn run(self, service: &HostService) -> Result<PulledRun, ErrorReply> {
        let host = service.connection(&self.host).await?;
        let tree = host.execute(ReadRunTree { run: self.run }).await;
        let tree = tree.inspect_err(|error| service.note_error(&self.host, error))?;
        let run = tree.root.clone();
        tree.put_into(&service.store).await?;
        Ok(PulledRun { run })
    }
}

impl RunTree {
    /// A tree of a store, with what it names.
    pub fn of(tree: StoredTree, flows: Vec<String>, attachments: Vec<(AttachmentHash, Vec<u8>)>) -> Self {
        let attachments = attachments.into_iter().map(|(hash, bytes)| (hash, STANDARD.encode(bytes)));
        Self {
            root: tree.root,
            journal: STANDARD.encode(tree.bytes),
            flows,
            attachments: attachments.collect(),
        }
    }

    /// Stores the tree. `run.exists`, `command.reply`, `store.*`.
    async fn put_into(self, store: &Store) -> Result<(), ErrorReply> {
        let Self { root, journal, flows, attachments } = self;
        let journal = decoded(&journal)?;
        let attachments = attachments.into_iter().map(|(hash, bytes)| Ok((hash, decoded(&bytes)?)));
        for (hash, bytes) in attachments.collect::<Result<BTreeMap<_, _>, ErrorReply>>()? {
            store.put(&hash, bytes.into()).await?;
        }
        let store = store.clone();
        run_blocking(move || {
            if store.run(&root).is_ok() {
                return Err(ErrorReply::new(
                    codes::RUN_EXISTS,
                    format!("Run {root} is on this machine already."),
                )
                .hint("Delete it here first to bring it home as it is on the host now."));
            }
            // Before the run, whose flows are looked up when it is listed.
            for flow in flows {
                store.put_flow(&flow)?;
            }
            Ok(store.put_tree(&root, &journal)?)
        })
        .await
    }
}

fn decoded(text: &str) -> Result<Vec<u8>, ErrorReply> {
    STANDARD.decode(text).map_err(|error| unreadable(&error))
}

fn unreadable(error: &dyn std::error::Error) -> ErrorReply {
    ErrorReply::new(codes::COMMAND_REPLY, format!("The run that the host sent cannot be read: {error}."))
        .hint("The host and this program may be of different versions.")
}
