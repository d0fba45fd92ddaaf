//! What a mistyped name was probably meant to be.

/// The candidate with the fewest slips of the pen, if they are few for a name of that length.
pub fn nearest<'c>(text: &str, candidates: impl Iterator<Item = &'c str>) -> Option<&'c str> {
    let letters: Vec<char> = text.to_lowercase().chars().take(65).collect();
    let slips_max = match letters.len() {
        0..=2 => 0,
        3..=5 => 1,
        6..=64 => 2,
        _ => return None,
    };
    let scored = candidates.filter_map(|candidate| {
        let other: Vec<char> = candidate.chars().take(65).collect();
        if other.len().abs_diff(letters.len()) > slips_max {
            return None;
        }
        Some((slips(&letters, &other), candidate))
    });
    let best = scored.filter(|(slips, _)| *slips <= slips_max).min_by_key(|(slips, _)| *slips);
    best.map(|(_, candidate)| candidate)
}

/// Letters inserted, left out, replaced, or swapped with their neighbour.
fn slips(left: &[char], right: &[char]) -> usize {
    let width = right.len() + 1;
    let mut cost = vec![0; (left.len() + 1) * width];
    for (column, cell) in cost[..width].iter_mut().enumerate() {
        *cell = column;
    }
    for row in 1..=left.len() {
        cost[row * width] = row;
        for column in 1..width {
            let (a, b) = (left[row - 1], right[column - 1]);
            let here = row * width + column;
            let changed = cost[here - width - 1] + usize::from(a != b);
            let mut best = changed.min(cost[here - width] + 1).min(cost[here - 1] + 1);
            if row > 1 && column > 1 && a == right[column - 2] && left[row - 2] == b {
                best = best.min(cost[here - 2 * width - 2] + 1);
            }
            cost[here] = best;
        }
    }
    cost[cost.len() - 1]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slips_of_the_pen_are_understood() {
        let names = ["code-review", "commit-message", "pdf"];
        for (text, expect) in [
            ("code-reveiw", Some("code-review")),
            ("CodeReview", Some("code-review")),
            ("comit-mesage", Some("commit-message")),
            ("pfd", Some("pdf")),
            ("px", None),
            ("something-else", None),
            ("", None),
        ] {
            assert_eq!(nearest(text, names.into_iter()), expect, "{text}");
        }
    }
}
