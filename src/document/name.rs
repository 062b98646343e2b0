//! The name that a misspelt one was meant to be.

/// The candidate that `name` is most likely a misspelling of, if one is near.
pub fn nearest<'a>(name: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let name = name.to_lowercase();
    let length = name.chars().count();
    let allowed = (length / 3).max(1);
    candidates
        .into_iter()
        .map(|candidate| {
            let lower = candidate.to_lowercase();
            let continues =
                name.len() >= 3 && (lower.starts_with(&name) || name.starts_with(&lower));
            // Texts of very different lengths are far apart: a text of any length is soon compared.
            let difference = length.abs_diff(lower.chars().count());
            let near = continues || difference <= allowed;
            let distance = if near { strsim::osa_distance(&name, &lower) } else { difference };
            ((if continues { distance.min(1) } else { distance }, distance), candidate)
        })
        // Of one letter nothing is left that could be near.
        .filter(|((distance, changed), candidate)| {
            let shorter = length.min(candidate.chars().count());
            *distance <= allowed && (*changed < shorter || *distance < *changed)
        })
        .min_by_key(|(distances, _)| *distances)
        .map(|(_, candidate)| candidate)
}

/// "did you mean …", or all candidates where none is near.
pub fn suggestion(name: &str, candidates: &[&str]) -> Option<String> {
    const SHOWN: usize = 24;
    if let Some(nearest) = nearest(name, candidates.iter().copied()) {
        return Some(format!("did you mean `{nearest}`?"));
    }
    let shown: Vec<String> =
        candidates.iter().take(SHOWN).map(|candidate| format!("`{candidate}`")).collect();
    match candidates.len() {
        0 => None,
        n if n <= SHOWN => Some(format!("there is {}", shown.join(", "))),
        n => Some(format!("there is {} and {} more", shown.join(", "), n - SHOWN)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_nearest_name_is_near() {
        let names = ["components", "smoothing", "restarts", "tolerance"];
        assert_eq!(nearest("smothing", names), Some("smoothing"));
        assert_eq!(nearest("Restart", names), Some("restarts"));
        assert_eq!(nearest("RESTARTS", names), Some("restarts"));
        assert_eq!(nearest("restarts", ["RESTARTS"]), Some("RESTARTS"));
        assert_eq!(nearest("tol", names), Some("tolerance"));
        assert_eq!(nearest("degree", names), None);
        assert_eq!(nearest("M", ["N", "NB", "T"]), None);
        assert_eq!(nearest("NB", ["N"]), None);
        assert_eq!(nearest("n", ["N", "T"]), Some("N"));
        assert_eq!(nearest("NB", ["CL", "NBX"]), Some("NBX"));
        assert_eq!(nearest("uniform-cout", ["uniform", "uniform-count"]), Some("uniform-count"));
    }
}
