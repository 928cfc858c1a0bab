//! `runs import` and `runs export`: moves a run tree between the data directory and a database, byte for byte.

use std::path::Path;

use plait_api::ErrorReply;
use plait_api::Plait;
use plait_api::runs::ShowRun;
use plait_core::attachment::AttachmentStore as _;
use plait_core::id::RunId;
use plait_host_store::{Database, TenantName};

use crate::blocking::blocking;
use crate::board::StandingRun;
use crate::codes;
use crate::tenant_folders::options_of;

const CONNECTIONS: u32 = 1;

/// Stores a run of the data directory in the database. `run.unknown`, `run.ambiguous`, `run.in_conversation`, `run.exists`, `host.database`.
pub(crate) async fn import(
    home: &Path,
    prefix: &str,
    url: &str,
    tenant: &TenantName,
) -> Result<(), ErrorReply> {
    let plait = Plait::open(options_of(tenant, home))?;
    let (store, prefix) = (plait.store().clone(), prefix.to_owned());
    let (tree, flows) = blocking(move || {
        let tree = store.stored_tree(&store.find_run(&prefix)?)?;
        let flows = tree.flows.iter().map(|hash| Ok((hash.clone(), store.flow(hash)?)));
        let flows = flows.collect::<Result<Vec<_>, ErrorReply>>()?;
        Ok((tree, flows))
    })
    .await?;
    let mut attachments = Vec::new();
    for hash in &tree.hashes {
        match plait.store().get(hash).await {
            Ok(bytes) => attachments.push((hash.clone(), bytes.to_vec())),
            // The hash of something else.
            Err(fault) if fault.code == codes::ATTACHMENT_MISSING => {}
            Err(fault) => return Err(fault.into()),
        }
    }
    let run = StandingRun::of(plait.call(ShowRun { run: tree.root.clone() }).await?)?;
    let database = Database::open(url, CONNECTIONS, tenant).await?;
    let stored = database.put_tree(&tree, &flows, &attachments, (&run.state_text()?, &run.listing)).await;
    database.close().await;
    stored?;
    println!("{}: {} bytes", tree.root, tree.bytes.len());
    plait.close().await
}

/// Stores a run of the database in the data directory. `run.unknown`, `run.exists`, `host.database`.
pub(crate) async fn export(home: &Path, run: &str, url: &str, tenant: &TenantName) -> Result<(), ErrorReply> {
    let plait = Plait::open(options_of(tenant, home))?;
    let database = Database::open(url, CONNECTIONS, tenant).await?;
    let exported = export_from(&plait, &database, &run.to_owned().into()).await;
    database.close().await;
    exported?;
    plait.close().await
}

async fn export_from(plait: &Plait, database: &Database, run: &RunId) -> Result<(), ErrorReply> {
    let root = database.root_of(run).await?;
    let bytes = database.tree(&root).await?;
    let (store, id) = (plait.store().clone(), root.clone());
    let tree = blocking(move || {
        if store.run(&id).is_ok() {
            let message = format!("The data directory has run {id} already.");
            return Err(ErrorReply::new(codes::RUN_EXISTS, message).hint("Remove it first: `plait runs rm`."));
        }
        store.put_tree(&id, &bytes)?;
        Ok(store.stored_tree(&id)?)
    })
    .await?;
    for hash in tree.flows {
        if let Some(document) = database.flow(&hash).await? {
            let store = plait.store().clone();
            blocking(move || Ok(store.put_flow(&document)?)).await?;
        }
    }
    for hash in tree.hashes {
        if let Some(bytes) = database.attachment(&hash).await? {
            plait.store().put(&hash, bytes.into()).await?;
        }
    }
    println!("{root}");
    Ok(())
}
