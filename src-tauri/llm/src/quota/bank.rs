//! The accounts of all quotas of a process. Every reservation is all or nothing, and no two can take the same rest.

use std::sync::{Arc, Weak};

use parking_lot::Mutex;
use rustc_hash::FxHashMap;

use super::{Holder, Miscounts, QuotaLink, QuotaState, TreeAccount, TreeUsage};
use plait_core::error::Fault;
use plait_core::flow::TreeLimits;
use plait_core::id::RunId;
use plait_core::quota::{Amount, DefaultQuotas, Share};

/// Milliseconds of a day.
const DAY_MS: u64 = 24 * 60 * 60 * 1000;

/// All accounts: those of quotas and those of run trees.
pub struct QuotaBank {
    /// How far the counts of models are off.
    pub miscounts: Arc<Miscounts>,
    state: Mutex<State>,
    /// The number of the day that a time is in, from milliseconds since the Unix epoch.
    day_of: Box<dyn Fn(u64) -> i64 + Send + Sync>,
}

#[derive(Default)]
struct State {
    defaults: Arc<DefaultQuotas>,
    /// Why a bound of the settings can't be kept.
    problem: Option<Fault>,
    accounts: FxHashMap<Holder, Account>,
    /// By root, the accounts of the trees that are driven. Their runs own them.
    trees: FxHashMap<RunId, Weak<TreeAccount>>,
    holds: FxHashMap<Holder, Hold>,
    /// By loop, what its latest iteration reserved in all.
    estimates: FxHashMap<Holder, Amount>,
}

/// What was used of a quota.
#[derive(Clone, Copy, Default)]
struct Account {
    spent: Amount,
    reserved: Amount,
}

/// What an open iteration or branch holds.
struct Hold {
    /// What it has reserved around itself and its calls have not taken.
    rest: Amount,
    /// Of this, its calls may take no more than the rest: it is one of several that are open at once.
    capped: Share,
    /// What its calls have reserved so far.
    reserved: Amount,
    of: Option<Holder>,
    /// The quotas that the rest is reserved in.
    outer: Vec<Holder>,
}

/// What an iteration of a loop is expected to cost when its first call reserves for all of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum IterationCost {
    /// What the iteration before it reserved.
    AsBefore,
    /// As many tokens, at a price that is not known, for iterations within the link at this place of the chain: its quota has made
    /// the call go to a cheaper model. Iterations around it cost as before.
    CheaperWithin(usize),
}

/// A quota that a call would exceed.
#[derive(Clone, Debug)]
pub struct Refusal {
    /// The place of its link in the chain.
    pub link: usize,
    pub state: QuotaState,
    /// What was to be reserved in it: for the call, or for all calls that its iteration is known to make.
    pub wanted: Amount,
}

impl Default for QuotaBank {
    fn default() -> Self {
        Self::new(|ms| i64::try_from(ms / DAY_MS).unwrap_or(i64::MAX))
    }
}

impl QuotaBank {
    /// A bank in which `day_of` gives the number of the day that a time is in.
    pub fn new(day_of: impl Fn(u64) -> i64 + Send + Sync + 'static) -> Self {
        Self { miscounts: Arc::default(), state: Mutex::default(), day_of: Box::new(day_of) }
    }

    pub fn day(&self, now_ms: u64) -> Holder {
        Holder::Day((self.day_of)(now_ms))
    }

    /// The quotas of the application's settings.
    pub fn defaults(&self) -> Arc<DefaultQuotas> {
        Arc::clone(&self.state.lock().defaults)
    }

    /// Whether the application's settings set a quota.
    pub fn has_defaults(&self) -> bool {
        !self.state.lock().defaults.is_default()
    }

    /// Sets the quotas of the application's settings. They hold for nodes that start from now on.
    pub fn set_defaults(&self, defaults: DefaultQuotas) {
        self.state.lock().defaults = Arc::new(defaults);
    }

    /// Says why the application's settings have a bound that can't be kept, or that all can.
    pub fn set_problem(&self, problem: Option<Fault>) {
        self.state.lock().problem = problem;
    }

