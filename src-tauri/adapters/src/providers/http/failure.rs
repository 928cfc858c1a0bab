//! What can go wrong with a call, as coded faults. Owns which failure is which; each says where it was met and what to do.

use std::error::Error;
use std::io;
use std::time::{Duration, SystemTime};

use plait_engine::error::{ErrorCode, Fault};
use reqwest::StatusCode;
use reqwest::header::{HeaderMap, LOCATION, RETRY_AFTER};
use serde_json::Value;

use super::Manner;

/// How much of a server's own words is repeated.
const MAX_WORDS: usize = 500;

/// Where a failure was met.
#[derive(Clone, Debug)]
pub(crate) struct Place {
    pub(super) manner: &'static Manner,
    pub(super) provider: String,
    pub(super) base_url: String,
    pub(super) model: Option<String>,
}

impl Place {
    fn fault(&self, code: ErrorCode, what: &str) -> Fault {
        let model = self.model.as_ref().map(|model| format!(", model `{model}`")).unwrap_or_default();
        let retryable = crate::providers::is_retryable(&code);
        let mut fault = Fault::new(code, format!("`{}` at {}{model}: {what}.", self.provider, self.base_url));
        fault.retryable = retryable;
        fault
    }

    /// The request did not get through, or got no answer.
    pub(super) fn transport(&self, error: &reqwest::Error) -> Fault {
        if error.is_timeout() {
            return self
                .fault(ErrorCode::ProviderTimeout, "could not connect in time")
                .hint(self.start_hint());
        }
        if error.is_connect() {
            return self
                .fault(ErrorCode::ProviderUnreachable, &format!("can't be reached ({})", innermost(error)))
                .hint(self.start_hint());
        }
        self.transport_midway(error)
    }

    /// The connection broke while an answer was read.
    pub(super) fn transport_midway(&self, error: &reqwest::Error) -> Fault {
        let is_garbled = causes(error).any(|cause| {
            let head = cause
                .downcast_ref::<hyper::Error>()
                .is_some_and(|error| error.is_parse() && !error.is_incomplete_message());
            // How the framing of a body is wrong is told by an I/O error's kind alone.
            let body = cause.downcast_ref::<io::Error>().map(io::Error::kind);
            head || matches!(body, Some(io::ErrorKind::InvalidInput | io::ErrorKind::InvalidData))
        });
        if is_garbled {
            self.garbage("sent what is no HTTP", &innermost(error))
        } else {
            self.fault(
                ErrorCode::ProviderCutShort,
                &format!("closed the connection before its answer was whole ({})", innermost(error)),
            )
            .hint("Try again; if it stays so, look at the server's log.")
        }
    }

    /// Nothing came for `patience`.
    pub(super) fn timeout(&self, what: &str, patience: Duration) -> Fault {
        self.fault(ErrorCode::ProviderTimeout, &format!("{what} for {}", shown(patience)))
            .hint("Try again, or allow it more time in the provider's settings.")
    }

    /// The stream ended before the reply did.
    pub(crate) fn cut_short(&self, text: &str) -> Fault {
        self.fault(ErrorCode::ProviderCutShort, "the stream ended before the reply did")
            .hint("Try again; if it stays so, look at the server's log.")
            .details(serde_json::json!({ "received": text.chars().count() }))
    }

    /// What was to be sent can't be written.
    pub(super) fn unwritable(&self, error: &serde_json::Error) -> Fault {
        self.fault(ErrorCode::ProviderBadRequest, &format!("can't be asked that ({error})"))
            .hint("Look at the options of this call.")
    }

    /// What came can't be read.
    pub(crate) fn not_the_protocol(&self, excerpt: &str) -> Fault {
        self.garbage("sent what is not of the protocol", excerpt)
    }

