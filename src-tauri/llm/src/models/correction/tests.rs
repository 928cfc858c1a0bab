use super::*;

#[test]
fn empty_correction_changes_nothing() {
    let none = Correction::default();
    assert_eq!(
        (none.permille(), none.apply(12_345), none.to_counted_cautiously(12_345, 1_000)),
        (1_000, 12_345, 12_345)
    );
}

#[test]
fn correction_converges_to_the_reported_ratio() {
    let mut learned = Correction::default();
    for _ in 0..50 {
        learned = learned.plus(Correction::from_report(10_000, 12_500).unwrap());
    }
    assert!((1_245..=1_250).contains(&learned.permille()), "{}", learned.permille());
    assert!(learned.apply(1_000) >= 1_245);
    assert!(
        learned.apply(learned.to_counted_cautiously(9_999, 1_000)) <= 9_999,
        "what there is room for fits"
    );
    for _ in 0..500 {
        learned = learned.plus(Correction::from_report(10_000, 9_000).unwrap());
    }
    assert!(
        (899..=905).contains(&learned.permille()),
        "and follows when the model changes: {}",
        learned.permille()
    );
}

#[test]
fn implausible_reports_are_ignored() {
    for (counted, reported) in
        [(0, 0), (0, 500), (5_000, 0), (5_000, 3), (5_000, 20_001), (5_000, u64::MAX), (150, 300)]
    {
        assert_eq!(Correction::from_report(counted, reported), None, "{counted}, {reported}");
    }
}

#[test]
fn stored_correction_stays_in_range() {
    for (counted, reported) in [(0, u64::MAX), (u64::MAX, 0), (u64::MAX, u64::MAX), (1_000_000, 10)] {
        let stored = Correction { counted, reported };
        assert!(PERMILLE_RANGE.contains(&stored.permille()));
        assert!(PERMILLE_RANGE.contains(&stored.plus(stored).permille()));
        stored.apply(u64::MAX);
        stored.to_counted_cautiously(u64::MAX, 1_000);
    }
}

#[test]
fn corrections_add_in_any_order() {
    let reports = [(900, 1_000), (2_000, 2_500), (400, 300)]
        .map(|(counted, reported)| Correction { counted, reported });
    let forwards = reports.into_iter().fold(Correction::default(), Correction::plus);
    let backwards = reports.into_iter().rev().fold(Correction::default(), Correction::plus);
    assert_eq!(forwards, backwards);
}

#[test]
fn models_with_a_public_tokenizer_are_exact() {
    for (provider, model) in
        [("openai", "gpt-5.5"), ("azure", "openai/gpt-4o"), ("openai", "o3-mini"), ("offline", "echo")]
    {
        assert!(is_exact(provider, model), "{provider}/{model}");
    }
    for (provider, model) in
        [("anthropic", "claude-opus-5"), ("ollama", "llama3.2"), ("x", "o1x"), ("gpt-", "qwen3")]
    {
        assert!(!is_exact(provider, model), "{provider}/{model}");
    }
}

#[test]
fn cautious_start_gives_way_to_reports() {
    let none = Correction::default();
    assert_eq!(
        (none.apply_cautiously(10_000, 1_300), none.to_counted_cautiously(13_000, 1_300)),
        (13_000, 10_000)
    );
    assert_eq!(none.apply(10_000), 10_000, "what is shown is not multiplied");
    let exact = Correction { counted: 99_000, reported: 99_000 };
    assert_eq!(exact.apply_cautiously(10_000, 1_300), 10_030);
}
