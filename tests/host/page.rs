//! The built page: the files of one folder, under the policy of the window.

use std::collections::BTreeMap;
use std::error::Error;
use std::path::{Component, Path, PathBuf};

use axum::Router;
use axum::extract::State;
use axum::http::header::{CONTENT_SECURITY_POLICY, CONTENT_TYPE};
use axum::http::{HeaderValue, StatusCode, Uri};
use axum::response::{IntoResponse, Response};
use serde::Deserialize;
use serde_json::Value;

/// The settings of the window, with its policy.
const WINDOW: &str = include_str!("../../tauri.conf.json");

/// The policy of the window, under which the page also has to work there. In a browser it asks this host instead.
fn policy() -> Result<HeaderValue, Box<dyn Error>> {
    let window: Value = serde_json::from_str(WINDOW)?;
    let rules: BTreeMap<String, String> = Deserialize::deserialize(&window["app"]["security"]["csp"])?;
    let written = rules.iter().map(|(rule, sources)| match rule.as_str() {
        "connect-src" => "connect-src 'self'".to_owned(),
        _ => format!("{rule} {sources}"),
    });
    Ok(HeaderValue::from_str(&written.collect::<Vec<_>>().join("; "))?)
}

#[derive(Clone)]
struct Page {
    folder: PathBuf,
    policy: HeaderValue,
}

/// Fails if the policy of the window cannot be read.
pub(crate) fn router(folder: PathBuf) -> Result<Router, Box<dyn Error>> {
    Ok(Router::new().fallback(file).with_state(Page { folder, policy: policy()? }))
}

async fn file(State(Page { folder, policy }): State<Page>, uri: Uri) -> Response {
    let relative = match uri.path().trim_start_matches('/') {
        "" => Path::new("index.html"),
        path => Path::new(path),
    };
    if !relative.components().all(|part| matches!(part, Component::Normal(_))) {
        return StatusCode::NOT_FOUND.into_response();
    }
    match tokio::fs::read(folder.join(relative)).await {
        Ok(bytes) => {
            let media_type = HeaderValue::from_static(media_type(relative));
            ([(CONTENT_TYPE, media_type), (CONTENT_SECURITY_POLICY, policy)], bytes).into_response()
        }
        Err(_) => StatusCode::NOT_FOUND.into_response(),
    }
}

fn media_type(path: &Path) -> &'static str {
    match path.extension().and_then(|extension| extension.to_str()) {
        Some("html") => "text/html; charset=utf-8",
        Some("js") => "text/javascript; charset=utf-8",
        Some("css") => "text/css; charset=utf-8",
        Some("json") => "application/json",
        Some("svg") => "image/svg+xml",
        Some("png") => "image/png",
        Some("woff2") => "font/woff2",
        _ => "application/octet-stream",
    }
}
