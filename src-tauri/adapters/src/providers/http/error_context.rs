//! Turns the failures of a call into coded faults. Each names the provider, base URL and model, and suggests a fix.

use std::io;
use std::time::Duration;

use plait_core::error::{ErrorCode, Fault};
use reqwest::StatusCode;
use reqwest::header::{HeaderMap, LOCATION};
use serde_json::Value;

use super::ProtocolConfig;
use super::context_overflow;
use super::proxy::ProxySetting;
use super::retry_delay;
use crate::codes;
use crate::net::{causes, innermost_cause, with_causes};

/// How much of a server's own message a fault repeats.
const MAX_EXCERPT_CHARS: usize = 500;

/// How to have a certificate trusted. Only on Linux the certificates are read from files.
const TRUST_ADVICE: &str = if cfg!(target_os = "linux") {
    "set SSL_CERT_FILE to a PEM file with the certificates to trust"
} else {
    "add its certificate to the system's certificate store"
};

/// The call that a fault belongs to.
#[derive(Clone, Debug)]
pub(crate) struct ErrorContext {
    pub(super) config: &'static ProtocolConfig,
    pub(super) provider: String,
    pub(super) base_url: String,
    /// Whether it is the local machine, which no proxy can reach.
    pub(super) is_loopback: bool,
    pub(super) model: Option<String>,
}

impl ErrorContext {
    fn fault(&self, code: ErrorCode, what: &str) -> Fault {
        let model = self.model.as_ref().map(|model| format!(", model `{model}`")).unwrap_or_default();
        let retryable = crate::providers::is_retryable(&code);
        let mut fault = Fault::new(code, format!("`{}` at {}{model}: {what}.", self.provider, self.base_url));
        fault.retryable = retryable;
        fault
    }

    /// The request could not be sent, or got no response.
    pub(super) fn transport(&self, error: &reqwest::Error) -> Fault {
        if error.is_timeout() {
            let fault = self.fault(codes::PROVIDER_TIMEOUT, "the connection timed out");
            return with_causes(fault.hint(self.start_hint()), error);
        }
        if error.is_connect() {
            return with_causes(self.connection_failed(error, &self.proxy()), error);
        }
        self.body_transport(error)
    }

    /// The proxy that requests go through.
    fn proxy(&self) -> ProxySetting {
        if self.is_loopback {
            return ProxySetting::Direct;
        }
        ProxySetting::read(&self.base_url, crate::environment::variable)
    }

    /// Refuses a proxy that the environment names and that can't be used. Fault `provider.proxy`.
    pub(super) fn check_proxy(&self) -> Result<(), Fault> {
        let ProxySetting::Unusable { variable, why } = self.proxy() else { return Ok(()) };
        Err(self.fault(codes::PROVIDER_PROXY, &format!("was not called, because {variable} {why}")).hint(
            format!("Correct or remove {variable}, or add the host to NO_PROXY to go without a proxy."),
        ))
    }

