//! The options of a call: whatever a particular provider understands, added to the request as it is. Owns what they may not say.

use plait_engine::error::{ErrorCode, Fault};
use serde_json::{Map, Value};

/// The one option that is Plait's own: whether the provider may keep the conversation on its side.
const SESSION: &str = "session";

/// What the options add to a request, in their order; `reserved` are the keys that Plait itself decides. Fault
/// `provider.bad_options`.
pub(crate) fn options<'a>(
    given: &'a Value,
    reserved: &[&str],
) -> Result<impl Iterator<Item = (&'a String, &'a Value)>, Fault> {
    let given = object(given)?;
    if let Some(key) = given.and_then(|given| reserved.iter().find(|key| given.contains_key(**key))) {
        return Err(bad(&format!("`{key}` is decided by Plait")));
    }
    Ok(given.into_iter().flatten().filter(|(key, _)| *key != SESSION))
}

/// Puts the options into the `body` of a request, in place of what stands there already. What they say at the key
/// `beside` is put beside what Plait says there. Fault `provider.bad_options`.
pub(crate) fn add_options(
    body: &mut Map<String, Value>,
    given: &Value,
    reserved: &[&str],
    beside: &str,
) -> Result<(), Fault> {
    for (key, value) in options(given, reserved)? {
        match (body.get_mut(key), value) {
            (Some(Value::Object(ours)), Value::Object(given)) if key == beside => ours.extend(given.clone()),
            _ => drop(body.insert(key.clone(), value.clone())),
        }
    }
    Ok(())
}

/// Whether the options want a session, where they say. A protocol that has none passes it over: a session is a saving and
/// changes no reply. Fault `provider.bad_options`.
pub(crate) fn wants_session(given: &Value) -> Result<Option<bool>, Fault> {
    match object(given)?.and_then(|given| given.get(SESSION)) {
        None | Some(Value::Null) => Ok(None),
        Some(Value::Bool(wanted)) => Ok(Some(*wanted)),
        Some(_) => Err(bad("`session` must be true or false")),
    }
}

fn object(given: &Value) -> Result<Option<&Map<String, Value>>, Fault> {
    match given {
        Value::Null => Ok(None),
        Value::Object(given) => Ok(Some(given)),
        _ => Err(bad("they must be an object")),
    }
}

fn bad(why: &str) -> Fault {
    Fault::new(ErrorCode::ProviderBadOptions, format!("The options of this call are wrong: {why}."))
        .hint("They are added to the request as they are, for example {\"top_p\": 0.9}.")
}
