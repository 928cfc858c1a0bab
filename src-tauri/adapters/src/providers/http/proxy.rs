//! The proxy that requests to a server go through, as the environment names it. The HTTP client reads the same
//! variables, and silently ignores values that it can't use; this module refuses them.

use hyper::Uri;
use hyper_util::client::proxy::matcher::Matcher;
use reqwest::Url;

/// The proxy of the environment for a server.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum ProxySetting {
    /// Requests go directly to the server.
    Direct,
    /// Requests go through this proxy.
    Proxy {
        /// The variable that names it.
        variable: String,
        /// Its URL, without a password.
        url: String,
    },
    /// A variable names a proxy that can't be used, so nothing is sent.
    Unusable {
        variable: String,
        /// Why, to follow the name of the variable in a sentence.
        why: String,
    },
}

impl ProxySetting {
    /// That for a server at `base_url`, where `variable` returns the value of an environment variable.
    pub(super) fn read(base_url: &str, variable: impl Fn(&str) -> Option<String>) -> Self {
        let value_of = |name: &str| {
            variable(name).map(|value| value.trim().to_owned()).filter(|value| !value.is_empty())
        };
        let first =
            |names: [&'static str; 2]| names.into_iter().find_map(|name| Some((name, value_of(name)?)));
        let Ok(target) = base_url.parse::<Uri>() else { return Self::Direct };
        let names = if target.scheme_str() == Some("https") {
            ["HTTPS_PROXY", "https_proxy"]
        } else {
            ["HTTP_PROXY", "http_proxy"]
        };
        let Some((name, value)) = first(names).or_else(|| first(["ALL_PROXY", "all_proxy"])) else {
            return Self::Direct;
        };
        let excluded = first(["NO_PROXY", "no_proxy"]).map(|(_, hosts)| hosts).unwrap_or_default();
        // Any proxy does to find out which hosts go without one.
        let is_excluded =
            || Matcher::builder().all("http://proxy").no(excluded).build().intercept(&target).is_none();
        if is_excluded() {
            return Self::Direct;
        }
        let full = if value.contains("://") { value } else { format!("http://{value}") };
        let unusable = |why: &str| Self::Unusable { variable: name.to_owned(), why: why.to_owned() };
        match Url::parse(&full) {
            Err(error) => unusable(&format!("is no URL of a proxy ({error})")),
            Ok(url) if !matches!(url.scheme(), "http" | "https") => unusable(&format!(
                "names a proxy of the scheme `{}`, and Plait can use those of http and https only",
                url.scheme()
            )),
            Ok(mut url) => {
                // These fail only for URLs that can't have user info, and http URLs can.
                let _ = url.set_username("").and_then(|()| url.set_password(None));
                let url = url.as_str().trim_end_matches('/').to_owned();
                Self::Proxy { variable: name.to_owned(), url }
            }
        }
    }
}

#[cfg(test)]
mod tests;
