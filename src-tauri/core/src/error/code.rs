//! The type of an error code, and the macro with which each crate declares its own.

use std::borrow::Cow;
use std::fmt;

use serde::de::Visitor;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// Declares the error codes of a crate in its module `codes`: a constant for each, with its meaning and what to do about it, and
/// all of them as `DOMAINS`.
#[macro_export]
macro_rules! error_codes {
    ($($domain:literal { $($name:ident = $code:literal, $meaning:literal, $action:literal;)+ })+) => {
        $($(
            #[doc = $meaning]
            pub const $name: $crate::error::ErrorCode = $crate::error::ErrorCode::declare($code);
        )+)+

        /// The codes that this crate declares, by domain.
        pub const DOMAINS: &[$crate::error::CodeDomain] = &[$($crate::error::CodeDomain {
            title: $domain,
            codes: &[$($crate::error::CodeEntry { code: $name, meaning: $meaning, action: $action },)+],
        },)+];
    };
}

/// A stable error code, written `domain.reason`, for example `provider.unreachable`.
///
/// Each crate declares its own in its module `codes`. A journal of another version, or a script, may hold one that none declares.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct ErrorCode(Cow<'static, str>);

/// The codes of one domain, for the reference page.
#[derive(Debug)]
pub struct CodeDomain {
    /// The subject of the codes.
    pub title: &'static str,
    /// In the order in which they are declared.
    pub codes: &'static [CodeEntry],
}

/// A declared code.
#[derive(Debug)]
pub struct CodeEntry {
    /// The code itself.
    pub code: ErrorCode,
    /// What went wrong, in one sentence.
    pub meaning: &'static str,
    /// What a person can do about it.
    pub action: &'static str,
}

impl ErrorCode {
    /// A code of the table of a crate.
    pub const fn declare(code: &'static str) -> Self {
        Self(Cow::Borrowed(code))
    }

    /// The code of a string that comes from elsewhere, whether a crate declares it or not.
    pub fn from_wire(code: &str) -> Self {
        Self(Cow::Owned(code.to_owned()))
    }

    /// The string that stands for the code in journals, replies and JSON output.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The part before the dot, for example `provider`.
    pub fn domain(&self) -> &str {
        self.as_str().split_once('.').map_or(self.as_str(), |(domain, _)| domain)
    }
}

impl fmt::Display for ErrorCode {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.pad(self.as_str())
    }
}

/// Lets tests compare with the string. Other code compares with variants; a test refuses literals there.
impl PartialEq<&str> for ErrorCode {
    fn eq(&self, other: &&str) -> bool {
        self.as_str() == *other
    }
}

impl PartialEq<str> for ErrorCode {
    fn eq(&self, other: &str) -> bool {
        self.as_str() == other
    }
}

impl Serialize for ErrorCode {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.as_str())
    }
}

impl<'de> Deserialize<'de> for ErrorCode {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct CodeVisitor;

        impl Visitor<'_> for CodeVisitor {
            type Value = ErrorCode;

            fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
                formatter.write_str("an error code")
            }

            fn visit_str<E>(self, code: &str) -> Result<ErrorCode, E> {
                Ok(ErrorCode::from_wire(code))
            }
        }

        deserializer.deserialize_str(CodeVisitor)
    }
}

impl schemars::JsonSchema for ErrorCode {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> std::borrow::Cow<'static, str> {
        "ErrorCode".into()
    }

    fn json_schema(generator: &mut schemars::SchemaGenerator) -> schemars::Schema {
        String::json_schema(generator)
    }
}

/// In TypeScript, the union of the codes that the crates declare. Only who knows all crates can write it: the test that generates
/// the bindings.
impl ts_rs::TS for ErrorCode {
    type WithoutGenerics = Self;
    type OptionInnerType = Self;

    fn name(_: &ts_rs::Config) -> String {
        "ErrorCode".to_owned()
    }

    fn inline(config: &ts_rs::Config) -> String {
        Self::name(config)
    }
}