    /// No connection could be set up: names the cause.
    fn connection_failed(&self, error: &reqwest::Error, proxy: &ProxySetting) -> Fault {
        let cause = innermost_cause(error);
        let texts: Vec<String> = causes(error).map(ToString::to_string).collect();
        let says = |what: &str| texts.iter().any(|text| text.contains(what));
        let is_refused = causes(error).any(|cause| {
            cause
                .downcast_ref::<io::Error>()
                .is_some_and(|error| error.kind() == io::ErrorKind::ConnectionRefused)
        });
        if says("invalid peer certificate") {
            return self.fault(codes::PROVIDER_CERTIFICATE, &format!("has a certificate that is not trusted ({cause})")).hint(
                format!(
                    "If the server or a proxy has a certificate of your own authority, {TRUST_ADVICE}. Check the date of \
                     this machine as well."
                ),
            );
        }
        if says("InvalidContentType") || says("corrupt message") {
            return self
                .fault(codes::PROVIDER_BAD_SETTINGS, &format!("does not use TLS ({cause})"))
                .hint("Begin the base URL with http://, or check its port.");
        }
        if says("proxy authorization required") {
            return self.proxy_refused(proxy, "wants to be signed in to (407)");
        }
        let through = |what: &str| match proxy {
            ProxySetting::Proxy { variable, url } => {
                format!("{what}, through the proxy {url} that {variable} names")
            }
            _ => what.to_owned(),
        };
        let (what, hint) = if is_refused {
            (through(&format!("can't be reached: the connection was refused ({cause})")), self.start_hint())
        } else if says("tunnel error") || says("unsuccessful tunnel") {
            return self.proxy_refused(proxy, &format!("opened no connection to the server ({cause})"));
        } else if texts.iter().any(|text| text.starts_with("dns error")) {
            let what = format!("can't be reached: the name of the host can't be resolved ({cause})");
            (through(&what), "Check the host in the base URL, and the network.".to_owned())
        } else {
            (through(&format!("can't be reached ({cause})")), self.start_hint())
        };
        let hint = match proxy {
            ProxySetting::Direct | ProxySetting::Unusable { .. } => hint,
            ProxySetting::Proxy { variable, .. } => {
                format!(
                    "Check that the proxy runs, or add the host to NO_PROXY to go without {variable}. {hint}"
                )
            }
        };
        self.fault(codes::PROVIDER_UNREACHABLE, &what).hint(hint)
    }

    /// The proxy does not let a request through.
    fn proxy_refused(&self, proxy: &ProxySetting, why: &str) -> Fault {
        let (url, variable) = match proxy {
            ProxySetting::Proxy { url, variable } => (format!("the proxy {url}"), variable.as_str()),
            _ => ("the proxy".to_owned(), "HTTPS_PROXY"),
        };
        self.fault(codes::PROVIDER_PROXY, &format!("{url} {why}")).hint(format!(
            "Put user name and password into {variable} (http://USER:PASSWORD@HOST:PORT), or add the host to NO_PROXY."
        ))
    }

    /// The connection broke while a response was read.
    pub(super) fn body_transport(&self, error: &reqwest::Error) -> Fault {
        let is_malformed = causes(error).any(|cause| {
            let head = cause
                .downcast_ref::<hyper::Error>()
                .is_some_and(|error| error.is_parse() && !error.is_incomplete_message());
            // Only the kind of the I/O error tells invalid body framing apart.
            let body = cause.downcast_ref::<io::Error>().map(io::Error::kind);
            head || matches!(body, Some(io::ErrorKind::InvalidInput | io::ErrorKind::InvalidData))
        });
        let why = innermost_cause(error);
        let fault = if is_malformed {
            self.invalid_response("sent a malformed HTTP response", &why)
        } else {
            self.fault(
                codes::PROVIDER_CUT_SHORT,
                &format!("closed the connection before the response was complete ({why})"),
            )
            .hint("Try again. If it keeps happening, check the server's log.")
        };
        with_causes(fault, error)
    }

    /// The server was silent for `elapsed`.
    pub(super) fn timeout(&self, what: &str, elapsed: Duration) -> Fault {
        self.fault(codes::PROVIDER_TIMEOUT, &format!("{what} for {}", format_duration(elapsed)))
            .hint("Try again, or raise the timeout in the provider's settings.")
    }

    /// The stream ended before the reply was complete.
    pub(crate) fn cut_short(&self, text: &str) -> Fault {
        self.fault(codes::PROVIDER_CUT_SHORT, "the stream ended before the reply was complete")
            .hint("Try again. If it keeps happening, check the server's log.")
            .details(serde_json::json!({ "received": text.chars().count() }))
    }

    /// The request can't be serialized.
    pub(super) fn unserializable(&self, error: &serde_json::Error) -> Fault {
        self.fault(codes::PROVIDER_BAD_REQUEST, &format!("the request can't be serialized ({error})"))
            .hint("Check the options of this call.")
    }

    /// The response does not follow the protocol.
    pub(crate) fn protocol_mismatch(&self, excerpt: &str) -> Fault {
        self.invalid_response("sent a response that does not follow the protocol", excerpt)
    }

