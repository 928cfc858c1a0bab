use super::*;

#[test]
fn editions_are_distinguished_from_other_models() {
    for same in
        ["", "-0613", "-2025-08-07", "-20250514", "-latest", "-preview-05-06", "-20241022-v2:0", "@20250929"]
    {
        assert!(is_edition(same), "{same}");
    }
    for other in ["-9", "-4-9", ".1", "-mini", "-16k", "-turbo", "-ultra-2027"] {
        assert!(!is_edition(other), "{other}");
    }
}

#[test]
fn variants_are_distinguished_from_other_models() {
    for same in [
        ":8b",
        "-72b-instruct",
        ":8b-instruct-q4_0",
        ":70b-text-q4_k_m",
        ":6.7b",
        "-8x7b-v0.1",
        "-235b-a22b",
        "-coder:7b",
    ] {
        assert!(is_variant(same), "{same}");
    }
    for other in ["-mini", ".9", ".9:8b", "-ultra", "-9"] {
        assert!(!is_variant(other), "{other}");
    }
}

#[test]
fn window_is_read_from_the_name() {
    for (name, window) in [
        ("gpt-4-32k", Some(32_768)),
        ("yi-34b-200k", Some(200_000)),
        ("qwen2.5-7b-instruct-1m", Some(1_000_000)),
        ("gemma3:270m", None),
        ("kimi-k2", None),
        ("model-0k", None),
    ] {
        assert_eq!(window_in_name(name), window, "{name}");
    }
}
