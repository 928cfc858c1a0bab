use super::*;

fn usage(input: u64, output: u64, cached_input: u64, cache_write: u64) -> TokenUsage {
    TokenUsage { cached_input, cache_write, ..TokenUsage::new(input, output) }
}

#[test]
fn each_kind_of_token_has_its_price() {
    let price = price("anthropic", "claude-sonnet-4-6").unwrap();
    // 1,000 × $3 + 2,000 × $0.30 + 500 × $3.75 + 100 × $15, per million.
    assert_eq!(price.nano_usd(&usage(3_500, 100, 2_000, 500)), 3_000_000 + 600_000 + 1_875_000 + 1_500_000);
    let nano = super::price("openai", "gpt-4.1-nano").unwrap();
    assert_eq!(nano.nano_usd(&usage(1, 0, 1, 0)), 25, "$0.025 per million is 25 billionths a token");
    assert_eq!(nano.nano_usd(&usage(0, 0, 0, 0)), 0);
}

#[test]
fn cached_input_defaults_to_the_input_price() {
    let price = Price { input: 2.0, output: 1.0, ..Price::default() };
    assert_eq!(price.nano_usd(&usage(10, 0, 4, 3)), 10 * 2_000);
    // More cached than sent tokens never make the cost negative.
    assert_eq!(price.nano_usd(&usage(10, 0, 40, 30)), 10 * 2_000);
}

#[test]
fn long_prompt_price_applies_to_the_whole_call() {
    let price = price("google", "gemini-2.5-pro").unwrap();
    assert_eq!(price.nano_usd(&usage(200_000, 0, 0, 0)), 250_000_000);
    assert_eq!(price.nano_usd(&usage(200_001, 0, 0, 0)), 500_002_500);
}

#[test]
fn price_applies_to_editions_of_one_model_only() {
    for (provider, model, input) in [
        ("openai", "gpt-4o-2024-11-20", Some(2.5)),
        ("openai", "gpt-4o-mini", Some(0.15)),
        ("bedrock", "us.anthropic.claude-opus-4-20250514-v1:0", Some(15.0)),
        ("openrouter", "anthropic/claude-opus-4-8", Some(5.0)),
        ("ollama", "gpt-oss:20b", Some(0.0)),
        ("offline", "echo", Some(0.0)),
        ("openai", "gpt-4o-ultra", None),
        ("openai", "gpt-4.9", None),
        ("anthropic", "claude-opus-4-9", None),
        ("openai", "gpt-3.5-turbo-64k", None),
        ("", "", None),
    ] {
        assert_eq!(price(provider, model).map(|price| price.input), input, "{provider}/{model}");
    }
}

#[test]
fn dated_models_have_their_own_prices() {
    // From OpenAI's price list; the newest editions of these models cost 2 to 3 times less.
    for (model, input, output) in [
        ("gpt-4-1106-preview", 10.0, 30.0),
        ("gpt-4o-2024-05-13", 5.0, 15.0),
        ("gpt-3.5-turbo-1106", 1.0, 2.0),
        ("gpt-4o-2024-08-06", 2.5, 10.0),
    ] {
        let price = price("openai", model).unwrap();
        assert_eq!((price.input, price.output), (input, output), "{model}");
    }
    // Whose editions differ in price: a date that is not listed has none.
    assert_eq!(price("openai", "gpt-4o-2031-01-15"), None);
    assert_eq!(price("openai", "gpt-3.5-turbo-9999"), None);
    assert_eq!(price("openai", "gpt-4-0125-preview"), None, "the source lists it no longer");
    // Whose editions never did.
    assert_eq!(price("openai", "gpt-4.1-2031-01-15").unwrap().input, 2.0);
}

#[test]
fn hosts_have_prices_of_their_own() {
    let of = |provider: &str, model: &str| price(provider, model).map(|price| price.input);
    assert!(of("groq", "openai/gpt-oss-120b").is_some());
    assert!(of("nowhere", "openai/gpt-oss-120b").is_none());
    assert!(of("openrouter", "anthropic/claude-sonnet-4-5").is_some());
}

#[test]
fn price_table_is_valid() {
    let priced = || catalog::models().iter().filter_map(|(key, entry)| Some((key, entry.price.as_ref()?)));
    assert!(priced().count() > 600);
    assert_eq!(prices_date().len(), 10);
    for (key, price) in priced() {
        assert_eq!(price.problem(), None, "{key}");
        assert_eq!(*key, key.to_lowercase());
        assert!(price.above.is_sorted_by_key(|step| step.tokens), "{key}");
        assert_eq!(super::price("", key), Some(price), "{key} is found by its own name");
    }
    assert!(catalog::models().values().filter_map(|entry| entry.window).all(|window| window > 0));
    let negative = Price { input: -1.0, ..Price::default() };
    assert!(negative.problem().is_some());
    assert_eq!(negative.nano_usd(&usage(5, 5, 0, 0)), 0);
}