    /// The problem that keeps runs from starting: they would do what a quota, a limit or a redaction pattern was to prevent.
    pub fn check(&self) -> Result<(), Fault> {
        self.state.lock().problem.clone().map_or(Ok(()), Err)
    }

    /// Whether it knows what was spent of a quota.
    pub fn knows(&self, holder: &Holder) -> bool {
        self.state.lock().accounts.contains_key(holder)
    }

    /// Says what was spent before this process, unless that is known already.
    pub fn open(&self, holder: Holder, spent: Amount) {
        self.state.lock().accounts.entry(holder).or_insert(Account { spent, ..Account::default() });
    }

    /// The account of the tree below this run, if one of its runs is driven.
    pub fn tree(&self, root: &RunId) -> Option<Arc<TreeAccount>> {
        self.state.lock().trees.get(root).and_then(Weak::upgrade)
    }

    /// The account of the tree below this run. `limits` and `used` are those of a tree that is not driven yet.
    pub fn open_tree(&self, root: &RunId, limits: TreeLimits, used: TreeUsage) -> Arc<TreeAccount> {
        let trees = &mut self.state.lock().trees;
        if let Some(account) = trees.get(root).and_then(Weak::upgrade) {
            return account;
        }
        trees.retain(|_, account| account.strong_count() > 0);
        let account = Arc::new(TreeAccount::new(limits, used));
        trees.insert(root.clone(), Arc::downgrade(&account));
        account
    }

    /// Reserves `amount` in all of these quotas, or in none. If it is for the first call of an iteration, it reserves what the
    /// iteration is expected to cost.
    pub fn reserve(
        self: &Arc<Self>,
        links: &Arc<[QuotaLink]>,
        amount: Amount,
        iteration: IterationCost,
    ) -> Result<Reservation, Refusal> {
        let mut state = self.state.lock();
        state.take(links, amount, iteration)?;
        for link in links.iter() {
            if let Some(hold) = state.holds.get_mut(link.holder()) {
                hold.reserved += amount;
            }
        }
        Ok(Reservation { bank: Arc::clone(self), links: Arc::clone(links), amount, is_settled: false })
    }

    /// Counts what was used before the run was resumed. An open part has it reserved already, and gives it up. `counts` says
    /// which quotas don't know of it.
    pub fn charge(&self, links: &[QuotaLink], amount: Amount, counts: impl Fn(&QuotaLink) -> bool) {
        let mut state = self.state.lock();
        // Where there is no room for it any more, it was used nevertheless.
        let was_taken = state.take(links, amount, IterationCost::AsBefore).is_ok();
        for link in links {
            if let QuotaLink::Quota { holder, .. } = link {
                let account = state.accounts.entry(holder.clone()).or_default();
                if was_taken {
                    account.reserved = account.reserved.minus(amount);
                }
                if counts(link) {
                    account.spent += amount;
                }
            }
        }
    }

    /// Gives an iteration or a branch, which the last link is, an equal part of what is left of the quotas around it. `parts` is how many more
    /// may be open at once, with this one.
    pub fn open_part(&self, links: &[QuotaLink], parts: u64) {
        let Some((QuotaLink::Hold { holder, of, .. }, outer)) = links.split_last() else { return };
        let mut state = self.state.lock();
        let part = state.left(outer).part(parts);
        if part.is_unlimited() || state.take(outer, part.amount(), IterationCost::AsBefore).is_err() {
            return;
        }
        let outer = accounts(outer);
        let hold =
            Hold { rest: part.amount(), capped: part, reserved: Amount::default(), of: of.clone(), outer };
        state.holds.insert(holder.clone(), hold);
    }

    /// Knows an iteration that began before the run was resumed, and what its calls have reserved since.
    pub fn reopen_iteration(&self, links: &[QuotaLink], reserved: Amount) {
        let Some((QuotaLink::Hold { holder, of, .. }, outer)) = links.split_last() else { return };
        let hold = || Hold {
            rest: Amount::default(),
            capped: Share::default(),
            reserved: Amount::default(),
            of: of.clone(),
            outer: accounts(outer),
        };
        self.state.lock().holds.entry(holder.clone()).or_insert_with(hold).reserved = reserved;
    }

