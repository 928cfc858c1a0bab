//! How often a breakpoint has to be reached before it stops.

use std::str::FromStr;

/// A condition on how often a breakpoint was reached, this time included.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum HitCondition {
    Equal(u64),
    AtLeast(u64),
    AtMost(u64),
    Multiple(u64),
}

impl HitCondition {
    pub(crate) fn holds(self, hits: u64) -> bool {
        match self {
            Self::Equal(count) => hits == count,
            Self::AtLeast(count) => hits >= count,
            Self::AtMost(count) => hits <= count,
            Self::Multiple(count) => hits.is_multiple_of(count),
        }
    }
}

impl FromStr for HitCondition {
    type Err = String;

    /// Reads `N`, which is that of other debuggers: from the N-th time on; `== N`, `>= N`, `> N`, `<= N`, `< N` or `% N`.
    fn from_str(text: &str) -> Result<Self, String> {
        let text = text.trim();
        let digits = text.trim_start_matches(|char: char| !char.is_ascii_digit());
        let operator = text[..text.len() - digits.len()].trim();
        let count = digits.parse().ok().filter(|count| *count > 0);
        let wrong =
            || format!("`{text}` is no count: write `3`, `== 3`, `>= 3`, `> 3`, `<= 3`, `< 3` or `% 3`.");
        let count: u64 = count.ok_or_else(wrong)?;
        match operator {
            "" | ">=" => Ok(Self::AtLeast(count)),
            "=" | "==" => Ok(Self::Equal(count)),
            ">" => Ok(Self::AtLeast(count.saturating_add(1))),
            "<=" => Ok(Self::AtMost(count)),
            "<" => Ok(Self::AtMost(count - 1)),
            "%" => Ok(Self::Multiple(count)),
            _ => Err(wrong()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_are_read_as_debuggers_write_them() {
        let held = |text: &str| {
            let condition: HitCondition = text.parse().unwrap();
            (1..=6).filter(|hits| condition.holds(*hits)).collect::<Vec<u64>>()
        };
        assert_eq!(held("5"), [5, 6]);
        assert_eq!(held("== 5"), [5]);
        assert_eq!(held(" > 4 "), [5, 6]);
        assert_eq!(held("<3"), [1, 2]);
        assert_eq!(held("<= 1"), [1]);
        assert_eq!(held("%3"), [3, 6]);
        for text in ["", "x", "0", "% 0", "-1", "1 2", "=> 3", "99999999999999999999", "é3", "5é"] {
            assert!(text.parse::<HitCondition>().is_err(), "{text}");
        }
    }
}
