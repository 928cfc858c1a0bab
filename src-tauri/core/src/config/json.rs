//! Reading and writing values at JSON pointers.

use serde_json::{Map, Value};

/// The value at a pointer, if it is set. Null counts as not set.
pub(super) fn get<'v>(root: &'v Value, pointer: &str) -> Option<&'v Value> {
    root.pointer(pointer).filter(|value| !value.is_null())
}

/// Sets the value at a pointer and makes the objects on the way. Does nothing where something else than an object is on the way.
pub(super) fn set(root: &mut Value, pointer: &str, value: Value) {
    let mut at = root;
    let mut parts = pointer.split('/').skip(1).peekable();
    while let Some(part) = parts.next() {
        if at.is_null() {
            *at = Value::Object(Map::new());
        }
        let Value::Object(object) = at else { return };
        if parts.peek().is_none() {
            object.insert(part.to_owned(), value);
            return;
        }
        at = object.entry(part).or_insert(Value::Null);
    }
}
