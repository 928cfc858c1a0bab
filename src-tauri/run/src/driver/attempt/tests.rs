use super::*;

#[test]
fn waits_double_up_to_the_longest() {
    let policy = RetryPolicy {
        attempts: 9,
        backoff_ms: 100,
        max_backoff_ms: 350,
        jitter: 0.5,
        ..RetryPolicy::default()
    };
    let waits: Vec<_> = (1..=4).map(|attempt| delay(&policy, attempt, 0.0)).collect();
    assert_eq!(waits, [100, 200, 350, 350]);
    assert_eq!(delay(&policy, 2, 1.0), 100);
    assert_eq!(delay(&policy, 90, 0.0), 350);
}