    /// Returns what an iteration or a branch that is over has not used.
    pub fn close_hold(&self, holder: &Holder) {
        let mut state = self.state.lock();
        let Some(hold) = state.release(holder) else { return };
        if let Some(of) = hold.of.filter(|_| !hold.reserved.is_zero()) {
            state.estimates.insert(of, hold.reserved);
        }
    }

    /// Forgets a loop that has ended.
    pub fn close_loop(&self, holder: &Holder) {
        let mut state = self.state.lock();
        state.estimates.remove(holder);
        state.accounts.remove(holder);
    }

    /// Forgets a run that is no longer driven. What it spent still counts for the conversation and the day.
    pub fn close_run(&self, run: &RunId) {
        let mut state = self.state.lock();
        let open: Vec<_> = state.holds.keys().filter(|key| key.run() == Some(run)).cloned().collect();
        for holder in open {
            state.release(&holder);
        }
        state.accounts.retain(|key, _| key.run() != Some(run));
        state.estimates.retain(|key, _| key.run() != Some(run));
    }

    /// How much is used of these quotas.
    pub fn states(&self, links: &[QuotaLink]) -> Vec<QuotaState> {
        let state = self.state.lock();
        links.iter().filter_map(|link| state.quota_state(link)).collect()
    }

    fn settle(&self, links: &[QuotaLink], amount: Amount, charge: Amount) {
        let mut state = self.state.lock();
        let mut release = amount;
        for link in links.iter().rev() {
            match link {
                QuotaLink::Quota { holder, .. } => {
                    if let Some(account) = state.accounts.get_mut(holder) {
                        account.reserved = account.reserved.minus(release);
                        account.spent += charge;
                    }
                }
                QuotaLink::Hold { holder, .. } => {
                    let Some(hold) = state.holds.get_mut(holder) else { continue };
                    // A part keeps what a call did not use of it.
                    let unused = hold.capped.limited(amount.minus(charge)).least(release);
                    hold.rest += unused;
                    release = release.minus(unused);
                }
            }
        }
    }
}

impl Hold {
    /// What its calls have used or reserved of its part.
    fn used(&self) -> Account {
        let reserved = self.capped.amount().minus(self.capped.limited(self.rest));
        Account { reserved, ..Account::default() }
    }

    /// What its calls may still take, as far as it is one of several parts.
    fn part_left(&self) -> Share {
        Share {
            tokens: self.capped.tokens.map(|_| self.rest.tokens),
            nano_usd: self.capped.nano_usd.map(|_| self.rest.nano_usd),
        }
    }
}

impl State {
    /// Ends a hold. What is left of it returns to the quotas around it.
    fn release(&mut self, holder: &Holder) -> Option<Hold> {
        let hold = self.holds.remove(holder)?;
        for outer in &hold.outer {
            if let Some(account) = self.accounts.get_mut(outer) {
                account.reserved = account.reserved.minus(hold.rest);
            }
        }
        Some(hold)
    }

    /// Reserves an amount from the innermost link outward, or nothing.
    fn take(&mut self, links: &[QuotaLink], amount: Amount, iteration: IterationCost) -> Result<(), Refusal> {
        let mut need = amount;
        let mut takes = Vec::with_capacity(links.len());
        for (index, link) in links.iter().enumerate().rev() {
            match link {
                QuotaLink::Quota { holder, quota, extended } => {
                    let account = self.accounts.get(holder).copied().unwrap_or_default();
                    let limit = quota.share().times(1 + extended);
                    if !limit.allows(account.spent + account.reserved + need) {
                        let state = quota_state(holder, limit, account);
                        return Err(Refusal { link: index, state, wanted: need });
                    }
                    takes.push((link, need));
                }
                QuotaLink::Hold { holder, of, lifted } => {
                    takes.push((link, need));
                    if let Some(hold) = self.holds.get(holder) {
                        let beyond = need.minus(hold.rest);
                        if !lifted && !hold.capped.limited(beyond).is_zero() {
                            let state = quota_state(holder, hold.capped, hold.used());
                            return Err(Refusal { link: index, state, wanted: need });
                        }
                        need = beyond;
                    } else {
                        need = need.most(self.estimate(of.as_ref(), index, iteration));
                    }
                }
            }
        }
        for (position, (link, need)) in takes.into_iter().enumerate() {
            let index = links.len() - 1 - position;
            match link {
                QuotaLink::Quota { holder, .. } => {
                    self.accounts.entry(holder.clone()).or_default().reserved += need;
                }
                QuotaLink::Hold { holder, of, .. } => {
                    let estimate = self.estimate(of.as_ref(), index, iteration);
                    let outer = &links[..index];
                    let hold = self.holds.entry(holder.clone()).or_insert_with(|| Hold {
                        rest: need.most(estimate),
                        capped: Share::default(),
                        reserved: Amount::default(),
                        of: of.clone(),
                        outer: accounts(outer),
                    });
                    hold.rest = hold.rest.minus(need);
                }
            }
        }
        Ok(())
    }

