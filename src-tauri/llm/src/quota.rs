//! Limits: how many tokens, and how much money, model calls may use (quotas per run, loop, node, conversation and day), and
//! how many runs, model calls and events a run tree may have.
//!
//! A [`QuotaChain`] has all that hold a call: the account of its tree, then the quotas. Something is reserved in each before it
//! begins, and settled or given back when it ends. A limit of the tree, and a quota that is no node's, ends all of the tree:
//! [`is_limit_of_tree`].
//!
//! A call reserves what it may cost at most in every quota that holds it, before it is sent. The provider's report replaces
//! the reservation; a call without a report stays charged with it. Two calls, also of different runs, can't take the
//! same rest: all reservations of a process go through one [`QuotaBank`]. What exceeds a quota is decided by its
//! [`OnExceeded`](plait_core::quota::OnExceeded), which model calls carry out.
//!
//! What a call may cost is not known for sure: providers count tokens by tokenizers that Plait does not have. A call reserves the worst that
//! its model was seen to report ([`Miscounts`]); one that uses more nevertheless is charged with it and says so (`quota.overrun`).
//!
//! An iteration of a loop reserves with its first call what the iteration before it reserved in all, so that none
//! begins that is known not to end within the quota. Iterations that are open at once (`forEach`) get equal parts of what is left when
//! they open; what a part does not use returns.

mod bank;
mod chain;
mod link;
mod miscount;
mod tree;

use plait_core::error::ErrorCode;

pub use bank::{IterationCost, QuotaBank, Refusal, Reservation};
pub use chain::{CallReservation, QuotaChain};
pub use link::{Holder, QuotaLink, QuotaScope, QuotaState};
pub use miscount::{Miscounts, Probe};
pub use tree::{TreeAccount, TreeCount, TreeReservation, TreeUsage};

/// Whether an error says that a limit of the run tree or a quota beyond its nodes is reached. Nothing in a flow handles it.
pub fn is_limit_of_tree(code: &ErrorCode) -> bool {
    TreeCount::is_code(code) || QuotaScope::Run.code() == *code
}
