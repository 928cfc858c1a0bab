use serde_json::json;

use super::{without_keys, without_secrets};

#[test]
fn pairs_of_name_and_value_lose_the_value_of_a_secret() {
    let file = json!({
        "headers": [{ "name": "X-API-Key", "value": "abc" }, { "name": "Accept", "value": "text/html" }],
        "list": [{ "key": "auth_token", "value": "abc" }],
        "openai_api_key": { "value": "abc", "type": "str" },
        "token": "={{ $json.token }}",
        "maxTokens": "200",
        "password": true,
    });
    let (kept, removed) = without_secrets(&file);
    assert_eq!(removed, 3);
    assert_eq!(
        kept["headers"],
        json!([{ "name": "X-API-Key", "value": "" }, { "name": "Accept", "value": "text/html" }])
    );
    assert_eq!(kept["list"][0]["value"], "");
    assert_eq!(kept["openai_api_key"], json!({ "value": "", "type": "str" }));
    assert_eq!((&kept["token"], &kept["maxTokens"]), (&file["token"], &file["maxTokens"]));
}

#[test]
fn words_that_look_like_keys_are_removed_from_texts() {
    for (text, kept) in [
        ("Bearer sk-1234567890abcdef", "Bearer "),
        ("curl -H \"Authorization: Basic dXNlcjpwYXNz0123\" x", "curl -H \"Authorization: Basic \" x"),
        ("const key = 'ghp_0123456789abcdef';", "const key = '';"),
        ("postgres://me:word@db.test/a?b", "postgres://db.test/a?b"),
        ("mail me@a.test about sk-learn-tutorials", "mail me@a.test about sk-learn-tutorials"),
        ("https://a.test/@user", "https://a.test/@user"),
        ("The bearer of bad news came 1234 times", "The bearer of bad news came 1234 times"),
    ] {
        assert_eq!(without_keys(text), kept, "{text}");
    }
}
