use super::*;

#[test]
fn clock_returns_plausible_time_and_random_numbers() {
    let clock = SystemClock;
    assert!((0..1000).map(|_| clock.random()).all(|number| (0.0..1.0).contains(&number)));
    assert!(clock.now_ms() > 1_577_836_800_000, "after 2020");
}

#[tokio::test(start_paused = true)]
async fn sleep_lasts_for_the_duration() {
    let before = tokio::time::Instant::now();
    SystemClock.sleep(Duration::from_secs(90)).await;
    assert_eq!(before.elapsed(), Duration::from_secs(90));
}
