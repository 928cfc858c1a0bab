//! The type of an error code. The codes themselves are declared in [`registry`].

use std::fmt;

use serde::de::Visitor;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// Declares [`ErrorCode`]: one variant per entry, with its string, its meaning and what to do about it.
macro_rules! error_codes {
    ($($domain:literal { $($variant:ident = $code:literal, $meaning:literal, $action:literal;)+ })+) => {
        /// A stable error code, written `domain.reason`, for example `provider.unreachable`.
        #[derive(Clone, Debug, PartialEq, Eq, Hash)]
        pub enum ErrorCode {
            $($(
                #[doc = $meaning]
                $variant,
            )+)+
            /// A code that this version does not declare: from a journal of another version, or from a script.
            Unregistered(Box<str>),
        }

        impl ErrorCode {
            /// All declared codes, by domain.
            pub const DOMAINS: &[CodeDomain] = &[$(CodeDomain {
                title: $domain,
                codes: &[$(CodeEntry { code: Self::$variant, meaning: $meaning, action: $action },)+],
            },)+];

            /// The code of this string. A string that is not declared becomes [`ErrorCode::Unregistered`].
            pub fn from_wire(code: &str) -> Self {
                match code {
                    $($($code => Self::$variant,)+)+
                    other => Self::Unregistered(other.into()),
                }
            }

            /// The string that stands for the code in journals, replies and JSON output.
            pub fn as_str(&self) -> &str {
                match self {
                    $($(Self::$variant => $code,)+)+
                    Self::Unregistered(code) => code,
                }
            }
        }
    };
}

mod registry;

pub use registry::ErrorCode;

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

/// In TypeScript, the union of the declared codes.
impl ts_rs::TS for ErrorCode {
    type WithoutGenerics = Self;
    type OptionInnerType = Self;

    fn name(_: &ts_rs::Config) -> String {
        "ErrorCode".to_owned()
    }

    fn inline(_: &ts_rs::Config) -> String {
        let codes = Self::DOMAINS.iter().flat_map(|domain| domain.codes);
        let literals: Vec<_> = codes.map(|entry| format!("\"{}\"", entry.code)).collect();
        literals.join(" | ")
    }

    fn decl(config: &ts_rs::Config) -> String {
        format!("type ErrorCode = {};", Self::inline(config))
    }

    fn docs() -> Option<String> {
        Some(
            "/** The error codes that this version declares; `docs/error-codes.md` explains each. */\n"
                .to_owned(),
        )
    }

    fn output_path() -> Option<std::path::PathBuf> {
        Some("ErrorCode.ts".into())
    }
}
