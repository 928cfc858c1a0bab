use super::*;
use serde_json::json;

fn entries(rows: &Value) -> BTreeMap<String, CatalogEntry> {
    convert::entries(rows.as_object().unwrap())
}

#[test]
fn rows_become_entries_with_caches_and_tiers() {
    let all = entries(&json!({
        "gpt-x": {"litellm_provider": "openai", "mode": "chat", "max_input_tokens": 272_000, "max_output_tokens": 128_000,
            "input_cost_per_token": 1.25e-06, "output_cost_per_token": 1e-05, "cache_read_input_token_cost": 1.25e-07,
            "input_cost_per_token_batches": 6e-07,
            "input_cost_per_token_above_272k_tokens": 2.5e-06, "output_cost_per_token_above_272k_tokens": 1.5e-05,
            "input_cost_per_token_above_272k_tokens_batches": 1e-06},
        "claude-y": {"litellm_provider": "anthropic", "mode": "chat", "max_input_tokens": 200_000, "max_output_tokens": 64000,
            "input_cost_per_token": 3e-06, "output_cost_per_token": 1.5e-05, "cache_creation_input_token_cost": 3.75e-06},
        "together_ai/Meta/Llama-9": {"litellm_provider": "together_ai", "mode": "chat", "input_cost_per_token": 1e-07, "output_cost_per_token": 2e-07},
        "dashscope/qwen-z": {"litellm_provider": "dashscope", "mode": "chat", "tiered_pricing": [
            {"range": [0, 32000.0], "input_cost_per_token": 1e-06, "output_cost_per_token": 5e-06},
            {"range": [32000.0, 128_000.0], "input_cost_per_token": 2e-06, "output_cost_per_token": 9e-06}]},
        "mistral/free-looking": {"litellm_provider": "mistral", "mode": "chat", "max_input_tokens": 32000, "input_cost_per_token": 0.0, "output_cost_per_token": 0.0},
        "gemini-v": {"litellm_provider": "vertex_ai-language-models", "mode": "chat", "input_cost_per_token": 9e-06, "output_cost_per_token": 9e-06},
        "gemini/gemini-v": {"litellm_provider": "gemini", "mode": "chat", "input_cost_per_token": 1e-06, "output_cost_per_token": 2e-06},
        "azure/eu/gpt-x": {"litellm_provider": "azure", "mode": "chat", "input_cost_per_token": 1e-06, "output_cost_per_token": 2e-06},
        "dall-e": {"litellm_provider": "openai", "mode": "image_generation", "input_cost_per_token": 1e-06, "output_cost_per_token": 2e-06},
        "sample_spec": {"litellm_provider": "one of …", "mode": "one of …", "max_input_tokens": "a text"},
    }));
    let names: Vec<&str> = all.keys().map(String::as_str).collect();
    assert_eq!(names, ["claude-y", "free-looking", "gemini-v", "gpt-x", "qwen-z", "together/meta/llama-9"]);
    let gpt = serde_json::to_value(&all["gpt-x"]).unwrap();
    assert_eq!(
        gpt,
        json!({"window": 400_000, "price": {"input": 1.25, "output": 10.0, "cachedInput": 0.125,
            "above": [{"tokens": 272_000, "input": 2.5, "output": 15.0, "cachedInput": 0.125}]}})
    );
    assert_eq!(all["claude-y"].window, Some(200_000), "the reply is part of this window");
    assert_eq!(all["claude-y"].price.as_ref().unwrap().cache_write, Some(3.75));
    let qwen = all["qwen-z"].price.as_ref().unwrap();
    assert_eq!(
        (qwen.input, qwen.above.len(), qwen.above[0].tokens, qwen.above[0].output),
        (1.0, 1, 32_000, 9.0)
    );
    assert_eq!((all["free-looking"].window, &all["free-looking"].price), (Some(32_000), &None));
    assert_eq!(
        all["gemini-v"].price.as_ref().map(|price| price.input),
        Some(1.0),
        "the vendor's own API comes first"
    );
}

#[test]
fn refresh_keeps_models_that_the_source_dropped() {
    let entry = |window| CatalogEntry { window: Some(window), ..CatalogEntry::default() };
    let before = BTreeMap::from([("old".to_owned(), entry(1)), ("both".to_owned(), entry(2))]);
    let listed = BTreeMap::from([("both".to_owned(), entry(3)), ("new".to_owned(), entry(4))]);
    let all = merge(before, listed);
    assert_eq!(all["old"], CatalogEntry { retired: true, ..entry(1) });
    assert_eq!((&all["both"], &all["new"]), (&entry(3), &entry(4)));
    let text = to_text(&Catalog { models: all, ..Catalog::default() }).unwrap();
    assert_eq!(text.lines().filter(|line| line.contains("window")).count(), 3, "one model a line: {text}");
    let read: Catalog = serde_json::from_str(&text).unwrap();
    assert_eq!(read.models["new"], entry(4));
}

#[test]
fn days_become_dates() {
    for (days, date) in
        [(0, (1970, 1, 1)), (59, (1970, 3, 1)), (11_016, (2000, 2, 29)), (20_780, (2026, 11, 23))]
    {
        assert_eq!(civil_date(days), date);
    }
}

#[test]
fn version_is_read_from_the_wheel() {
    assert_eq!(version_of(Path::new("/x/litellm-1.109.1-py3-none-any.whl")).as_deref(), Some("1.109.1"));
}