    /// The response can't be used, for the reason `what`.
    pub(crate) fn invalid_response(&self, what: &str, excerpt: &str) -> Fault {
        let excerpt = shorten(excerpt);
        let quoted = if excerpt.is_empty() { String::new() } else { format!(": {excerpt}") };
        self.fault(codes::PROVIDER_INVALID_RESPONSE, &format!("{what}{quoted}"))
            .hint(format!("Is this the base URL of {}? {}", self.config.server, self.config.base_url_hint))
    }

    /// A filter in front of the model refused the request.
    fn content_filtered(&self, what: &str) -> Fault {
        self.fault(codes::PROVIDER_CONTENT_FILTERED, &shorten(what))
            .hint("Rephrase the request, or use another model.")
    }

    /// The server responded with a status other than success.
    pub(super) fn status(&self, status: StatusCode, headers: &HeaderMap, body: &str) -> Fault {
        let parsed: Option<Value> = serde_json::from_str(body).ok();
        let ServerError { code, message } = ServerError::read(parsed.as_ref(), body);
        let what = if message.is_empty() {
            format!("responded with {status}")
        } else {
            format!("responded with {status}: {message}")
        };
        if status.is_redirection() {
            let to = headers.get(LOCATION).and_then(|to| to.to_str().ok()).unwrap_or("another address");
            return self
                .fault(codes::PROVIDER_BAD_SETTINGS, &format!("redirects to {to}"))
                .hint("Set the base URL to the address it redirects to.");
        }
        if status == StatusCode::PROXY_AUTHENTICATION_REQUIRED {
            return self.proxy_refused(&self.proxy(), "wants to be signed in to (407)");
        }
        let delay = retry_delay::of_headers(headers)
            .or_else(|| retry_delay::of_google(google_details(error_of(parsed.as_ref()?))))
            .or_else(|| retry_delay::of_rate_limit(status, headers, &message));
        self.by_status(status.as_u16(), code.as_deref(), &what, delay)
    }

    /// The server reported an error inside a stream that had started with a success status.
    pub(crate) fn stream_error(&self, error: &Value) -> Fault {
        let body = serde_json::json!({ "error": error });
        let ServerError { code, message } = ServerError::read(Some(&body), "");
        let status = ["code", "status", "status_code"].iter().find_map(|key| error.get(key)?.as_u64());
        let status =
            status.and_then(|status| u16::try_from(status).ok()).filter(|status| (400..600).contains(status));
        let status = status.unwrap_or_else(|| code.as_deref().map_or(500, status_of));
        let delay = retry_delay::of_google(google_details(error_of(&body)))
            .or_else(|| retry_delay::of_message(&message).filter(|_| status == 429));
        self.by_status(status, code.as_deref(), &format!("aborted its reply: {message}"), delay)
    }

    fn by_status(&self, status: u16, code: Option<&str>, what: &str, delay_ms: Option<u64>) -> Fault {
        let mut fault = match context_overflow::read(code, what) {
            Some(overflow) if !matches!(status, 401 | 403 | 429) => self
                .fault(codes::PROVIDER_CONTEXT_EXCEEDED, what)
                .hint("Set the model's window in the settings, shorten the conversation, or use a larger model.")
                .details(serde_json::json!({ "limit": overflow.limit, "tokens": overflow.tokens })),
            _ => self.classify(status, code, what),
        };
        fault.retry_after_ms = delay_ms.filter(|_| fault.retryable);
        fault
    }

