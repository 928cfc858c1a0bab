//! What was spent before this process, or before a run was resumed, by the ledger of the store: what quotas begin with.

use std::collections::BTreeMap;

use jiff::tz::TimeZone;
use plait_core::error::Fault;
use plait_core::id::{ConversationId, RunId};
use plait_core::quota::Amount;
use plait_llm::quota::{Holder, QuotaBank};
use plait_store::RunSpending;
use plait_store::Store;
use plait_store::record::{QUARTER_MS, RunRecord};

use crate::usage::date_of;

/// A bank with the days of the local time zone.
pub(crate) fn local_bank() -> QuotaBank {
    QuotaBank::new(|ms| day_number(ms, &TimeZone::system()))
}

/// Tells the bank what was spent on the day that `now` is in, unless it knows. Fault `store.changed_outside` if the ledger was changed: the
/// quota of a run that starts would be larger than the person has set it.
pub(super) fn open_day(bank: &QuotaBank, store: &Store, now: u64) -> Result<(), Fault> {
    store.check_ledger()?;
    count_day(bank, store, now)
}

/// The same for runs that are under way, by what the ledger still has.
pub(crate) fn count_day(bank: &QuotaBank, store: &Store, now: u64) -> Result<(), Fault> {
    let holder = bank.day(now);
    if bank.knows(&holder) {
        return Ok(());
    }
    let zone = TimeZone::system();
    let today = day_number(now, &zone);
    let runs = store.spending()?;
    let of_today = |quarter: u64| day_number(quarter.saturating_mul(QUARTER_MS), &zone) == today;
    bank.open(holder, sum(&runs, of_today));
    Ok(())
}

/// Tells the bank what was spent in a conversation, unless it knows. Fault `store.changed_outside` if the ledger was changed.
pub(super) fn open_conversation(bank: &QuotaBank, store: &Store, id: &ConversationId) -> Result<(), Fault> {
    store.check_ledger()?;
    let holder = Holder::Conversation(id.clone());
    if bank.knows(&holder) {
        return Ok(());
    }
    let mut runs = store.spending()?;
    runs.retain(|run| run.conversation.as_ref() == Some(id));
    bank.open(holder, sum(&runs, |_| true));
    Ok(())
}

/// What each child of a run that has ended spent, with the runs below it. The others are resumed, and say so themselves.
pub(super) fn spent_by_children(store: &Store, run: &RunId) -> Result<BTreeMap<RunId, Amount>, Fault> {
    let mut spent = BTreeMap::new();
    for child in store.children(run)? {
        if child.status.is_final() {
            let id = child.run.clone();
            spent.insert(id, spent_in_tree(store, child)?);
        }
    }
    Ok(spent)
}

fn spent_in_tree(store: &Store, root: RunRecord) -> Result<Amount, Fault> {
    let mut spent = Amount::default();
    let mut runs = vec![root];
    while let Some(run) = runs.pop() {
        runs.extend(store.children(&run.run)?);
        spent += sum(&[(&run).into()], |_| true);
    }
    Ok(spent)
}

/// What these runs spent in the quarters of an hour that count.
fn sum(runs: &[RunSpending], counts: impl Fn(u64) -> bool) -> Amount {
    let mut sum = Amount::default();
    for run in runs {
        for (_, models) in run.spent.iter().filter(|(quarter, _)| counts(**quarter)) {
            for spending in models.values() {
                sum += (*spending).into();
            }
        }
        for (_, amount) in run.unreported.iter().filter(|(quarter, _)| counts(**quarter)) {
            sum += *amount;
        }
        // Those of a run that is being driven are reserved after this was read.
        for call in run.unanswered.iter().filter(|call| counts(call.sent_at / QUARTER_MS)) {
            sum += call.amount;
        }
    }
    sum
}

/// A number for the day, which grows by the day.
fn day_number(ms: u64, zone: &TimeZone) -> i64 {
    let date = date_of(ms, zone);
    i64::from(date.year()) * 1_000 + i64::from(date.day_of_year())
}
