//! Reads every long-term memory of every user.

use plait_engine::error::{ErrorCode, Fault};

use super::Report;
use crate::store::memories::{LoadedMemories, files_in, folder_in};
use crate::store::store_core::StoreCore;

pub(super) fn check(core: &StoreCore, report: &mut Report) -> Result<(), Fault> {
    for path in files_in(&folder_in(&core.shared.home))? {
        let loaded = match LoadedMemories::read(&path) {
            Ok(loaded) => loaded,
            Err(newer) if newer.code == ErrorCode::StoreNewer => {
                report.lost(&path, newer.message);
                continue;
            }
            Err(fault) => return Err(fault),
        };
        report.memories += loaded.list.memories.len();
        if let Some(damage) = &loaded.list.damage {
            report.lost(&path, format!("Memories {} are damaged. {damage}", loaded.owner()));
        }
    }
    Ok(())
}
