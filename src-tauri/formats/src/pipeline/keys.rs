//! The keys of each part of a pipeline, from its schema.

use schemars::JsonSchema;
use serde_json::Value;

/// The keys that a part may have.
pub(super) struct Keys {
    pub(super) names: Vec<String>,
    pub(super) required: Vec<String>,
}

impl Keys {
    /// The keys of `T`. Those of a step begin with `kind`.
    pub(super) fn of<T: JsonSchema>() -> Self {
        let schema = schemars::SchemaGenerator::default().into_root_schema_for::<T>().to_value();
        let names =
            schema["properties"].as_object().into_iter().flat_map(|properties| properties.keys().cloned());
        let kind = T::schema_name().ends_with("Step").then(|| "kind".to_owned());
        let required = schema["required"].as_array().into_iter().flatten().filter_map(Value::as_str);
        Self {
            names: kind.into_iter().chain(names).collect(),
            required: required.map(str::to_owned).collect(),
        }
    }
}
