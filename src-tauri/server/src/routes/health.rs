//! Whether the host lives, and whether it can work. Both without a token, for what watches over it.

use std::sync::Arc;

use axum::Json;
use axum::extract::State;
use serde_json::{Value, json};

use crate::failure::Failure;
use crate::host::Host;

/// The process answers.
pub(super) async fn is_alive() -> Json<Value> {
    Json(json!({ "status": "alive" }))
}

/// Requests would be executed: the host does not drain, tokens can be read and the audit log can be written.
pub(super) async fn is_ready(State(host): State<Arc<Host>>) -> Result<Json<Value>, Failure> {
    host.phase.borrow().refuse_unless_serving()?;
    host.audit.check()?;
    host.tokens.list()?;
    Ok(Json(match host.tenants.restate() {
        // What is asked is stored meanwhile, so requests are taken.
        Some(restate) => {
            json!({ "status": "ready", "restate": if restate.is_away() { "away" } else { "there" } })
        }
        None => json!({ "status": "ready" }),
    }))
}
