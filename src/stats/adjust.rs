//! Corrections for several comparisons.

/// Correction for several comparisons.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Correction {
    /// None.
    None,
    /// Bonferroni: p times the number of comparisons. Bounds the chance of any false discovery.
    Bonferroni,
    /// Holm's step-down (Scandinavian Journal of Statistics 6, 1979): the same bound, more power.
    Holm,
    /// Benjamini and Hochberg's step-up (JRSS B 57, 1995): bounds the expected share of false
    /// discoveries, for independent or positively dependent comparisons.
    BenjaminiHochberg,
}

/// The p-values of one family of comparisons after `correction`, in the order given and at most 1:
/// to be compared with the level that the whole family is to keep. A NaN (a comparison that could
/// not be made) stays NaN and does not count as a member of the family.
pub fn adjust(p: &[f64], correction: Correction) -> Vec<f64> {
    let mut adjusted = p.to_vec();
    let mut order: Vec<usize> = (0..p.len()).filter(|&index| !p[index].is_nan()).collect();
    order.sort_by(|&a, &b| p[a].total_cmp(&p[b]));
    let family = order.len();
    match correction {
        Correction::None => {}
        Correction::Bonferroni => {
            for &index in &order {
                adjusted[index] = (p[index] * family as f64).min(1.0);
            }
        }
        Correction::Holm => {
            let mut largest = 0.0_f64;
            for (place, &index) in order.iter().enumerate() {
                largest = largest.max(p[index] * (family - place) as f64);
                adjusted[index] = largest.min(1.0);
            }
        }
        Correction::BenjaminiHochberg => {
            let mut smallest = 1.0_f64;
            for (place, &index) in order.iter().enumerate().rev() {
                smallest = smallest.min(p[index] * family as f64 / (place + 1) as f64);
                adjusted[index] = smallest;
            }
        }
    }
    adjusted
}
