use super::*;

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
    // Editions that differ in price: a date that is not listed has none.
    assert_eq!(price("openai", "gpt-4o-2031-01-15"), None);
    assert_eq!(price("openai", "gpt-3.5-turbo-9999"), None);
    assert_eq!(price("openai", "gpt-4-0125-preview"), None, "the source lists it no longer");
    // Editions that never differed.
    assert_eq!(price("openai", "gpt-4.1-2031-01-15").map(|price| price.input), Some(2.0));
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
    let priced = || models().iter().filter_map(|(key, entry)| Some((key, entry.price.as_ref()?)));
    assert!(priced().count() > 600);
    assert_eq!(prices_date().len(), 10);
    for (key, price) in priced() {
        assert_eq!(price.problem(), None, "{key}");
        assert_eq!(*key, key.to_lowercase());
        assert!(price.above.is_sorted_by_key(|step| step.tokens), "{key}");
        assert_eq!(super::price("", key), Some(price), "{key} is found by its own name");
    }
    assert!(models().values().filter_map(|entry| entry.window).all(|window| window > 0));
}
