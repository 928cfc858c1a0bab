//! A server with a certificate of its own authority: refused with the advice that helps, and reached once that is followed.

use std::path::PathBuf;
use std::sync::Arc;

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpListener;
use tokio_rustls::TlsAcceptor;
use tokio_rustls::rustls::ServerConfig;
use tokio_rustls::rustls::pki_types::{CertificateDer, PrivatePkcs8KeyDer};

use crate::support::binary::{CliOutput, Home};

/// A certificate for 127.0.0.1 that is its own authority, and its key.
const CERTIFICATE: &[u8] =
    include_bytes!("../../src-tauri/adapters/src/providers/http/error_context/certificate.der");
const KEY: &[u8] = include_bytes!("../../src-tauri/adapters/src/providers/http/error_context/key.der");

const MODELS: &str = r#"{"object":"list","data":[{"id":"quiet-model","object":"model"}]}"#;

/// Starts a server that lists one model to every request. Returns its address.
async fn server() -> String {
    let config = ServerConfig::builder()
        .with_no_client_auth()
        .with_single_cert(vec![CertificateDer::from(CERTIFICATE)], PrivatePkcs8KeyDer::from(KEY).into())
        .unwrap();
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap().to_string();
    tokio::spawn(async move {
        let acceptor = TlsAcceptor::from(Arc::new(config));
        while let Ok((socket, _)) = listener.accept().await {
            let Ok(mut socket) = acceptor.accept(socket).await else { continue };
            let _ = socket.read(&mut [0; 4096]).await;
            let head = format!(
                "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: {}\r\n\
                 connection: close\r\n\r\n",
                MODELS.len()
            );
            let _ = socket.write_all((head + MODELS).as_bytes()).await;
            let _ = socket.shutdown().await;
        }
    });
    address
}

/// Tests the provider `mine` with these certificates.
async fn test_with(home: &Home, certificates: Option<PathBuf>) -> CliOutput {
    let mut command = home.command(&["providers", "test", "mine"]);
    command.envs(certificates.map(|path| ("SSL_CERT_FILE", path)));
    tokio::task::spawn_blocking(move || command.output().unwrap().into()).await.unwrap()
}

#[tokio::test]
async fn certificate_of_an_own_authority_is_trusted_once_it_is_named() {
    let home = Home::default();
    let url = format!("https://{}/v1", server().await);
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
