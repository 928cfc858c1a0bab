//! Reads every long-term memory of every user.

use plait_core::error::Fault;

use super::Report;
use crate::codes;
use crate::memories::{KnownSizes, LoadedMemories, folder_in};
use crate::store_core::StoreCore;

pub(super) fn check(core: &StoreCore, report: &mut Report) -> Result<(), Fault> {
    let folder = folder_in(&core.shared.home);
    let sizes = KnownSizes::load_unless(core.may_be_written_elsewhere(), &folder);
    for path in sizes.files()? {
        let loaded = match LoadedMemories::read(&path, &sizes) {
            Ok(loaded) => loaded,
            Err(newer) if newer.code == codes::STORE_NEWER => {
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
