//! A server with a certificate of its own authority: refused with the advice that helps, and reached once that is followed.

#[path = "../support/tls_server.rs"]
mod tls_server;

use std::path::PathBuf;

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;

use crate::support::binary::{CliOutput, Home};
use tls_server::CERTIFICATE;

const MODELS: &str = r#"{"object":"list","data":[{"id":"quiet-model","object":"model"}]}"#;

/// Tests the provider `mine` with these certificates.
async fn test_with(home: &Home, certificates: Option<PathBuf>) -> CliOutput {
    let mut command = home.command(&["providers", "test", "mine"]);
    command.envs(certificates.map(|path| ("SSL_CERT_FILE", path)));
    tokio::task::spawn_blocking(move || command.output().unwrap().into()).await.unwrap()
}

#[tokio::test]
async fn certificate_of_an_own_authority_is_trusted_once_it_is_named() {
    let home = Home::default();
    let url = format!("https://{}/v1", tls_server::start(MODELS).await);
    let added = home.plait(&["providers", "add", "mine", "--kind", "openai-chat", "--url", &url]);
    assert_eq!(added.code, 0, "{added:#?}");

    let refused = test_with(&home, None).await;
    assert_eq!(refused.code, 1, "{refused:#?}");
    assert!(refused.err.contains("error[provider.certificate]"), "{refused:#?}");
    assert!(refused.err.contains("set SSL_CERT_FILE to a PEM file"), "{refused:#?}");

    let pem = format!(
        "-----BEGIN CERTIFICATE-----\n{}\n-----END CERTIFICATE-----\n",
        BASE64_STANDARD.encode(CERTIFICATE)
    );
    let reached = test_with(&home, Some(home.file("own.pem", &pem).into())).await;
    assert_eq!(reached.code, 0, "{reached:#?}");
    assert!(reached.out.contains("replied with 1 model"), "{reached:#?}");
}
