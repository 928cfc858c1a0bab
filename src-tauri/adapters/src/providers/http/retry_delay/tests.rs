use reqwest::header::{HeaderName, HeaderValue};

use super::*;

#[test]
fn message_of_a_rate_limit_says_when_to_try_again() {
    for (message, expected) in [
        ("Rate limit reached. Please try again in 2.5s. Visit the site.", Some(2_500)),
        ("Please try again in 1m26.4s.", Some(86_400)),
        ("Please try again in 350ms.", Some(350)),
        ("Try again in 20 seconds", Some(20_000)),
        ("please retry after 5.", Some(5_000)),
        ("Too many requests. Retry in 2 minutes 5 seconds, please.", Some(125_000)),
        ("Please retry in 34.074824224s.", Some(34_074)),
        ("You can try again in a moment.", None),
        ("Try again in 1e300 s", Some(1_000)),
        ("Too many requests", None),
    ] {
        assert_eq!(of_message(message), expected, "{message}");
    }
}

fn headers(all: &[(&str, &str)]) -> HeaderMap {
    let pair = |(name, value): &(&str, &str)| {
        (HeaderName::try_from(*name).unwrap(), HeaderValue::from_str(value).unwrap())
    };
    all.iter().map(pair).collect()
}

#[test]
fn headers_about_limits_say_when_the_spent_one_is_reset() {
    let (reset_requests, left_requests) = ("x-ratelimit-reset-requests", "x-ratelimit-remaining-requests");
    let (reset_tokens, left_tokens) = ("x-ratelimit-reset-tokens", "x-ratelimit-remaining-tokens");
    for (all, expected) in [
        (vec![(reset_requests, "3s")], Some(3_000)),
        (vec![(reset_requests, "17ms"), (reset_tokens, "6m0s")], Some(360_000)),
        (
            vec![(reset_requests, "17ms"), (left_requests, "9"), (reset_tokens, "4.2"), (left_tokens, "0")],
            Some(4_200),
        ),
        (
            vec![(reset_requests, "24h"), (left_requests, "9"), (reset_tokens, "4s"), (left_tokens, "50")],
            Some(4_000),
        ),
        (vec![(reset_requests, "24h"), (left_requests, "9")], Some(86_400_000)),
        (vec![("x-ratelimit-reset", "1445412480000")], Some(0)),
        (vec![("x-ratelimit-reset", "soon")], None),
        (vec![], None),
    ] {
        let given = headers(&all);
        assert_eq!(of_rate_limit(StatusCode::TOO_MANY_REQUESTS, &given, ""), expected, "{all:?}");
        assert_eq!(of_rate_limit(StatusCode::INTERNAL_SERVER_ERROR, &given, ""), None, "{all:?}");
    }
    let both = headers(&[(reset_requests, "3s")]);
    assert_eq!(of_rate_limit(StatusCode::TOO_MANY_REQUESTS, &both, "Try again in 1s."), Some(1_000));
}
