//! Where spans are sent, and what they contain.

use plait_core::error::Fault;
use serde::{Deserialize, Serialize};
use ts_rs::TS;

use super::endpoint::traces_url;
use crate::codes;
use crate::keys::is_variable_name;

/// The settings of the OpenTelemetry export.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase", default)]
pub struct TelemetrySettings {
    /// The OTLP/HTTP endpoint that spans of runs are sent to while they run, for example `http://127.0.0.1:4318`. If empty, none
    /// are.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub endpoint: Option<String>,
    /// Whether spans contain messages, tool arguments and results.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    #[ts(optional, as = "Option<bool>")]
    pub content: bool,
    /// The environment variable that holds headers of the requests, as `name=value,name=value`. Keys of servers belong there.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub headers_variable: Option<String>,
}

impl TelemetrySettings {
    /// Whether nothing is set.
    pub fn is_default(&self) -> bool {
        *self == Self::default()
    }

    /// Fault `telemetry.bad_endpoint` for an endpoint that is no HTTP URL or contains a password, `settings.telemetry` for a header variable
    /// that is no name of a variable.
    pub fn check(&self) -> Result<(), Fault> {
        if let Some(endpoint) = self.endpoint() {
            traces_url(endpoint)?;
        }
        match &self.headers_variable {
            Some(name) if !name.is_empty() && !is_variable_name(name) => {
                let message = "The headers for OpenTelemetry are not the name of an environment variable.";
                Err(Fault::new(codes::SETTINGS_TELEMETRY, message)
                    .hint("Put the headers into an environment variable, and name that."))
            }
            _ => Ok(()),
        }
    }

    /// The endpoint, if one is set.
    pub fn endpoint(&self) -> Option<&str> {
        self.endpoint.as_deref().map(str::trim).filter(|endpoint| !endpoint.is_empty())
    }
}
