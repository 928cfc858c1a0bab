//! `current_time`: date and time in a time zone.

use std::sync::Arc;

use jiff::Timestamp;
use jiff::tz::TimeZone;
use plait_core::error::Fault;
use plait_run::host::Clock;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

use super::tool::{CallContext, NativeTool};
use crate::codes;
use crate::tools::bad_arguments::bad_arguments;

pub(super) struct CurrentTime(pub(super) Arc<dyn Clock>);

/// The arguments of `current_time`.
#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(super) struct Arguments {
    /// IANA time zone, for example `Europe/Berlin` or `UTC`. Without it, the machine's time zone.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "String")]
    time_zone: Option<String>,
}

impl NativeTool for CurrentTime {
    type Arguments = Arguments;
    const NAME: &'static str = "current_time";
    const DESCRIPTION: &'static str = "Tells the current date, time and weekday.";

    async fn call(&self, arguments: Arguments, _: CallContext) -> Result<Value, Fault> {
        let zone = match arguments.time_zone.as_deref() {
            None => TimeZone::system(),
            Some(name) => TimeZone::get(name).map_err(|_| {
                bad_arguments(
                    Self::NAME,
                    &[format!("`{name}` is not an IANA time zone such as `Europe/Berlin`")],
                )
            })?,
        };
        let now = i64::try_from(self.0.now_ms())
            .ok()
            .and_then(|milliseconds| Timestamp::from_millisecond(milliseconds).ok())
            .ok_or_else(|| Fault::new(codes::TOOL_NO_RESULT, "The machine's clock is out of range."))?;
        let local = now.to_zoned(zone);
        Ok(json!({
            "time": local.strftime("%Y-%m-%dT%H:%M:%S%:z").to_string(),
            "weekday": local.strftime("%A").to_string(),
            "timeZone": local.time_zone().iana_name().unwrap_or("local"),
        }))
    }
}