    /// It is not the protocol.
    pub(crate) fn garbage(&self, what: &str, excerpt: &str) -> Fault {
        let words = clipped(excerpt);
        let said = if words.is_empty() { String::new() } else { format!(": {words}") };
        self.fault(ErrorCode::ProviderInvalidResponse, &format!("{what}{said}"))
            .hint(format!("Is this the base URL of {}? {}", self.manner.server, self.manner.base_url))
    }

    /// The model, or a filter before it, would not answer.
    pub(crate) fn content_filtered(&self, what: &str) -> Fault {
        self.fault(ErrorCode::ProviderContentFiltered, &clipped(what))
            .hint("Say it differently, or use another model.")
    }

    /// The server answered with a status that is no success.
    pub(super) fn status(&self, status: StatusCode, headers: &HeaderMap, body: &str) -> Fault {
        let parsed: Option<Value> = serde_json::from_str(body).ok();
        let (code, words) = words(parsed.as_ref(), body);
        let said = if words.is_empty() {
            format!("answered {status}")
        } else {
            format!("answered {status}: {words}")
        };
        if status.is_redirection() {
            let to = headers.get(LOCATION).and_then(|to| to.to_str().ok()).unwrap_or("somewhere else");
            return self
                .fault(ErrorCode::ProviderBadSettings, &format!("sends elsewhere, to {to}"))
                .hint("Set the base URL to where it really is.");
        }
        let asked = retry_after(headers).or_else(|| retry_info(parsed.as_ref()?));
        self.by_status(status.as_u16(), code.as_deref(), &said, asked)
    }

    /// The server told of an error within a stream that had begun well.
    pub(crate) fn told(&self, error: &Value) -> Fault {
        let whole = serde_json::json!({ "error": error });
        let (code, words) = words(Some(&whole), "");
        let status = ["code", "status", "status_code"].iter().find_map(|key| error.get(key)?.as_u64());
        let status =
            status.and_then(|status| u16::try_from(status).ok()).filter(|status| (400..600).contains(status));
        let status = status.unwrap_or_else(|| code.as_deref().map_or(500, status_of));
        self.by_status(status, code.as_deref(), &format!("broke off: {words}"), retry_info(&whole))
    }

    fn by_status(&self, status: u16, code: Option<&str>, said: &str, asked_to_wait: Option<u64>) -> Fault {
        let mut fault = self.sorted(status, code, said);
        fault.retry_after_ms = asked_to_wait.filter(|_| fault.retryable);
        fault
    }

    fn sorted(&self, status: u16, code: Option<&str>, said: &str) -> Fault {
        match (status, code) {
            (_, Some("content_filter" | "content_policy_violation" | "ResponsibleAIPolicyViolation")) => {
                self.content_filtered(said)
            }
            // Gemini says 400 to a key that is wrong.
            (401 | 403, _) | (_, Some("API_KEY_INVALID")) => {
                self.fault(ErrorCode::ProviderUnauthorized, said).hint(format!(
                    "Check the key of `{}` in the settings or the environment, and what it may be used for.",
                    self.provider
                ))
            }
            (402, _) | (_, Some("insufficient_quota")) => {
                let mut fault = self.fault(ErrorCode::ProviderRateLimited, said);
                fault.retryable = false;
                fault.hint("The account has no credit left; add some.")
            }
            (404, _) => self.fault(ErrorCode::ProviderNotFound, said).hint(match &self.model {
                Some(model) => format!(
                    "Does it have the model `{model}`, and is the base URL right? {}",
                    self.manner.base_url
                ),
                None => format!("Is the base URL right? {}", self.manner.base_url),
            }),
            (408, _) => self.fault(ErrorCode::ProviderTimeout, said).hint("Try again."),
            (425 | 429, _) => self
                .fault(ErrorCode::ProviderRateLimited, said)
                .hint("Wait a little, or let the node retry with more patience."),
            (529, _) | (500..=599, Some("overloaded_error")) => self.fault(ErrorCode::ProviderOverloaded, said).hint(
                "Too many people ask it just now: wait a little, or let the node retry with more patience.",
            ),
            (500..=599, _) => self
                .fault(ErrorCode::ProviderServerError, said)
                .hint("Try again; if it stays so, look at the server's log."),
            _ => self
                .fault(ErrorCode::ProviderBadRequest, said)
                .hint("The server did not like the request; its own words say why."),
        }
    }

