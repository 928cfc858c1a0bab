use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use axum::routing::get;
use axum::{Json, Router};
use parking_lot::Mutex as SyncMutex;
use serde_json::json;

use super::*;

/// A provider with keys that can be exchanged, and how often it was asked for them.
struct Server {
    issuer: String,
    keys: Arc<SyncMutex<Value>>,
    asked: Arc<AtomicUsize>,
    task: tokio::task::JoinHandle<()>,
}

impl Server {
    async fn start() -> Self {
        let (keys, asked) = (Arc::new(SyncMutex::new(json!([]))), Arc::new(AtomicUsize::new(0)));
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
        let issuer = format!("http://{}", listener.local_addr().unwrap());
        let (answered, counted) = (Arc::clone(&keys), Arc::clone(&asked));
        let discovery = json!({ "issuer": issuer, "jwks_uri": format!("{issuer}/keys") });
        let router = Router::new().route(DISCOVERY_PATH, get(async move || Json(discovery))).route(
            "/keys",
            get(async move || {
                counted.fetch_add(1, Ordering::SeqCst);
                Json(json!({ "keys": *answered.lock() }))
            }),
        );
        let task = tokio::spawn(async move { axum::serve(listener, router).await.unwrap() });
        Self { issuer, keys, asked, task }
    }

    fn asked(&self) -> usize {
        self.asked.load(Ordering::SeqCst)
    }
}

fn key(id: &str) -> Value {
    json!({ "kty": "OKP", "crv": "Ed25519", "kid": id, "x": "11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo" })
}

async fn age(provider: &OpenIdProvider, by: Duration) {
    provider.keys.lock().await.as_mut().unwrap().read_at -= by;
}

#[tokio::test]
async fn unknown_key_is_asked_for_once_in_a_while() {
    let server = Server::start().await;
    // One that nobody here knows is no reason to refuse the others.
    *server.keys.lock() = json!([{ "kty": "ML-DSA", "kid": "later" }, key("a")]);
    let provider = OpenIdProvider::new(&server.issuer).unwrap();
    assert_eq!(provider.key(Some("a")).await.unwrap().common.key_id.as_deref(), Some("a"));
    *server.keys.lock() = json!([key("b")]);
    assert_eq!(provider.key(Some("b")).await.unwrap_err().code, "openid.refused");
    assert_eq!(server.asked(), 1);
    age(&provider, UNKNOWN_KEY_DELAY).await;
    provider.key(Some("b")).await.unwrap();
    assert_eq!(server.asked(), 2);
    // It was withdrawn.
    assert_eq!(provider.key(Some("a")).await.unwrap_err().code, "openid.refused");
}

#[tokio::test]
async fn known_key_is_used_while_the_provider_is_away() {
    let server = Server::start().await;
    *server.keys.lock() = json!([key("a")]);
    let provider = OpenIdProvider::new(&server.issuer).unwrap();
    provider.key(Some("a")).await.unwrap();
    age(&provider, KEYS_LIFETIME).await;
    provider.key(Some("a")).await.unwrap();
    assert_eq!(server.asked(), 2, "keys are read again after an hour");
    server.task.abort();
    assert!(server.task.await.unwrap_err().is_cancelled());
    age(&provider, KEYS_LIFETIME).await;
    provider.key(Some("a")).await.unwrap();
    assert_eq!(provider.key(Some("b")).await.unwrap_err().code, "openid.unreachable");
}

#[tokio::test]
async fn provider_is_the_one_that_it_says() {
    let server = Server::start().await;
    let refused = OpenIdProvider::new(&format!("{}/", server.issuer)).unwrap().read_keys().await.unwrap_err();
    assert_eq!(refused.code, "openid.issuer", "{refused}");
    for issuer in ["login.example.com", "http://login.example.com", "ftp://127.0.0.1"] {
        let refused = OpenIdProvider::new(issuer).map(|_| ()).unwrap_err();
        assert_eq!(refused.code, "openid.issuer", "{issuer}");
    }
}
