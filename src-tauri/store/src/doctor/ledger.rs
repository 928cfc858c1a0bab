//! Looks at what can't be read of the ledger.

use super::Report;
use super::documents::with_hint;
use crate::checksums::check_ledger;
use crate::codes;
use crate::store_core::StoreCore;

pub(super) fn check(core: &StoreCore, report: &mut Report) {
    if let Err(fault) = check_ledger(&core.shared.home)
        && fault.code == codes::STORE_CHANGED_OUTSIDE
    {
        report.note(&core.shared.ledger.path(), with_hint(&fault));
    }
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