    fn start_hint(&self) -> String {
        format!("Is the server running? Check the base URL of `{}` in the settings.", self.provider)
    }
}

/// The status that the code of an error within a stream stands for.
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

/// An error's code and words, in the shapes servers give them: `{error: {message, code, type, status}}`, `{error: text}`,
/// `{message}`, `{detail}`, any of them as the first of a list, or plain text.
fn words(parsed: Option<&Value>, body: &str) -> (Option<String>, String) {
    let Some(parsed) = parsed else { return (None, clipped(body)) };
    let error = error_of(parsed);
    let text = |value: &Value| value.as_str().map(str::to_owned);
    // Google's reason is more exact than its status.
    let reason = details(error).find_map(|detail| detail.get("reason").and_then(text));
    let code =
        reason.or_else(|| ["code", "type", "status"].iter().find_map(|key| error.get(key).and_then(text)));
    let message = ["message", "detail", "error"].iter().find_map(|key| error.get(key).and_then(text));
    let words = message.or_else(|| text(error)).unwrap_or_else(|| error.to_string());
    (code, clipped(&words))
}

fn error_of(parsed: &Value) -> &Value {
    let parsed = parsed.get(0).unwrap_or(parsed);
    parsed.get("error").filter(|error| !error.is_null()).unwrap_or(parsed)
}

/// Google's notes on an error.
fn details(error: &Value) -> impl Iterator<Item = &Value> {
    error.get("details").and_then(Value::as_array).into_iter().flatten()
}

/// What Google asks to wait, in milliseconds: it says so in the body, as `"34.5s"`.
fn retry_info(parsed: &Value) -> Option<u64> {
    let delay = details(error_of(parsed)).find_map(|detail| detail.get("retryDelay")?.as_str())?;
    milliseconds(delay.trim().strip_suffix('s')?)
}

/// A text of seconds, in milliseconds.
fn milliseconds(seconds: &str) -> Option<u64> {
    let seconds = Duration::try_from_secs_f64(seconds.parse().ok()?).ok()?;
    u64::try_from(seconds.as_millis()).ok()
}

/// One line, not too long, without a full stop at its end: it stands within a sentence.
fn clipped(text: &str) -> String {
    let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    let mut clipped: String = line.chars().take(MAX_WORDS).collect();
    if clipped.len() < line.len() {
        clipped.push('…');
    }
    clipped.trim_end_matches('.').to_owned()
}

/// What a server asks to wait, in milliseconds: its own header for that, or seconds, or a date.
fn retry_after(headers: &HeaderMap) -> Option<u64> {
    let text = |name: &str| headers.get(name).and_then(|value| value.to_str().ok()).map(str::trim);
    if let Some(milliseconds) = text("retry-after-ms").and_then(|text| text.parse().ok()) {
        return Some(milliseconds);
    }
    let value = text(RETRY_AFTER.as_str())?;
    milliseconds(value).or_else(|| {
        // A moment that is past by this machine's clock is now.
        let left =
            httpdate::parse_http_date(value).ok()?.duration_since(SystemTime::now()).unwrap_or_default();
        u64::try_from(left.as_millis()).ok()
    })
}

/// What caused an error, the innermost last.
fn causes(error: &reqwest::Error) -> impl Iterator<Item = &(dyn Error + 'static)> {
    std::iter::successors(error.source(), |&error| error.source())
}

pub(super) fn innermost(error: &reqwest::Error) -> String {
    causes(error).last().map_or_else(|| error.to_string(), ToString::to_string)
}

fn shown(patience: Duration) -> String {
    if patience.subsec_millis() == 0 {
        format!("{} s", patience.as_secs())
    } else {
        format!("{} ms", patience.as_millis())
    }
}
