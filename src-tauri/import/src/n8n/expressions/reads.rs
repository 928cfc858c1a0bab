//! What programs read of nodes: their items, and nothing else that n8n knows of them.

/// What stands for a node, or for what a node works on.
const SUBJECTS: [(&str, Option<char>); 5] =
    [("$(", Some(')')), ("$node[", Some(']')), ("$node.", None), ("$items(", Some(')')), ("$input", None)];
const OF_NODES: [&str; 9] =
    ["item", "json", "data", "first", "last", "all", "itemMatching", "pairedItem", "isExecuted"];
/// Properties of Luxon's dates that `runtime/dates.js` has not.
const OF_DATES: [&str; 14] = [
    "zoneName",
    "zone",
    "offset",
    "offsetNameShort",
    "offsetNameLong",
    "isInDST",
    "isInLeapYear",
    "isOffsetFixed",
    "weekYear",
    "weeksInWeekYear",
    "daysInYear",
    "locale",
    "invalidReason",
    "invalidExplanation",
];

/// What a program reads of a node beside its items, such as its settings, or of an output or a run that it chooses.
pub(super) fn unreachable_read(source: &str) -> Option<String> {
    if source.contains("$now") || source.contains("$today") || source.contains("DateTime.") {
        let found = OF_DATES.iter().find(|name| {
            let mut places = source.match_indices(*name);
            places.any(|(at, _)| source[..at].ends_with('.') && !begins_with_name(&source[at + name.len()..]))
        });
        if let Some(name) = found {
            return Some(format!(".{name}"));
        }
    }
    // Of the workflow, only its name is known.
    let of_workflow = source.match_indices("$workflow.").map(|(at, word)| &source[at + word.len()..]);
    for rest in of_workflow {
        let end = rest.find(|one| !is_part(one)).unwrap_or(rest.len());
        if &rest[..end] != "name" {
            return Some(format!("$workflow.{}", &rest[..end]));
        }
    }
    SUBJECTS.iter().find_map(|(subject, close)| {
        source.match_indices(subject).find_map(|(at, _)| {
            let rest = &source[at + subject.len()..];
            match (*subject, close) {
                ("$items(", _) => chosen_output(rest),
                (_, Some(close)) => {
                    let end = super::quoted_end(rest)?;
                    property(rest[end..].trim_start().strip_prefix(*close)?)
                }
                ("$node.", None) => property(rest.trim_start_matches(is_part)),
                _ => property(rest),
            }
        })
    })
}

/// The output in `$items("Node", 1)`, unless it is the first one.
fn chosen_output(rest: &str) -> Option<String> {
    let end = super::quoted_end(rest)?;
    let arguments = rest[end..].trim_start().strip_prefix(',')?;
    let arguments = arguments.split(')').next().unwrap_or_default();
    (arguments.trim() != "0").then(|| format!("$items(…, {})", arguments.trim()))
}

/// The property that follows a node, unless it is of its items.
fn property(rest: &str) -> Option<String> {
    let dotted = rest.strip_prefix("?.").or_else(|| rest.strip_prefix('.'));
    let (name, after) = if let Some(rest) = dotted {
        let end = rest.find(|one| !is_part(one)).unwrap_or(rest.len());
        (&rest[..end], &rest[end..])
    } else {
        let inner = rest.strip_prefix('[')?;
        let end = super::quoted_end(inner)?;
        (inner[..end].trim().trim_matches(['"', '\'', '`']), &inner[end..])
    };
    if !OF_NODES.contains(&name) {
        return Some(format!(".{name}"));
    }
    let arguments = after.strip_prefix('(').filter(|_| ["first", "last", "all"].contains(&name))?;
    let arguments = arguments.split(')').next().unwrap_or_default().trim();
    (!arguments.is_empty()).then(|| format!(".{name}({arguments})"))
}

fn is_part(one: char) -> bool {
    one.is_alphanumeric() || matches!(one, '_' | '$')
}

fn begins_with_name(rest: &str) -> bool {
    rest.starts_with(is_part)
}
