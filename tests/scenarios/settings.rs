//! Settings of the window that the terminal changes as well: windows and prices of models, patterns of redaction.

use serde_json::{Value, json};

use crate::support::binary::{CliOutput, Home};
use crate::support::folder::flow_json;

fn stored(home: &Home) -> Value {
    serde_json::from_str(&std::fs::read_to_string(home.path().join("settings.json")).unwrap()).unwrap()
}

fn done(home: &Home, args: &[&str]) -> CliOutput {
    let output = home.plait(args);
    assert_eq!(output.code, 0, "{args:?}: {output:#?}");
    output
}

/// `exit`: 2 for a command that asks for nothing that there is, 1 for a value that the settings refuse.
fn refused(home: &Home, args: &[&str], exit: i32, code: &str) {
    let output = home.plait(args);
    assert!(output.code == exit && output.err.contains(&format!("error[{code}]")), "{args:?}: {output:#?}");
}

#[test]
fn windows_and_prices_of_models_are_set_and_unset() {
    let home = Home::default();
    done(&home, &["models", "set", "vllm/big", "--window", "32768", "--input", "0.5", "--output", "2"]);
    done(&home, &["models", "set", "vllm/big", "--cached-input", "0.1"]);
    let model =
        json!({ "contextWindow": 32768, "price": { "input": 0.5, "output": 2.0, "cachedInput": 0.1 } });
    assert_eq!(stored(&home)["models"], json!({ "vllm/big": model }));
    let listed = done(&home, &["models", "list"]);
    assert!(
        listed.out.contains("vllm/big  window 32768, input $0.5, output $2, cached input $0.1"),
        "{listed:#?}"
    );
    refused(&home, &["models", "set", "other", "--input", "1"], 1, "settings.price");
    refused(&home, &["models", "set", "other"], 2, "settings.bad_value");
    refused(&home, &["models", "unset", "other"], 2, "settings.bad_value");
    done(&home, &["models", "unset", "vllm/big"]);
    assert_eq!(done(&home, &["models", "list", "--json"]).out.trim(), "{}");
}

#[test]
fn patterns_of_redaction_are_added_replaced_and_removed() {
    let home = Home::default();
    done(&home, &["redaction", "add", "customer", "C-[0-9]+"]);
    done(&home, &["redaction", "add", "customer", "C-[0-9]{6}"]);
    let pattern = json!([{ "name": "customer", "regex": "C-[0-9]{6}" }]);
    assert_eq!(stored(&home)["redaction"]["patterns"], pattern);
    assert!(done(&home, &["redaction", "list"]).out.contains("customer  C-[0-9]{6}"));
    refused(&home, &["redaction", "add", "broken", "("], 1, "settings.redaction");
    refused(&home, &["redaction", "rm", "broken"], 2, "settings.bad_value");
    let nodes = json!({
        "question": { "type": "manualInput", "config": { "text": "I am C-123456" } },
        "start": { "type": "contextStart" },
        "chat": { "type": "chat" },
        "out": { "type": "output" },
    });
    let edges =
        ["question.value -> chat.message", "start.context -> chat.context", "chat.response -> out.value"];
    let flow = home.file("echo.flow.json", &flow_json("Echo", nodes, &edges).to_string());
    let run = done(&home, &["run", &flow]);
    assert!(run.out.contains("I am [customer]") && !run.out.contains("C-123456"), "{run:#?}");
    done(&home, &["redaction", "rm", "customer"]);
    assert_eq!(done(&home, &["redaction", "list", "--json"]).out.trim(), "[]");
}