    fn classify(&self, status: u16, code: Option<&str>, what: &str) -> Fault {
        match (status, code) {
            (_, Some("content_filter" | "content_policy_violation" | "ResponsibleAIPolicyViolation")) => {
                self.content_filtered(what)
            }
            // Gemini responds to an invalid key with status 400.
            (401 | 403, _) | (_, Some("API_KEY_INVALID")) => {
                self.fault(codes::PROVIDER_UNAUTHORIZED, what).hint(format!(
                    "Check the key of `{}` in the settings or the environment, and its permissions.",
                    self.provider
                ))
            }
            (402, _) | (_, Some("insufficient_quota")) => {
                let mut fault = self.fault(codes::PROVIDER_RATE_LIMITED, what);
                fault.retryable = false;
                fault.hint("The account has no credit left. Add credit and try again.")
            }
            (404, _) => self.fault(codes::PROVIDER_NOT_FOUND, what).hint(match &self.model {
                Some(model) => format!(
                    "Check that it has the model `{model}` and that the base URL is right. {}",
                    self.config.base_url_hint
                ),
                None => format!("Check the base URL. {}", self.config.base_url_hint),
            }),
            (408, _) => self.fault(codes::PROVIDER_TIMEOUT, what).hint("Try again."),
            (425 | 429, _) => self
                .fault(codes::PROVIDER_RATE_LIMITED, what)
                .hint("Wait a moment, or give the node more retries with longer delays."),
            (529, _) | (500..=599, Some("overloaded_error")) => self.fault(codes::PROVIDER_OVERLOADED, what).hint(
                "The server is overloaded: wait a moment, or give the node more retries with longer delays.",
            ),
            (500..=599, _) => self
                .fault(codes::PROVIDER_SERVER_ERROR, what)
                .hint("Try again. If it keeps happening, check the server's log."),
            _ => self
                .fault(codes::PROVIDER_BAD_REQUEST, what)
                .hint("The server rejected the request; its message says why."),
        }
    }

    fn start_hint(&self) -> String {
        format!("Is the server running? Check the base URL of `{}` in the settings.", self.provider)
    }
}

/// The HTTP status that corresponds to the code of an error inside a stream.
fn status_of(code: &str) -> u16 {
    match code {
        "rate_limit_exceeded" | "rate_limit_error" | "insufficient_quota" | "RESOURCE_EXHAUSTED" => 429,
        "invalid_request_error"
        | "invalid_prompt"
        | "context_length_exceeded"
        | "BadRequestError"
        | "request_too_large"
        | "INVALID_ARGUMENT"
        | "FAILED_PRECONDITION" => 400,
        "authentication_error" | "UNAUTHENTICATED" => 401,
        "permission_error" | "PERMISSION_DENIED" => 403,
        "billing_error" => 402,
        "not_found_error" | "NOT_FOUND" => 404,
        "timeout_error" | "DEADLINE_EXCEEDED" => 408,
        "overloaded_error" => 529,
        _ => 500,
    }
}

struct ServerError {
    code: Option<String>,
    message: String,
}

impl ServerError {
    /// Reads the shapes servers use: `{error: {message, code, type, status}}`, `{error: text}`, `{message}`, `{detail}`,
    /// any of them as the first item of a list, or plain text.
    fn read(parsed: Option<&Value>, body: &str) -> Self {
        let Some(parsed) = parsed else { return Self { code: None, message: shorten(body) } };
        let error = error_of(parsed);
        let text = |value: &Value| value.as_str().map(str::to_owned);
        // Google's reason is more specific than its status.
        let reason = google_details(error).find_map(|detail| detail.get("reason").and_then(text));
        let code = reason
            .or_else(|| ["code", "type", "status"].iter().find_map(|key| error.get(key).and_then(text)));
        let message = ["message", "detail", "error"].iter().find_map(|key| error.get(key).and_then(text));
        let message = message.or_else(|| text(error)).unwrap_or_else(|| error.to_string());
        Self { code, message: shorten(&message) }
    }
}

fn error_of(parsed: &Value) -> &Value {
    let parsed = parsed.get(0).unwrap_or(parsed);
    parsed.get("error").filter(|error| !error.is_null()).unwrap_or(parsed)
}

/// The `details` list of Google's errors.
fn google_details(error: &Value) -> impl Iterator<Item = &Value> {
    error.get("details").and_then(Value::as_array).into_iter().flatten()
}

/// One line of at most [`MAX_EXCERPT_CHARS`], without a period at its end: it becomes part of a sentence.
fn shorten(text: &str) -> String {
    let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    let mut short: String = line.chars().take(MAX_EXCERPT_CHARS).collect();
    if short.len() < line.len() {
        short.push('…');
    }
    short.trim_end_matches('.').to_owned()
}

fn format_duration(duration: Duration) -> String {
    if duration.subsec_millis() == 0 {
        format!("{} s", duration.as_secs())
    } else {
        format!("{} ms", duration.as_millis())
    }
}

#[cfg(test)]
mod tests;
