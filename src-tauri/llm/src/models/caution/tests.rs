use serde_json::Value;

use super::{TABLE, caution_permille};

#[test]
fn counts_start_at_the_factor_of_the_vendor() {
    assert_eq!(caution_permille("openai", "gpt-4o"), 1_000);
    assert_eq!(caution_permille("offline", "echo"), 1_000);
    assert_eq!(caution_permille("anthropic", "claude-opus-5"), 1_350);
    assert_eq!(caution_permille("openrouter", "anthropic/claude-sonnet-4.5"), 1_350);
    assert_eq!(caution_permille("bedrock", "us.anthropic.claude-opus-4-7"), 1_350);
    assert_eq!(caution_permille("gemini", "models/gemini-3-pro"), 1_250);
    assert_eq!(caution_permille("vllm", "some-model"), 1_300, "nothing is known of it");
}

#[test]
fn every_factor_has_its_basis_and_its_source() {
    let table: Value = serde_json::from_str(include_str!("../caution.json")).unwrap();
    let vendors = table["vendors"].as_object().unwrap();
    assert_eq!(vendors.len(), TABLE.vendors.len());
    for (name, vendor) in vendors {
        assert!((1_000..2_000).contains(&vendor["permille"].as_u64().unwrap()), "{name}");
        assert!(vendor["basis"].as_str().unwrap().ends_with('.'), "{name}");
        assert!(vendor["source"].as_str().unwrap().starts_with("https://"), "{name}");
    }
}
