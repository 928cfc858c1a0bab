//! Looks at what can't be read of the ledger.

use super::Report;
use crate::store_core::StoreCore;

pub(super) fn check(core: &StoreCore, report: &mut Report) {
    let index = core.shared.index();
    for damage in core.shared.ledger.damage() {
        // What a run that is there has spent was entered again.
        if damage.header.is_none_or(|header| index.get(&header.owner).is_none()) {
            let (start, end) = (damage.bytes.start, damage.bytes.end);
            report.lost(
                &core.shared.ledger.path(),
                format!(
                    "The bytes {start} to {end} can't be read. What a removed run has spent stood there."
                ),
            );
        }
    }
}
