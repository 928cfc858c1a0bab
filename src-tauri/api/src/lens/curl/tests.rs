use super::*;
use serde_json::json;

fn request(text: &str) -> HttpRequest {
    HttpRequest {
        url: "https://api.example/v1/chat".to_owned(),
        headers: vec![("content-type".to_owned(), "application/json".to_owned())],
        key: Some(KeyPlaceholder {
            header: "authorization".to_owned(),
            prefix: "Bearer ".to_owned(),
            variable: "EXAMPLE_KEY".to_owned(),
        }),
        body: json!({ "text": text }),
    }
}

#[test]
fn key_is_a_variable() {
    let expected = "curl 'https://api.example/v1/chat' \\\n  -H 'content-type: application/json' \\\n  \
        -H \"authorization: Bearer $EXAMPLE_KEY\" \\\n  --data-raw '{\"text\":\"Hi\"}'";
    assert_eq!(curl_command(&request("Hi")), expected);
}

#[cfg(unix)]
#[test]
fn shell_gives_the_body_back_unchanged() {
    let hostile = "it's $(touch /tmp/x) `id` \"quoted\" \\ $HOME\nnew line";
    let script = curl_command(&request(hostile)).replacen("curl", "printf '%s\\n'", 1);
    let output = std::process::Command::new("sh").args(["-c", &script]).output().unwrap();
    let printed = String::from_utf8(output.stdout).unwrap();
    let body = json!({ "text": hostile }).to_string();
    assert!(printed.lines().any(|line| line == body), "{printed}");
}
