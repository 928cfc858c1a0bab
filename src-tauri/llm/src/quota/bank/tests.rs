use std::sync::Arc;

use super::IterationCost::{AsBefore, CheaperWithin};
use super::QuotaBank;
use crate::quota::{Holder, QuotaLink, Refusal};
use plait_core::id::{Activation, Epoch};
use plait_core::quota::{Amount, Quota};

fn tokens(tokens: u64) -> Amount {
    Amount { tokens, nano_usd: 0 }
}

fn quota(holder: Holder, limit: u64) -> QuotaLink {
    QuotaLink::Quota {
        holder,
        quota: Arc::new(Quota { tokens: Some(limit), ..Quota::default() }),
        extended: 0,
    }
}

fn run(limit: u64) -> QuotaLink {
    quota(Holder::Run("run".into()), limit)
}

fn at(counter: Option<u32>) -> Activation {
    let epoch = counter.map_or_else(Epoch::root, |counter| Epoch::root().child(counter));
    Activation { node: "loop".into(), epoch }
}

fn iteration(counter: u32) -> QuotaLink {
    QuotaLink::Hold {
        holder: Holder::Iteration("run".into(), at(Some(counter))),
        of: Some(Holder::Loop("run".into(), at(None))),
        lifted: false,
    }
}

fn close(bank: &QuotaBank, counter: u32) {
    bank.close_hold(&Holder::Iteration("run".into(), at(Some(counter))));
}

/// Spent and reserved of the first link.
fn used(bank: &QuotaBank, links: &[QuotaLink]) -> (u64, u64) {
    let state = bank.states(links).remove(0);
    (state.spent.tokens, state.reserved.tokens)
}

#[test]
fn reservation_is_replaced_by_the_report() {
    let bank = Arc::new(QuotaBank::default());
    let links: Arc<[_]> = [run(100)].into();
    let reserved = bank.reserve(&links, tokens(60), AsBefore).unwrap();
    assert_eq!(used(&bank, &links), (0, 60));
    let Err(Refusal { link: 0, wanted, .. }) = bank.reserve(&links, tokens(41), AsBefore) else {
        panic!("60 + 41 is more than 100")
    };
    assert_eq!(wanted, tokens(41));
    reserved.settle(tokens(10));
    assert_eq!(used(&bank, &links), (10, 0));
    let dropped = bank.reserve(&links, tokens(90), AsBefore).unwrap();
    drop(dropped);
    assert_eq!(used(&bank, &links), (100, 0), "a call without a report stays charged");
}

#[test]
fn refused_reservation_takes_nothing_anywhere() {
    let bank = Arc::new(QuotaBank::default());
    let node = Holder::Node("run".into(), "chat".into());
    let links: Arc<[_]> = [run(50), quota(node, 100)].into();
    let Err(refusal) = bank.reserve(&links, tokens(60), AsBefore) else { panic!("60 is more than 50") };
    assert_eq!(refusal.link, 0);
    assert_eq!(used(&bank, &links), (0, 0));
    assert_eq!(used(&bank, &links[1..]), (0, 0));
}

#[test]
fn extension_allows_as_much_again() {
    let bank = Arc::new(QuotaBank::default());
    let QuotaLink::Quota { holder, quota, .. } = run(50) else { unreachable!() };
    let links: Arc<[_]> = [QuotaLink::Quota { holder, quota, extended: 1 }].into();
    assert!(bank.reserve(&links, tokens(101), AsBefore).is_err());
    assert!(bank.reserve(&links, tokens(100), AsBefore).is_ok());
}

#[test]
fn iteration_reserves_what_the_one_before_it_did() {
    let bank = Arc::new(QuotaBank::default());
    let first: Arc<[_]> = [run(100), iteration(0)].into();
    for _ in 0..2 {
        bank.reserve(&first, tokens(20), AsBefore).unwrap().settle(tokens(15));
    }
    close(&bank, 0);
    assert_eq!(used(&bank, &first), (30, 0));
    let second: Arc<[_]> = [run(100), iteration(1)].into();
    let call = bank.reserve(&second, tokens(20), AsBefore).unwrap();
    assert_eq!(used(&bank, &second), (30, 40), "the second call of the iteration is reserved as well");
    call.settle(tokens(5));
    assert_eq!(used(&bank, &second), (35, 20));
    bank.reserve(&second, tokens(20), AsBefore).unwrap().settle(tokens(25));
    assert_eq!(used(&bank, &second), (60, 0));
    close(&bank, 1);
    let third: Arc<[_]> = [run(100), iteration(2)].into();
    bank.reserve(&third, tokens(10), AsBefore).unwrap().settle(tokens(10));
    close(&bank, 2);
    assert_eq!(used(&bank, &third), (70, 0), "what the iteration did not use returns");
    let fourth: Arc<[_]> = [run(75), iteration(3)].into();
    let Err(refusal) = bank.reserve(&fourth, tokens(1), AsBefore) else {
        panic!("the iteration before needed 10")
    };
    assert_eq!(refusal.wanted, tokens(10));
}

