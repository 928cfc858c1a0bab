//! Reads the small documents: flows as they ran, settings, recent flows, token calibration, drafts.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use serde_json::Value;

use super::Report;
use crate::store::store_core::StoreCore;
use crate::store::{documents, drafts};

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
    for name in ["settings", "recent", "calibration", "users"] {
        check_json(&home.join(name).with_extension("json"), report);
    }
    for item in fs::read_dir(home.join("drafts")).into_iter().flatten().flatten() {
        let path = item.path();
        if path.extension().is_some_and(|extension| extension == "json") && !drafts::is_readable(&path) {
            report.lost(&path, "The draft can't be read.");
        }
    }
}

fn check_json(path: &Path, report: &mut Report) {
    let Ok(bytes) = fs::read(path) else { return };
    if let Err(error) = serde_json::from_slice::<Value>(&bytes) {
        report.lost(path, format!("The document can't be read: {error}."));
    }
}
