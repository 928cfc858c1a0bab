//! What a monitoring system reads of the host, in the text format of Prometheus: counted here, or read from the store when it is asked for.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;
use std::sync::atomic::AtomicU64;

use jiff::Timestamp;
use plait_api::ErrorReply;
use plait_host_store::TenantName;
use plait_journal::Spending;
use plait_journal::view::RunStatus;
use plait_store::{RunFilter, Which};
use prometheus_client::encoding::text::encode;
use prometheus_client::encoding::{EncodeLabel as _, EncodeLabelSet, LabelSetEncoder};
use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::family::Family;
use prometheus_client::metrics::gauge::Gauge;
use prometheus_client::registry::Registry;

use crate::codes;
use crate::tenant::Tenant;

/// What all names begin with.
const PREFIX: &str = "plait";

/// What the host counts itself.
#[derive(Default)]
pub(crate) struct Metrics {
    requests: Family<OfTenant<RequestLabels>, Counter>,
    streams: Gauge,
}

/// The labels of something with its tenant, which has none if it is the default one: hosts that need only one have the names of before.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct OfTenant<L> {
    tenant: Option<TenantName>,
    labels: L,
}

impl<L> OfTenant<L> {
    fn new(tenant: Option<&TenantName>, labels: L) -> Self {
        Self { tenant: tenant.filter(|tenant| !tenant.is_default()).cloned(), labels }
    }
}

impl<L: EncodeLabelSet> EncodeLabelSet for OfTenant<L> {
    fn encode(&self, encoder: &mut LabelSetEncoder<'_>) -> Result<(), fmt::Error> {
        if let Some(tenant) = &self.tenant {
            ("tenant", tenant.as_str()).encode(encoder.encode_label())?;
        }
        self.labels.encode(encoder)
    }
}

#[derive(Clone, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
struct RequestLabels {
    method: String,
    /// The pattern of the address, or nothing for an address that the host does not have.
    route: String,
    status: u16,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
struct StatusLabel {
    status: &'static str,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
struct ModelLabel {
    model: String,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
struct TokenLabels {
    model: String,
    direction: &'static str,
}

/// A stream of events that a client reads, until this is dropped.
pub(crate) struct OpenStream(Gauge);

impl Drop for OpenStream {
    fn drop(&mut self) {
        self.0.dec();
    }
}

/// How the host stands when it is asked.
pub(crate) struct Snapshot {
    tenants: Vec<TenantSnapshot>,
    /// When the certificate expires.
    certificate_expires_at: Option<Timestamp>,
    connections: usize,
}

struct TenantSnapshot {
    name: TenantName,
    runs: BTreeMap<&'static str, i64>,
    spent: BTreeMap<String, Spending>,
}

impl Snapshot {
    /// Reads the lists of the stores. The errors of the stores.
    pub(crate) fn read(
        tenants: &[Arc<Tenant>],
        certificate_expires_at: Option<Timestamp>,
        connections: usize,
    ) -> Result<Self, ErrorReply> {
        let tenants = tenants.iter().map(|tenant| TenantSnapshot::read(tenant)).collect::<Result<_, _>>()?;
        Ok(Self { tenants, certificate_expires_at, connections })
    }
}

impl TenantSnapshot {
    fn read(tenant: &Tenant) -> Result<Self, ErrorReply> {
        let store = tenant.plait.store();
        let mut runs: BTreeMap<_, _> = STATUSES.iter().map(|status| (status_name(*status), 0)).collect();
        for record in store.runs(&RunFilter { which: Which::Roots, ..RunFilter::default() })? {
            *runs.entry(status_name(record.status)).or_default() += 1;
        }
        let mut spent: BTreeMap<String, Spending> = BTreeMap::new();
        for models in store.spending()?.into_iter().flat_map(|run| run.spent.into_values()) {
            for (model, spending) in models {
                *spent.entry(model).or_default() += spending;
            }
        }
        Ok(Self { name: tenant.name.clone(), runs, spent })
    }
}

const STATUSES: [RunStatus; 7] = [
    RunStatus::Running,
    RunStatus::Waiting,
    RunStatus::Stopped,
    RunStatus::Finished,
    RunStatus::Failed,
    RunStatus::Cancelled,
    RunStatus::Interrupted,
];

fn status_name(status: RunStatus) -> &'static str {
    match status {
        RunStatus::Running => "running",
        RunStatus::Waiting => "waiting",
        RunStatus::Stopped => "stopped",
        RunStatus::Finished => "finished",
        RunStatus::Failed => "failed",
        RunStatus::Cancelled => "cancelled",
        RunStatus::Interrupted => "interrupted",
    }
}

impl Metrics {
    pub(crate) fn count_request(&self, tenant: Option<&TenantName>, method: &str, route: &str, status: u16) {
        let labels = RequestLabels { method: method.to_owned(), route: route.to_owned(), status };
        self.requests.get_or_create(&OfTenant::new(tenant, labels)).inc();
    }

