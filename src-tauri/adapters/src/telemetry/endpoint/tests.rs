use super::*;
use crate::codes;

#[test]
fn endpoint_gets_the_path_of_traces_once() {
    let path = |endpoint: &str| traces_url(endpoint).map(|url| url.to_string()).ok();
    assert_eq!(path("http://127.0.0.1:4318").as_deref(), Some("http://127.0.0.1:4318/v1/traces"));
    assert_eq!(path("https://otel.example/api/").as_deref(), Some("https://otel.example/api/v1/traces"));
    assert_eq!(path("http://host/v1/traces").as_deref(), Some("http://host/v1/traces"));
    for refused in ["", "ftp://host", "127.0.0.1:4318", "http://me:secret@host"] {
        assert_eq!(traces_url(refused).unwrap_err().code, codes::TELEMETRY_BAD_ENDPOINT, "{refused}");
    }
}
