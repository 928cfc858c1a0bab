//! The commands that only hosts have: what the host is, its files, its runs as a whole, and `published.*`.

use plait_api::ErrorReply;
use plait_api::hosts::{AboutHost, HostCommand, HostFiles, HostInfo, ReadRunTree, RunTree};
use plait_core::attachment::AttachmentStore as _;
use plait_core::id::{AttachmentHash, RunId};
use plait_journal::view::RunStatus;
use plait_store::{Store, StoredTree};
use serde_json::Value;

use crate::access::commands_of;
use crate::blocking::blocking;
use crate::caller::Caller;
use crate::codes;
use crate::command_values::{arguments, reply};
use crate::database_runs::DatabaseRuns;
use crate::publishing;
use crate::tenant::Tenant;

/// Executes one of the commands.
pub(crate) async fn execute(
    tenant: &Tenant,
    caller: &Caller,
    name: &str,
    args: Value,
) -> Result<Value, ErrorReply> {
    match name {
        AboutHost::NAME => {
            let AboutHost {} = arguments(args)?;
            reply(about(caller))
        }
        HostFiles::NAME => {
            let HostFiles {} = arguments(args)?;
            let flows = tenant.flows.clone();
            reply(blocking(move || Ok(flows.files())).await?)
        }
        ReadRunTree::NAME => {
            let ReadRunTree { run } = arguments(args)?;
            reply(run_tree(tenant, &run).await?)
        }
        _ => publishing::execute(tenant, caller, name, args).await,
    }
}

fn about(caller: &Caller) -> HostInfo {
    HostInfo {
        version: env!("CARGO_PKG_VERSION").to_owned(),
        token: caller.name.clone(),
        role: caller.role.name().to_owned(),
        tenant: (!caller.tenant.is_default()).then(|| caller.tenant.to_string()),
        expires_at: caller.expires_at,
        commands: commands_of(caller.role),
    }
}

/// A run tree that waits for a person or has ended. `run.unknown`, `run.busy`, `run.in_conversation`, `flow.unknown`, `store.*`, `host.database`.
async fn run_tree(tenant: &Tenant, run: &RunId) -> Result<RunTree, ErrorReply> {
    if let Some(database) = &tenant.database
        && let Some(root) = database.root_of(run).await?
    {
        return run_tree_of_database(database, &root).await;
    }
    let (store, id) = (tenant.plait.store().clone(), run.clone());
    let (tree, flows) = blocking(move || {
        let tree = standing_tree(&store, &id)?;
        let flows = tree.flows.iter().map(|hash| Ok(store.flow(hash)?));
        let flows = flows.collect::<Result<Vec<_>, ErrorReply>>()?;
        Ok((tree, flows))
    })
    .await?;
    let mut attachments = Vec::new();
    for hash in &tree.hashes {
        match tenant.plait.store().get(hash).await {
            Ok(bytes) => attachments.push((hash.clone(), bytes.to_vec())),
            // The hash of something else.
            Err(fault) if fault.code == codes::ATTACHMENT_MISSING => {}
            Err(fault) => return Err(fault.into()),
        }
    }
    Ok(RunTree::of(tree, flows, attachments))
}

async fn run_tree_of_database(database: &DatabaseRuns, root: &RunId) -> Result<RunTree, ErrorReply> {
    let tree = database.copies().with_tree(root, standing_tree).await?;
    let database = &database.database;
    let (mut flows, mut attachments) = (Vec::new(), Vec::<(AttachmentHash, Vec<u8>)>::new());
    for hash in &tree.flows {
        let document = database.flow(hash).await?;
        flows.push(document.ok_or_else(|| {
            let message = format!("The database does not have the flow `{hash}`, which run {root} ran.");
            ErrorReply::new(codes::FLOW_UNKNOWN, message)
        })?);
    }
    for hash in &tree.hashes {
        attachments.extend(database.attachment(hash).await?.map(|bytes| (hash.clone(), bytes)));
    }
    Ok(RunTree::of(tree, flows, attachments))
}

/// `run.busy` for a tree that goes on meanwhile: its copy would look as if it had been interrupted.
fn standing_tree(store: &Store, run: &RunId) -> Result<StoredTree, ErrorReply> {
    let tree = store.tree_so_far(run)?;
    if store.run(&tree.root)?.status == RunStatus::Running {
        return Err(ErrorReply::new(codes::RUN_BUSY, format!("Run {} is still going on.", tree.root))
            .hint("Wait for its end, or stop it first."));
    }
    Ok(tree)
}
