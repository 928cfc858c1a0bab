//! OpenTelemetry: what a run's journal says, as spans with the names and attributes of the `GenAI` semantic conventions.
//!
//! [`projection`] turns entries into spans, a pure fold; [`otlp`] writes them as OTLP JSON; [`exporter`] sends them; [`live`] sends those
//! of runs that go on, beside the run: a server that is slow or down costs spans, never the run.
//! Message contents are left out unless the person asks for them.

pub mod conventions;
mod endpoint;
mod exporter;
mod live;
pub mod otlp;
mod projection;
mod settings;
mod span;

pub use exporter::{ExportReport, SpanExporter};
pub use live::LiveExporter;
pub use projection::{RunPlace, SpanProjector};
pub use settings::TelemetrySettings;
pub use span::{Span, SpanId, TraceId};
