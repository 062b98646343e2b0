//! Corrections for several comparisons.

base::words! {
    /// Correction for several comparisons.
    pub enum Correction {
        None = "none", "none";
        /// Bonferroni: p times the number of comparisons. Bounds the chance of any false discovery.
        Bonferroni = "bonferroni", "Bonferroni";
        /// Holm's step-down (Scandinavian Journal of Statistics 6, 1979): the same bound, more power.
        Holm = "holm", "Holm's step-down";
        /// Benjamini and Hochberg's step-up (JRSS B 57, 1995): bounds the expected share of false
        /// discoveries, for independent or positively dependent comparisons.
        BenjaminiHochberg = "benjamini-hochberg", "Benjamini and Hochberg's false discovery rate";
    }
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

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::tests::assert_close;

    #[test]
    fn corrections_agree_with_statsmodels() {
        // statsmodels.stats.multitest.multipletests(p, method="bonferroni" | "holm" | "fdr_bh")[1]
        let p = [0.01, 0.04, 0.03, 0.005, 0.9, 0.03];
        for (correction, expected) in [
            (Correction::None, p),
            (Correction::Bonferroni, [0.06, 0.24, 0.18, 0.03, 1.0, 0.18]),
            (Correction::Holm, [0.05, 0.12, 0.12, 0.03, 0.9, 0.12]),
            (Correction::BenjaminiHochberg, [0.03, 0.048, 0.045, 0.03, 0.9, 0.045]),
        ] {
            adjust(&p, correction).iter().zip(expected).for_each(|(&a, b)| assert_close(a, b));
        }
    }

    #[test]
    fn a_comparison_that_was_not_made_does_not_count() {
        let adjusted = adjust(&[0.01, f64::NAN, 0.04], Correction::Bonferroni);
        assert_eq!((adjusted[0], adjusted[2]), (0.02, 0.08));
        assert!(adjusted[1].is_nan());
        assert!(adjust(&[], Correction::Holm).is_empty());
    }

    proptest! {
        #[test]
        fn stricter_corrections_never_give_smaller_values(
            p in prop::collection::vec(0.0..=1.0, 1..10)
        ) {
            let [none, bh, holm, bonferroni] = [
                Correction::None,
                Correction::BenjaminiHochberg,
                Correction::Holm,
                Correction::Bonferroni,
            ]
            .map(|correction| adjust(&p, correction));
            for i in 0..p.len() {
                // The products round: p * 3 / 3 may be less than p.
                let most = |value: f64| value * (1.0 + 1e-12);
                prop_assert!(none[i] <= most(bh[i]) && holm[i] <= most(bonferroni[i]));
                prop_assert!(bh[i] <= most(holm[i]) && bonferroni[i] <= 1.0);
            }
        }
    }
}
