use super::*;

fn account(model: &str, counted: TokenUsage, reported: Option<TokenUsage>) -> (CallAccount, TokenUsage) {
    let correction = Correction { counted: 99_000, reported: 124_000 };
    let config = ModelConfig {
        provider: "anthropic".to_owned(),
        model: model.to_owned(),
        max_tokens: None,
        window: 200_000,
        reserve: 0,
        correction,
        caution: 1_000,
        prompt_only: false,
    };
    CallAccount::of("main".into(), &config, &ModelOverrides::default(), counted, reported)
}

#[test]
fn what_is_reported_counts_and_teaches() {
    let (account, usage) =
        account("claude-opus-5", TokenUsage::new(1_000, 50), Some(TokenUsage::new(1_200, 60)));
    assert_eq!((usage, account.counted, account.estimated), (TokenUsage::new(1_200, 60), 1_000, false));
    assert_eq!(account.cost_nano_usd, Some(1_200 * 5_000 + 60 * 25_000));
    let learned = account.learned(usage).unwrap();
    assert_eq!(learned.model, "anthropic/claude-opus-5");
    assert_eq!(learned.correction, Correction { counted: 1_000, reported: 1_200 });
}

#[test]
fn nonsense_is_kept_and_not_believed() {
    let counted = TokenUsage::new(1_000, 50);
    for reported in [
        TokenUsage::new(0, 0),
        TokenUsage::new(0, 50),
        TokenUsage::new(1_000, 0),
        TokenUsage::new(u64::MAX, 50),
        TokenUsage::new(1_000, u64::MAX),
    ] {
        let (account, usage) = account("claude-opus-5", counted, Some(reported));
        assert_eq!(usage, TokenUsage::new(1_250, 50), "{reported:?}");
        assert!(account.estimated);
        assert_eq!(account.disbelieved, Some(reported));
        assert_eq!(account.learned(usage), None);
    }
    let (none, usage) = account("claude-opus-5", counted, None);
    assert_eq!((none.estimated, none.disbelieved, usage.input), (true, None, 1_250));
    assert_eq!(none.learned(usage), None);
}

#[test]
fn parts_are_no_larger_than_the_whole() {
    let odd =
        TokenUsage { cached_input: 5_000, cache_write: 10, reasoning: 99, ..TokenUsage::new(1_000, 60) };
    let (_, usage) = account("claude-opus-5", TokenUsage::new(1_000, 50), Some(odd));
    assert_eq!((usage.cached_input, usage.cache_write, usage.reasoning), (1_000, 0, 60));
}

#[test]
fn an_unknown_price_is_not_nothing() {
    let counted = TokenUsage::new(1_000, 50);
    assert_eq!(account("claude-opus-99", counted, Some(counted)).0.cost_nano_usd, None);
}
