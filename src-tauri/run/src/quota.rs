//! Quotas: how many tokens, and how much money, model calls may use: per run, loop, node, conversation and day.
//!
//! A call reserves what it may cost at most in every quota that holds it, before it is sent. The provider's report replaces
//! the reservation; a call without a report stays charged with it. Two calls, also of different runs, can't take the
//! same rest: all reservations of a process go through one [`QuotaBank`]. What exceeds a quota is decided by its
//! [`OnExceeded`](plait_core::quota::OnExceeded), which model calls carry out.
//!
//! An iteration of a loop reserves with its first call what the iteration before it reserved in all, so that none
//! begins that is known not to end within the quota. Iterations that are open at once (`forEach`) get equal parts of what is left when
//! they open; what a part does not use returns.

mod bank;
mod chain;
mod link;

pub use bank::{IterationCost, QuotaBank, Refusal, Reservation};
pub use chain::QuotaChain;
pub use link::{Holder, QuotaLink, QuotaScope, QuotaState};