#[test]
fn open_iterations_get_equal_parts_and_return_what_they_do_not_use() {
    let bank = Arc::new(QuotaBank::default());
    let links = |counter| -> Arc<[QuotaLink]> { [run(90), iteration(counter)].into() };
    for (counter, parts) in [(0, 3), (1, 2), (2, 1)] {
        bank.open_part(&links(counter), parts);
    }
    assert_eq!(used(&bank, &links(0)), (0, 90));
    assert!(bank.reserve(&links(0), tokens(31), AsBefore).is_err(), "its part is 30");
    let call = bank.reserve(&links(0), tokens(30), AsBefore).unwrap();
    assert_eq!(used(&bank, &links(0)), (0, 90), "a part is reserved already");
    call.settle(tokens(12));
    assert_eq!(used(&bank, &links(0)), (12, 78), "what a call does not use stays in the part");
    assert!(bank.reserve(&links(0), tokens(19), AsBefore).is_err());
    bank.reserve(&links(0), tokens(18), AsBefore).unwrap().settle(tokens(8));
    close(&bank, 0);
    assert_eq!(used(&bank, &links(0)), (20, 60), "the rest returns");
    bank.open_part(&links(3), 1);
    assert!(bank.reserve(&links(3), tokens(11), AsBefore).is_err());
    assert!(bank.reserve(&links(3), tokens(10), AsBefore).is_ok());
}

#[test]
fn two_runs_share_a_day() {
    let bank = Arc::new(QuotaBank::default());
    let day = |now_ms| quota(bank.day(now_ms), 100);
    let of = |name: &str, now_ms| -> Arc<[QuotaLink]> {
        [day(now_ms), quota(Holder::Run(name.into()), 90)].into()
    };
    let first = bank.reserve(&of("a", 5), tokens(60), AsBefore).unwrap();
    assert_eq!(bank.reserve(&of("b", 6), tokens(60), AsBefore).err().map(|refusal| refusal.link), Some(0));
    first.settle(tokens(40));
    bank.close_run(&"a".into());
    assert!(
        bank.reserve(&of("b", 7), tokens(61), AsBefore).is_err(),
        "a run that is over still counts for the day"
    );
    assert!(bank.reserve(&of("b", 7), tokens(60), AsBefore).is_ok());
    assert!(
        bank.reserve(&of("c", 24 * 60 * 60 * 1000), tokens(90), AsBefore).is_ok(),
        "the next day has a quota of its own"
    );
}

#[test]
fn run_that_is_dropped_returns_what_its_iterations_held() {
    let bank = Arc::new(QuotaBank::default());
    let day = quota(bank.day(0), 100);
    let links: Arc<[_]> = [day.clone(), run(100), iteration(0)].into();
    bank.open_part(&links, 2);
    assert_eq!(used(&bank, &links), (0, 50));
    bank.close_run(&"run".into());
    assert_eq!(used(&bank, &[day]), (0, 0));
}

fn dollars(nano_usd: u64) -> Amount {
    Amount { tokens: 0, nano_usd }
}

fn money(holder: Holder, usd: f64) -> QuotaLink {
    QuotaLink::Quota { holder, quota: Arc::new(Quota { usd: Some(usd), ..Quota::default() }), extended: 0 }
}

/// The iteration before cost 30. Within the quota that has made a call cheaper that is no more known, around it it is.
#[test]
fn cheaper_call_begins_an_iteration_within_its_quota_alone() {
    let bank = Arc::new(QuotaBank::default());
    let node = || money(Holder::Node("run".into(), "chat".into()), 1.0);
    let links = |counter| Arc::from([money(Holder::Run("run".into()), 50e-9), iteration(counter), node()]);
    bank.reserve(&links(0), dollars(30), AsBefore).unwrap().settle(dollars(30));
    close(&bank, 0);
    let cost = |iteration| bank.reserve(&links(1), dollars(10), iteration).map_err(|refusal| refusal.wanted);
    assert_eq!(cost(AsBefore).err(), Some(dollars(30)));
    assert_eq!(
        cost(CheaperWithin(2)).err(),
        Some(dollars(30)),
        "the run's quota says nothing of cheaper models"
    );
    assert!(cost(CheaperWithin(0)).is_ok());
}