    /// What an iteration of this loop is expected to reserve, whose link has this place in the chain.
    fn estimate(&self, of: Option<&Holder>, index: usize, iteration: IterationCost) -> Amount {
        let before = of.and_then(|of| self.estimates.get(of)).copied().unwrap_or_default();
        match iteration {
            IterationCost::CheaperWithin(quota) if quota < index => Amount { nano_usd: 0, ..before },
            _ => before,
        }
    }

    /// What is left of these quotas.
    fn left(&self, links: &[QuotaLink]) -> Share {
        let mut left = Share::default();
        for link in links {
            match link {
                QuotaLink::Quota { holder, quota, extended } => {
                    let account = self.accounts.get(holder).copied().unwrap_or_default();
                    left =
                        left.and(quota.share().times(1 + extended).minus(account.spent + account.reserved));
                }
                QuotaLink::Hold { holder, lifted, .. } => {
                    if let Some(hold) = self.holds.get(holder).filter(|_| !lifted) {
                        // What a part has left is reserved around it already, and so no longer left there.
                        let part = hold.part_left();
                        left = Share {
                            tokens: part.tokens.or(left.tokens),
                            nano_usd: part.nano_usd.or(left.nano_usd),
                        };
                    }
                }
            }
        }
        left
    }

    fn quota_state(&self, link: &QuotaLink) -> Option<QuotaState> {
        let QuotaLink::Quota { holder, quota, extended } = link else { return None };
        let account = self.accounts.get(holder).copied().unwrap_or_default();
        Some(quota_state(holder, quota.share().times(1 + extended), account))
    }
}

fn quota_state(holder: &Holder, limit: Share, Account { spent, reserved }: Account) -> QuotaState {
    let (node, epoch) = holder.place();
    QuotaState {
        scope: holder.scope(),
        run: holder.run().cloned(),
        node: node.cloned(),
        epoch: epoch.cloned(),
        limit,
        spent,
        reserved,
    }
}

fn accounts(links: &[QuotaLink]) -> Vec<Holder> {
    let quotas = links.iter().filter(|link| link.quota().is_some());
    quotas.map(|link| link.holder().clone()).collect()
}

/// What is reserved for a call. Dropped without a report, the call stays charged with it.
pub struct Reservation {
    bank: Arc<QuotaBank>,
    links: Arc<[QuotaLink]>,
    amount: Amount,
    is_settled: bool,
}

impl Reservation {
    /// What was reserved.
    pub fn amount(&self) -> Amount {
        self.amount
    }

    /// Replaces it by what the call did use, and gives how much is used of each quota now.
    pub fn settle(mut self, charge: Amount) -> Vec<QuotaState> {
        self.is_settled = true;
        self.bank.settle(&self.links, self.amount, charge);
        self.states()
    }

    /// How much is used of each quota.
    pub fn states(&self) -> Vec<QuotaState> {
        self.bank.states(&self.links)
    }
}

impl Drop for Reservation {
    fn drop(&mut self) {
        if !self.is_settled {
            self.bank.settle(&self.links, self.amount, self.amount);
        }
    }
}

#[cfg(test)]
mod tests;
