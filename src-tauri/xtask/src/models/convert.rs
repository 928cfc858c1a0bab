//! Rows of `LiteLLM`'s table as entries of Plait's. Pure.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// The known facts about a model.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct CatalogEntry {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) window: Option<u64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) price: Option<Price>,
    /// Whether it takes images, where the source says that it does not.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) images: Option<bool>,
    /// The same for PDFs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) pdf: Option<bool>,
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub(super) retired: bool,
}

/// US dollars per million tokens.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Price {
    pub(super) input: f64,
    pub(super) output: f64,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) cached_input: Option<f64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) cache_write: Option<f64>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(super) above: Vec<Tier>,
}

/// The price of calls with longer prompts.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Tier {
    pub(super) tokens: u64,
    pub(super) input: f64,
    pub(super) output: f64,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) cached_input: Option<f64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) cache_write: Option<f64>,
}

/// Vendors that sell their own models: by `LiteLLM`'s name, with the prefix that its keys have. Their models are listed by their bare
/// names, because catalogs and gateways add prefixes of their own.
const VENDORS: [(&str, &str); 14] = [
    ("openai", ""),
    ("text-completion-openai", ""),
    ("anthropic", ""),
    ("gemini", "gemini/"),
    ("vertex_ai-language-models", ""),
    ("mistral", "mistral/"),
    ("deepseek", "deepseek/"),
    ("xai", "xai/"),
    ("dashscope", "dashscope/"),
    ("moonshot", "moonshot/"),
    ("cohere", ""),
    ("cohere_chat", ""),
    ("bedrock", ""),
    ("bedrock_converse", ""),
];

/// Hosts of other vendors' models, with their own prices: by `LiteLLM`'s name, with the prefix of its keys and the one
/// in Plait, which is the name of the preset.
const HOSTS: [(&str, &str, &str); 7] = [
    ("azure", "azure/", "azure/"),
    ("groq", "groq/", "groq/"),
    ("together_ai", "together_ai/", "together/"),
    ("fireworks_ai", "fireworks_ai/", "fireworks/"),
    ("openrouter", "openrouter/", "openrouter/"),
    ("cerebras", "cerebras/", "cerebras/"),
    ("perplexity", "perplexity/", "perplexity/"),
];

/// The sums of `max_input_tokens` and `max_output_tokens` for models of `OpenAI` that publish the sum as the window.
const SUMMED_WINDOWS: [u64; 2] = [400_000, 1_050_000];

/// The entries of the models that Plait can call, by name.
pub(super) fn entries(rows: &Map<String, Value>) -> BTreeMap<String, CatalogEntry> {
    let mut all = BTreeMap::new();
    // Of several vendors with a model of this name, the first in the list is meant.
    let rank = |row: &Value| {
        let vendor = row.get("litellm_provider").and_then(Value::as_str);
        VENDORS.iter().position(|(name, _)| Some(*name) == vendor)
    };
    let mut sorted: Vec<_> = rows.iter().collect();
    sorted.sort_by_key(|(_, row)| rank(row));
    for (key, row) in sorted {
        let is_text =
            matches!(row.get("mode").and_then(Value::as_str), Some("chat" | "completion" | "responses"));
        if let Some(name) = model_name(key, row).filter(|_| is_text) {
            let entry = CatalogEntry {
                window: window(row),
                price: price(row, &name),
                images: refusal(row, "supports_vision"),
                pdf: refusal(row, "supports_pdf_input"),
                retired: false,
            };
            if entry != CatalogEntry::default() {
                all.entry(name).or_insert(entry);
            }
        }
    }
    all
}

/// The name of a model in Plait's table.
fn model_name(key: &str, row: &Value) -> Option<String> {
    let provider = row.get("litellm_provider")?.as_str()?;
    let name = if let Some((_, prefix)) = VENDORS.iter().find(|(vendor, _)| *vendor == provider) {
        let name = key.strip_prefix(prefix).unwrap_or(key);
        // Regions and commitments have a path.
        (!name.contains('/')).then(|| name.to_owned())?
    } else {
        let (_, from, to) = HOSTS.iter().find(|(host, ..)| *host == provider)?;
        let name = key.strip_prefix(from)?;
        let is_region = *from == "azure/" && name.contains('/');
        (!is_region).then(|| format!("{to}{name}"))?
    };
    Some(name.to_lowercase())
}

