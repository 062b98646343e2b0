//! Roots of functions of one number.

/// Where a continuous function that falls from 1 at zero towards 0 takes `value`, by bisection to
/// the last bit.
pub fn decreasing_root(function: impl Fn(f64) -> f64, value: f64) -> f64 {
    let mut high = 1.0;
    while function(high) > value && high < f64::MAX / 2.0 {
        high *= 2.0;
    }
    let mut low = 0.0;
    loop {
        let middle = 0.5 * (low + high);
        if middle <= low || middle >= high {
            return middle;
        }
        if function(middle) > value {
            low = middle;
        } else {
            high = middle;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn roots_are_exact_to_the_last_bit() {
        assert_eq!(decreasing_root(|x| 1.0 / (1.0 + x), 0.25), 3.0);
        assert_eq!(decreasing_root(|x| 1.0 - x, 0.375), 0.625);
    }
}