    pub(crate) fn open_stream(&self) -> OpenStream {
        self.streams.inc();
        OpenStream(self.streams.clone())
    }

    /// The text that Prometheus reads.
    pub(crate) fn text(&self, snapshot: &Snapshot) -> Result<String, ErrorReply> {
        let mut registry = Registry::with_prefix(PREFIX);
        registry.register("requests", "Requests that were answered", self.requests.clone());
        registry.register("event_streams", "Streams of events that clients read", self.streams.clone());
        let connections = i64::try_from(snapshot.connections).unwrap_or(i64::MAX);
        registry.register("connections", "Open connections", gauge(connections));
        let runs = Family::<OfTenant<StatusLabel>, Gauge>::default();
        for tenant in &snapshot.tenants {
            for (status, count) in &tenant.runs {
                let label = OfTenant::new(Some(&tenant.name), StatusLabel { status });
                runs.get_or_create(&label).set(*count);
            }
        }
        registry.register("runs", "Runs by status, without those that other runs began", runs);
        register_spending(&mut registry, &snapshot.tenants);
        if let Some(at) = snapshot.certificate_expires_at {
            let name = "certificate_expires_timestamp_seconds";
            registry.register(name, "When the certificate expires, in Unix time", gauge(at.as_second()));
        }
        let mut text = String::new();
        encode(&mut text, &registry).map_err(|fmt::Error| {
            ErrorReply::new(codes::COMMAND_REPLY, "The metrics could not be written as text.")
        })?;
        Ok(text)
    }
}

fn gauge(value: i64) -> Gauge {
    let gauge = Gauge::default();
    gauge.set(value);
    gauge
}

/// The ledger keeps what removed runs have spent, so these only grow.
fn register_spending(registry: &mut Registry, tenants: &[TenantSnapshot]) {
    let calls = Family::<OfTenant<ModelLabel>, Counter>::default();
    let unpriced = Family::<OfTenant<ModelLabel>, Counter>::default();
    let tokens = Family::<OfTenant<TokenLabels>, Counter>::default();
    let cost = Family::<OfTenant<ModelLabel>, Counter<f64, AtomicU64>>::default();
    for tenant in tenants {
        for (model, spending) in &tenant.spent {
            let name = Some(&tenant.name);
            let label = OfTenant::new(name, ModelLabel { model: model.clone() });
            calls.get_or_create(&label).inc_by(spending.calls);
            unpriced.get_or_create(&label).inc_by(spending.cost.unpriced);
            cost.get_or_create(&label).inc_by(usd(spending.cost.nano_usd));
            for (direction, count) in [("input", spending.tokens.input), ("output", spending.tokens.output)] {
                let label = OfTenant::new(name, TokenLabels { model: model.clone(), direction });
                tokens.get_or_create(&label).inc_by(count);
            }
        }
    }
    registry.register("model_calls", "Model calls that were answered", calls);
    registry.register(
        "model_calls_unpriced",
        "Model calls with an unknown price, which the cost leaves out",
        unpriced,
    );
    registry.register("model_tokens", "Tokens that models read and wrote", tokens);
    registry.register("model_cost_usd", "What model calls cost, in US dollars", cost);
}

#[expect(clippy::cast_precision_loss, reason = "amounts of money are far below 2^53 billionths")]
fn usd(nano: u64) -> f64 {
    nano as f64 / 1e9
}
