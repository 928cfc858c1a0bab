//! Reads the small documents: flows as they ran, drafts, and whatever is one file of the data directory.

use std::collections::BTreeMap;
use std::fs;

use plait_engine::grant::Grants;
use plait_engine::models::Correction;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

use super::Report;
use crate::store::store_core::StoreCore;
use crate::store::{GRANTS, MCP_SERVERS, MCP_TOOLS, RecentFlow, SETTINGS, UserList, documents, drafts};

pub(super) fn check(core: &StoreCore, report: &mut Report) {
    let home = core.shared.home.clone();
    let mut users: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for (_, entry) in core.shared.index().newest_first() {
        users.entry(entry.record.flow.hash.clone()).or_default().push(entry.record.run.to_string());
    }
    for (hash, runs) in users {
        if let Err(fault) = documents::flow(core, &hash) {
            let path = home.join("flows").join(&hash).with_extension("json");
            let runs = runs.join(", ");
            report.lost(&path, format!("{} These runs used it and can't be resumed: {runs}.", fault.message));
        }
    }
    check_document::<Map<String, Value>>(core, SETTINGS, report);
    check_document::<Vec<RecentFlow>>(core, "recent", report);
    check_document::<BTreeMap<String, Correction>>(core, "calibration", report);
    check_document::<UserList>(core, "users", report);
    check_document::<BTreeMap<String, Grants>>(core, GRANTS, report);
    check_document::<Map<String, Value>>(core, MCP_SERVERS, report);
    check_document::<Map<String, Value>>(core, MCP_TOOLS, report);
    for item in fs::read_dir(home.join("drafts")).into_iter().flatten().flatten() {
        let path = item.path();
        if path.extension().is_some_and(|extension| extension == "json") && !drafts::is_readable(&path) {
            report.lost(&path, "The draft can't be read.");
        }
    }
}

fn check_document<T: DeserializeOwned + Default>(core: &StoreCore, name: &str, report: &mut Report) {
    if let Err(fault) = documents::get::<T>(core, name) {
        report.lost(&documents::path(core, name), fault.message);
    }
}
