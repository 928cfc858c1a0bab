use super::run_at;

#[test]
fn run_of_a_flow_at_a_time_is_the_same_on_each_host() {
    let nine = "2026-11-30T09:00:00Z".parse().unwrap();
    assert_eq!(run_at("default report", nine), run_at("default report", nine));
    assert_ne!(run_at("default report", nine), run_at("acme report", nine));
    assert_ne!(
        run_at("default report", nine),
        run_at("default report", "2026-11-30T10:00:00Z".parse().unwrap())
    );
}
