//! How long a server wants to be left alone, in milliseconds: from its headers, or from what its error says.

use std::time::{Duration, SystemTime};

use reqwest::StatusCode;
use reqwest::header::{HeaderMap, RETRY_AFTER};
use serde_json::Value;

/// Rate limits that are longer than this are seldom those that a single request exceeds.
const SHORT_LIMIT_MS: u64 = 60_000;
const RESET_PREFIX: &str = "x-ratelimit-reset";
const REMAINING_PREFIX: &str = "x-ratelimit-remaining";
/// The words before the delay in the message of an error.
const INTRODUCTIONS: [&str; 4] = ["try again in", "try again after", "retry in", "retry after"];

/// From `retry-after-ms`, or from `retry-after` in seconds or as a date.
pub(super) fn of_headers(headers: &HeaderMap) -> Option<u64> {
    if let Some(milliseconds) = text(headers, "retry-after-ms").and_then(|text| text.parse().ok()) {
        return Some(milliseconds);
    }
    let value = text(headers, RETRY_AFTER.as_str())?;
    value.parse().ok().and_then(seconds_to_ms).or_else(|| {
        let date = httpdate::parse_http_date(value).ok()?;
        Some(until(date))
    })
}

/// From the details of Google's errors, as `"34.5s"`.
pub(super) fn of_google<'a>(mut details: impl Iterator<Item = &'a Value>) -> Option<u64> {
    let delay = details.find_map(|detail| detail.get("retryDelay")?.as_str())?;
    seconds_to_ms(delay.trim().strip_suffix('s')?.parse().ok()?)
}

/// Of a request that exceeded a rate limit: from the message, such as "try again in 2.5s", else from the headers about the limits.
pub(super) fn of_rate_limit(status: StatusCode, headers: &HeaderMap, message: &str) -> Option<u64> {
    if status != StatusCode::TOO_MANY_REQUESTS {
        return None;
    }
    of_message(message).or_else(|| of_reset_headers(headers))
}

/// From the message of an error.
pub(super) fn of_message(message: &str) -> Option<u64> {
    let message = message.to_ascii_lowercase();
    INTRODUCTIONS.iter().find_map(|introduction| {
        let (_, rest) = message.split_once(introduction)?;
        parse_duration(rest)
    })
}

/// From the headers `x-ratelimit-reset-*`, of the limits that leave nothing as far as `x-ratelimit-remaining-*` says.
fn of_reset_headers(headers: &HeaderMap) -> Option<u64> {
    let resets: Vec<(u64, bool)> = headers
        .iter()
        .filter_map(|(name, value)| {
            let limit = name.as_str().strip_prefix(RESET_PREFIX)?;
            let reset = parse_reset(value.to_str().ok()?.trim())?;
            let left = text(headers, &format!("{REMAINING_PREFIX}{limit}"))
                .and_then(|left| left.parse::<f64>().ok());
            Some((reset, left.is_none_or(|left| left <= 0.0)))
        })
        .collect();
    let all = || resets.iter().map(|(reset, _)| *reset);
    resets
        .iter()
        .filter_map(|(reset, is_spent)| is_spent.then_some(*reset))
        .max()
        // What is left is too little for the request.
        .or_else(|| all().filter(|reset| *reset <= SHORT_LIMIT_MS).max())
        .or_else(|| all().min())
}

/// A duration, seconds, or a time in seconds or milliseconds since 1970.
fn parse_reset(value: &str) -> Option<u64> {
    const SECONDS_OF_2001: f64 = 1e9;
    const MILLISECONDS_OF_2001: f64 = 1e12;
    let Ok(number) = value.parse::<f64>() else { return parse_duration(value) };
    if number < SECONDS_OF_2001 {
        return seconds_to_ms(number);
    }
    let seconds = if number < MILLISECONDS_OF_2001 { number } else { number / 1_000.0 };
    let since_epoch = Duration::try_from_secs_f64(seconds).ok()?;
    Some(until(SystemTime::UNIX_EPOCH.checked_add(since_epoch)?))
}

/// The duration at the start of a text, such as `2.5s`, `1m26.4s`, `350ms` or `5 seconds`. A number without a unit is in seconds.
fn parse_duration(text: &str) -> Option<u64> {
    let (mut seconds, mut rest) = (None, text);
    loop {
        let number_start = rest.trim_start();
        let end = number_start
            .find(|char: char| !char.is_ascii_digit() && char != '.')
            .unwrap_or(number_start.len());
        // A period at the end is that of the sentence.
        let number = number_start[..end].trim_end_matches('.');
        let Ok(number) = number.parse::<f64>() else { break };
        let unit_start = number_start[end..].trim_start();
        let unit_end = unit_start.find(|char: char| !char.is_ascii_alphabetic()).unwrap_or(unit_start.len());
        let unit = match &unit_start[..unit_end] {
            "ms" | "millisecond" | "milliseconds" => 0.001,
            "s" | "sec" | "secs" | "second" | "seconds" => 1.0,
            "m" | "min" | "mins" | "minute" | "minutes" => 60.0,
            "h" | "hr" | "hrs" | "hour" | "hours" => 3_600.0,
            "d" | "day" | "days" => 86_400.0,
            _ if seconds.is_none() => {
                seconds = Some(number);
                break;
            }
            _ => break,
        };
        seconds = Some(seconds.unwrap_or(0.0) + number * unit);
        rest = &unit_start[unit_end..];
    }
    seconds_to_ms(seconds?)
}

/// A time that is past by this machine's clock means no delay.
fn until(time: SystemTime) -> u64 {
    let remaining = time.duration_since(SystemTime::now()).unwrap_or_default();
    u64::try_from(remaining.as_millis()).unwrap_or(u64::MAX)
}

fn seconds_to_ms(seconds: f64) -> Option<u64> {
    u64::try_from(Duration::try_from_secs_f64(seconds).ok()?.as_millis()).ok()
}

fn text<'a>(headers: &'a HeaderMap, name: &str) -> Option<&'a str> {
    headers.get(name).and_then(|value| value.to_str().ok()).map(str::trim)
}

#[cfg(test)]
mod tests;