/// `false` where the source says so. A model that it does not mention may support it by now.
fn refusal(row: &Value, key: &str) -> Option<bool> {
    row.get(key).and_then(Value::as_bool).filter(|supported| !supported)
}

fn window(row: &Value) -> Option<u64> {
    let tokens = |key: &str| row.get(key).and_then(Value::as_f64).filter(|tokens| *tokens >= 1.0);
    let input = tokens("max_input_tokens").or_else(|| tokens("max_tokens")).map(to_tokens)?;
    let sum = tokens("max_output_tokens").map(|output| input.saturating_add(to_tokens(output)));
    Some(sum.filter(|sum| SUMMED_WINDOWS.contains(sum)).unwrap_or(input))
}

#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "counts of tokens, positive and small"
)]
fn to_tokens(count: f64) -> u64 {
    count.round() as u64
}

/// `None` without a price for input and output, and for a price of 0 that is none: most are missing.
fn price(row: &Value, name: &str) -> Option<Price> {
    let tiers = tiers_in_list(row);
    let base = match tiers.first() {
        Some(first) if first.tokens == 0 => first.clone(),
        _ => tier(row, 0, "")?,
    };
    if base.input == 0.0 && base.output == 0.0 && !name.ends_with(":free") {
        return None;
    }
    let mut above: Vec<Tier> = tiers.into_iter().filter(|tier| tier.tokens > 0).collect();
    if above.is_empty() {
        above = tiers_in_keys(row, &base);
    }
    above.retain(|tier| (tier.input, tier.output) != (base.input, base.output));
    above.sort_by_key(|tier| tier.tokens);
    let Tier { input, output, cached_input, cache_write, .. } = base;
    Some(Price { input, output, cached_input, cache_write, above })
}

fn tier(row: &Value, tokens: u64, suffix: &str) -> Option<Tier> {
    let cost = |key: &str| {
        let cost = row.get(format!("{key}{suffix}"))?.as_f64().filter(|cost| (0.0..1.0).contains(cost))?;
        Some(per_million(cost))
    };
    Some(Tier {
        tokens,
        input: cost("input_cost_per_token")?,
        output: cost("output_cost_per_token")?,
        cached_input: cost("cache_read_input_token_cost"),
        cache_write: cost("cache_creation_input_token_cost"),
    })
}

/// `tiered_pricing`: a list of ranges.
fn tiers_in_list(row: &Value) -> Vec<Tier> {
    let list = row.get("tiered_pricing").and_then(Value::as_array);
    let from = |one: &Value| one.get("range")?.get(0)?.as_f64().map(to_tokens);
    list.into_iter().flatten().filter_map(|one| tier(one, from(one)?, "")).collect()
}

/// `input_cost_per_token_above_200k_tokens` and the like. A price that a tier does not name stays as in the tier below.
fn tiers_in_keys(row: &Value, base: &Tier) -> Vec<Tier> {
    let keys = row.as_object().into_iter().flatten().map(|(key, _)| key.as_str());
    let suffixes = keys.filter_map(|key| key.strip_prefix("input_cost_per_token")).filter_map(|suffix| {
        let thousands = suffix.strip_prefix("_above_")?.strip_suffix("k_tokens")?;
        Some((suffix.to_owned(), thousands.parse::<u64>().ok()?))
    });
    suffixes
        .filter_map(|(suffix, thousands)| {
            let cost = |key: &str| Some(per_million(row.get(format!("{key}{suffix}"))?.as_f64()?));
            Some(Tier {
                tokens: thousands * 1_000,
                input: cost("input_cost_per_token")?,
                output: cost("output_cost_per_token").unwrap_or(base.output),
                cached_input: cost("cache_read_input_token_cost").or(base.cached_input),
                cache_write: cost("cache_creation_input_token_cost").or(base.cache_write),
            })
        })
        .collect()
}

/// Dollars per token as dollars per million tokens, without the noise of binary fractions.
fn per_million(cost: f64) -> f64 {
    (cost * 1e12).round() / 1e6
}
