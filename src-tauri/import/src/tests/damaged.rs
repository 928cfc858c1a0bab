//! Damaged files: cut, with bytes exchanged, and with values taken out, exchanged and repeated. Importing one is an error or a
//! flow, and never a panic.

use fastrand::Rng;
use serde_json::Value;

use super::{fixtures, import};
use plait_core::flow;
use plait_formats::foreign::{Format, source};

const MUTATIONS_PER_FILE: usize = 4;

fn import_any(text: &str, format: Format) {
    for forced in [None, Some(format)] {
        if let Ok(imported) = import(text, forced, "damaged") {
            let written = flow::write(&imported.flow).unwrap();
            assert!(flow::read(&written).is_ok() || imported.flow.nodes.is_empty(), "{text}");
        }
    }
}

/// A value somewhere in a document.
fn pick<'v>(value: &'v mut Value, rng: &mut Rng) -> &'v mut Value {
    let count = match value {
        Value::Array(items) => items.len(),
        Value::Object(entries) => entries.len(),
        _ => 0,
    };
    if count == 0 || rng.u8(..) < 40 {
        return value;
    }
    let at = rng.usize(..count);
    match value {
        Value::Array(items) => pick(&mut items[at], rng),
        Value::Object(entries) => match entries.values_mut().nth(at) {
            Some(inner) => pick(inner, rng),
            None => unreachable!("it has so many entries"),
        },
        _ => unreachable!("it has entries"),
    }
}

fn damage(document: &mut Value, rng: &mut Rng) {
    let donor = pick(document, rng).clone();
    let target = pick(document, rng);
    match rng.u8(..6) {
        0 => *target = Value::Null,
        1 => *target = donor,
        2 => *target = Value::from(rng.i64(..)),
        3 => *target = "{{#a.b#}} {{ $json.x }} {y} {{".into(),
        4 => {
            if let Value::Array(items) = target {
                items.extend(items.clone());
            }
        }
        _ => {
            if let Value::Object(entries) = target
                && let Some(key) = entries.keys().next().cloned()
            {
                entries.remove(&key);
            }
        }
    }
}

#[test]
fn damaged_files_never_panic() {
    let mut rng = Rng::with_seed(7);
    for format in Format::ALL {
        for file in fixtures(format) {
            let text = std::fs::read_to_string(&file).unwrap();
            let document = source::read(&text).unwrap();
            for _ in 0..MUTATIONS_PER_FILE {
                let mut damaged = document.clone();
                for _ in 0..rng.usize(1..5) {
                    damage(&mut damaged, &mut rng);
                }
                import_any(&damaged.to_string(), format);
            }
            for _ in 0..2 {
                let cut = text.floor_char_boundary(rng.usize(..text.len()));
                import_any(&text[..cut], format);
                let mut bytes = text.clone().into_bytes();
                for _ in 0..3 {
                    let at = rng.usize(..bytes.len());
                    bytes[at] = rng.u8(b' '..b'~');
                }
                import_any(&String::from_utf8_lossy(&bytes), format);
            }
        }
    }
}
