//! `POST /hooks/TOKEN`: what another system sends when something happened there begins a run of a published flow.

use std::sync::Arc;

use axum::Extension;
use axum::body::Body;
use axum::http::HeaderMap;
use axum::response::Response;
use plait_api::ErrorReply;
use plait_api::hosts::VersionedFlow;
use plait_api::runs::RunRequest;
use plait_core::id::RunId;
use sha2::{Digest as _, Sha256};
use uuid::{Builder, Uuid};

use super::database_runs;
use crate::blocking::blocking;
use crate::caller::Caller;
use crate::codes;
use crate::failure::Failure;
use crate::published::takes_input;
use crate::tenant::{Tenant, wrong_body};

/// The headers by which senders tell apart what they send: Standard Webhooks, GitHub, and the draft of the IETF.
const DELIVERY_HEADERS: [&str; 3] = ["webhook-id", "x-github-delivery", "idempotency-key"];

/// Begins a run of the token's flow with the text of the body, and answers at once. What is sent again begins nothing.
pub(super) async fn receive(
    Extension(tenant): Extension<Arc<Tenant>>,
    Extension(caller): Extension<Caller>,
    headers: HeaderMap,
    body: Body,
) -> Result<Response, Failure> {
    let Some(name) = caller.hook.clone() else {
        let message = "This token is not that of an address for other systems.";
        return Err(ErrorReply::new(codes::HOST_FORBIDDEN, message).into());
    };
    let text = String::from_utf8(tenant.read_body(body).await?)
        .map_err(|_| wrong_body("The body is no text.".to_owned()))?;
    let (published, of_name) = (tenant.published.clone(), name.clone());
    let VersionedFlow { about, flow } = blocking(move || published.current(&of_name)).await?;
    let input = takes_input(&flow).then_some(text);
    let request = RunRequest { flow, path: about.path, input, ..RunRequest::default() };
    let delivery = DELIVERY_HEADERS.iter().find_map(|header| headers.get(*header));
    let run = match delivery {
        Some(delivery) => run_of(&caller.id, delivery.as_bytes()),
        None => RunId::from(Uuid::now_v7().to_string()),
    };
    tenant.begin(Some(&caller), &run, request).await?;
    Ok(database_runs::begun(&run))
}

/// The id of the run that a delivery begins.
fn run_of(token: &str, delivery: &[u8]) -> RunId {
    let hash = Sha256::new().chain_update(token).chain_update(b" ").chain_update(delivery).finalize();
    let mut bytes = [0; 16];
    bytes.copy_from_slice(&hash[..16]);
    RunId::from(Builder::from_custom_bytes(bytes).into_uuid().to_string())
}
