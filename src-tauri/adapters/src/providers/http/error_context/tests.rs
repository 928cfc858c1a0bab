//! Connections that fail, and what the fault says about the cause.

#[path = "../../../../../../tests/support/tls_server.rs"]
mod tls_server;

use reqwest::header::HeaderMap;
use reqwest::{Client, Proxy, StatusCode};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpListener;

use super::super::proxy::ProxySetting;
use super::{ErrorContext, Fault};
use crate::providers::openai_chat::CONFIG;

fn context() -> ErrorContext {
    ErrorContext {
        config: &CONFIG,
        provider: "test".into(),
        base_url: "https://models.example/v1".into(),
        is_loopback: true,
        model: None,
    }
}

/// A server that sends `bytes` to each client; its address.
async fn server_that_sends(bytes: &'static [u8]) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap().to_string();
    tokio::spawn(async move {
        while let Ok((mut socket, _)) = listener.accept().await {
            let _ = socket.read(&mut [0; 4096]).await;
            let _ = socket.write_all(bytes).await;
        }
    });
    address
}

/// An address without a listener.
async fn free_address() -> String {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    listener.local_addr().unwrap().to_string()
}

async fn error_at(url: &str, proxy: Option<&str>) -> reqwest::Error {
    let client = match proxy {
        Some(proxy) => Client::builder().proxy(Proxy::all(proxy).unwrap()),
        None => Client::builder().no_proxy(),
    };
    client.build().unwrap().get(url).send().await.unwrap_err()
}

fn through(url: &str) -> ProxySetting {
    ProxySetting::Proxy { variable: "HTTPS_PROXY".into(), url: url.into() }
}

fn hint(fault: &Fault) -> &str {
    fault.hint.as_deref().unwrap_or_default()
}

#[tokio::test]
async fn proxy_that_wants_a_password_is_named() {
    let address =
        server_that_sends(b"HTTP/1.1 407 Proxy Authentication Required\r\ncontent-length: 0\r\n\r\n").await;
    let proxy = format!("http://{address}");
    let error = error_at("https://models.example/v1", Some(&proxy)).await;
    let fault = context().connection_failed(&error, &through(&proxy));
    assert_eq!((fault.code.as_str(), fault.retryable), ("provider.proxy", false), "{fault}");
    assert!(fault.message.contains(&proxy) && fault.message.contains("407"), "{fault}");
    assert!(hint(&fault).contains("HTTPS_PROXY"));
    let fault = context().status(StatusCode::PROXY_AUTHENTICATION_REQUIRED, &HeaderMap::new(), "");
    assert_eq!(fault.code, "provider.proxy", "a request without TLS gets it as a status");
}

#[tokio::test]
async fn refused_connection_of_a_proxy_names_the_proxy() {
    let proxy = format!("http://{}", free_address().await);
    let error = error_at("https://models.example/v1", Some(&proxy)).await;
    let fault = context().connection_failed(&error, &through(&proxy));
    assert_eq!((fault.code.as_str(), fault.retryable), ("provider.unreachable", true));
    assert!(fault.message.contains("refused") && fault.message.contains(&proxy), "{fault}");
    assert!(hint(&fault).contains("NO_PROXY"));
}

#[tokio::test]
async fn refused_connection_is_named() {
    let error = error_at(&format!("http://{}", free_address().await), None).await;
    let direct = context().connection_failed(&error, &ProxySetting::Direct);
    assert!(direct.message.contains("the connection was refused"), "{direct}");
}

#[tokio::test]
async fn causes_of_a_refused_connection_are_kept_without_the_url() {
    let error = error_at(&format!("http://{}/v1?key=secret", free_address().await), None).await;
    let fault = context().transport(&error);
    let causes: Vec<&str> =
        fault.cause.iter().flat_map(|cause| cause.chain()).map(|cause| cause.message.as_str()).collect();
    assert!(causes.contains(&"tcp connect error"), "{causes:?}");
    assert!(!causes.iter().any(|cause| cause.contains("secret")), "{causes:?}");
}

#[tokio::test]
async fn name_that_resolves_to_nothing_is_named() {
    let error = error_at("http://nowhere.invalid/v1", None).await;
    let fault = context().connection_failed(&error, &ProxySetting::Direct);
    assert_eq!((fault.code.as_str(), fault.retryable), ("provider.unreachable", true));
    assert!(fault.message.contains("can't be resolved"), "{fault}");
}

#[tokio::test]
async fn untrusted_certificate_is_not_tried_again() {
    let address = tls_server::start("{}").await;
    let error = error_at(&format!("https://{address}"), None).await;
    let fault = context().connection_failed(&error, &ProxySetting::Direct);
    assert_eq!((fault.code.as_str(), fault.retryable), ("provider.certificate", false), "{fault}");
    assert_eq!(hint(&fault).contains("SSL_CERT_FILE"), cfg!(target_os = "linux"), "{fault}");
}

#[tokio::test]
async fn server_without_tls_is_recognized() {
    let address = server_that_sends(b"HTTP/1.1 400 Bad Request\r\ncontent-length: 0\r\n\r\n").await;
    let error = error_at(&format!("https://{address}"), None).await;
    let fault = context().connection_failed(&error, &ProxySetting::Direct);
    assert_eq!((fault.code.as_str(), fault.retryable), ("provider.bad_settings", false), "{fault}");
    assert!(hint(&fault).contains("http://"));
}
