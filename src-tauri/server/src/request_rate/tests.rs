use governor::clock::FakeRelativeClock;

use super::*;

#[test]
fn each_token_has_its_own_minute() {
    let clock = FakeRelativeClock::default();
    let rate = RequestRate::with_clock(NonZeroU32::new(4).unwrap(), clock.clone());
    for _ in 0..4 {
        rate.count("ann").unwrap();
    }
    let refused = rate.count("ann").unwrap_err();
    assert_eq!(refused.code, "host.rate");
    assert_eq!(refused.details[RETRY_AFTER_DETAIL], 15);
    rate.count("bob").unwrap();
    clock.advance(Duration::from_secs(14));
    assert_eq!(rate.count("ann").unwrap_err().details[RETRY_AFTER_DETAIL], 1);
    clock.advance(Duration::from_secs(1));
    rate.count("ann").unwrap();
    rate.count("ann").unwrap_err();
}
