//! The options of a call: provider-specific fields that are added to the request unchanged. Rejects options that would
//! override fields Plait itself sets.

use plait_core::error::Fault;
use serde_json::{Map, Value};

use crate::codes;

/// The one option Plait interprets itself: whether the provider may store the conversation.
const SESSION: &str = "session";

/// The fields that the options add to a request, in order; `reserved` are the keys, or paths of two keys, that Plait itself sets. Fault
/// `provider.bad_options`.
pub(crate) fn options<'a>(
    options: &'a Value,
    reserved: &[&str],
) -> Result<impl Iterator<Item = (&'a String, &'a Value)>, Fault> {
    let options = as_object(options)?;
    if let Some(key) = options.and_then(|options| reserved.iter().find(|key| has(options, key))) {
        return Err(bad_options(&format!("`{key}` is set by Plait")));
    }
    Ok(options.into_iter().flatten().filter(|(key, _)| *key != SESSION))
}

/// Whether there is a value at a key, or at a path of two keys with a dot between.
fn has(options: &Map<String, Value>, key: &str) -> bool {
    match key.split_once('.') {
        None => options.contains_key(key),
        Some((outer, inner)) => options.get(outer).is_some_and(|value| value.get(inner).is_some()),
    }
}

/// Adds the options to the `body` of a request, replacing existing fields. The object at the key `merged` is merged with
/// Plait's own fields there. Fault `provider.bad_options`.
pub(crate) fn add_options(
    body: &mut Map<String, Value>,
    call_options: &Value,
    reserved: &[&str],
    merged: &str,
) -> Result<(), Fault> {
    for (key, value) in options(call_options, reserved)? {
        match (body.get_mut(key), value) {
            (Some(Value::Object(ours)), Value::Object(theirs)) if key == merged => {
                ours.extend(theirs.clone());
            }
            _ => drop(body.insert(key.clone(), value.clone())),
        }
    }
    Ok(())
}

/// Whether the options ask for a session, if they say. A protocol without sessions ignores this: a session saves traffic
/// and changes no reply. Fault `provider.bad_options`.
pub(crate) fn wants_session(options: &Value) -> Result<Option<bool>, Fault> {
    match as_object(options)?.and_then(|options| options.get(SESSION)) {
        None | Some(Value::Null) => Ok(None),
        Some(Value::Bool(wanted)) => Ok(Some(*wanted)),
        Some(_) => Err(bad_options("`session` must be true or false")),
    }
}

fn as_object(options: &Value) -> Result<Option<&Map<String, Value>>, Fault> {
    match options {
        Value::Null => Ok(None),
        Value::Object(fields) => Ok(Some(fields)),
        _ => Err(bad_options("they must be an object")),
    }
}

fn bad_options(why: &str) -> Fault {
    Fault::new(codes::PROVIDER_BAD_OPTIONS, format!("The options of this call are invalid: {why}."))
        .hint("They are added to the request unchanged, for example {\"top_p\": 0.9}.")
}
