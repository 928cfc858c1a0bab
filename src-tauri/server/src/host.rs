//! What all requests share, whatever their tenant: the tokens, the audit log, the limits. What a request is about is its tenant's.

use std::sync::Arc;

use tokio::sync::{Semaphore, watch};

use crate::audit::AuditLog;
use crate::identities::Identities;
use crate::limits::Limits;
use crate::metrics::Metrics;
use crate::phase::Phase;
use crate::request_rate::RequestRate;
use crate::tenants::Tenants;
use crate::tokens::TokenFile;

/// Only what lets requests in has it. Routes have the tenant of their caller alone.
pub(crate) struct Host {
    pub(crate) tokens: TokenFile,
    pub(crate) identities: Identities,
    pub(crate) audit: Arc<AuditLog>,
    pub(crate) limits: Limits,
    /// A permit for each request and stream.
    pub(crate) requests: Arc<Semaphore>,
    pub(crate) rate: RequestRate,
    pub(crate) phase: watch::Sender<Phase>,
    pub(crate) metrics: Metrics,
    pub(crate) tenants: Tenants,
}
