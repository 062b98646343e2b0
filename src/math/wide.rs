//! Loops that are compiled for several instruction sets from the same lines, of which the widest that the CPU has
//! is taken at run time.
//!
//! All of them do the same operations on each element in the same order (there is no fused multiply-add), so which
//! one it is cannot change a bit of a result. The `unsafe` in [`wide`], the only one of this library, is the call of
//! code for instructions that have been found.

/// Which instructions a function is compiled for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Level {
    /// Those of any CPU.
    Any,
    /// Vectors of four numbers; whole numbers count their bits.
    #[cfg(target_arch = "x86_64")]
    Avx2,
    /// Vectors of eight numbers.
    #[cfg(target_arch = "x86_64")]
    Avx512,
    /// Vectors of eight whole numbers count their bits.
    #[cfg(target_arch = "x86_64")]
    Avx512Popcnt,
}

impl Level {
    /// The widest that this CPU has.
    pub fn widest() -> Self {
        #[cfg(target_arch = "x86_64")]
        if is_x86_feature_detected!("avx2") && is_x86_feature_detected!("popcnt") {
            return match is_x86_feature_detected!("avx512f") {
                true if is_x86_feature_detected!("avx512vpopcntdq") => Self::Avx512Popcnt,
                true => Self::Avx512,
                false => Self::Avx2,
            };
        }
        Self::Any
    }
}

/// A function that is compiled for every [`Level`]. In brackets behind its name the body can take a name for the
/// level that it is compiled for. A module of the function's name holds the one that is told the level.
macro_rules! wide {
    (
        $(#[$doc:meta])*
        $scope:vis fn $name:ident $(<const $width:ident: usize>)? ($($arguments:tt)*) $($rest:tt)*
    ) => {
        wide! { $(#[$doc])* $scope fn $name $(<const $width: usize>)? [_level]($($arguments)*) $($rest)* }
    };
    (
        $(#[$doc:meta])*
        $scope:vis fn $name:ident $(<const $width:ident: usize>)?
        [$level:ident]($($argument:ident: $type:ty),* $(,)?) $(-> $output:ty)?
        $body:block
    ) => {
        $(#[$doc])*
        $scope fn $name $(<const $width: usize>)? ($($argument: $type),*) $(-> $output)? {
            $name::at(Level::widest(), $($argument),*)
        }

        mod $name {
            use super::*;

            #[inline(always)]
            fn any $(<const $width: usize>)? ($level: Level, $($argument: $type),*) $(-> $output)? $body

            #[cfg(target_arch = "x86_64")]
            #[target_feature(enable = "avx2,popcnt")]
            fn avx2 $(<const $width: usize>)? ($($argument: $type),*) $(-> $output)? {
                any(Level::Avx2, $($argument),*)
            }

            #[cfg(target_arch = "x86_64")]
            #[target_feature(enable = "avx512f,popcnt")]
            fn avx512 $(<const $width: usize>)? ($($argument: $type),*) $(-> $output)? {
                any(Level::Avx512, $($argument),*)
            }

            // Without `popcnt`, which the compiler would take in place of the vectors' own.
            #[cfg(target_arch = "x86_64")]
            #[target_feature(enable = "avx512f,avx512vpopcntdq")]
            fn avx512_popcnt $(<const $width: usize>)? ($($argument: $type),*) $(-> $output)? {
                any(Level::Avx512Popcnt, $($argument),*)
            }

            pub(super) fn at $(<const $width: usize>)? (
                level: Level,
                $($argument: $type),*
            ) $(-> $output)? {
                match level {
                    Level::Any => any(Level::Any, $($argument),*),
                    #[cfg(target_arch = "x86_64")]
                    // SAFETY: a level other than `Any` is made only where its instructions have been found.
                    Level::Avx2 => unsafe { avx2($($argument),*) },
                    #[cfg(target_arch = "x86_64")]
                    // SAFETY: as for AVX2.
                    Level::Avx512 => unsafe { avx512($($argument),*) },
                    #[cfg(target_arch = "x86_64")]
                    // SAFETY: as for AVX2.
                    Level::Avx512Popcnt => unsafe { avx512_popcnt($($argument),*) },
                }
            }
        }
    };
}

pub(super) use wide;

#[cfg(test)]
mod tests {
    use super::Level;

    impl Level {
        /// Those that this CPU has, the widest last.
        pub fn available() -> Vec<Self> {
            let all = [
                Self::Any,
                #[cfg(target_arch = "x86_64")]
                Self::Avx2,
                #[cfg(target_arch = "x86_64")]
                Self::Avx512,
                #[cfg(target_arch = "x86_64")]
                Self::Avx512Popcnt,
            ];
            let widest = all.iter().position(|level| *level == Self::widest()).unwrap_or(0);
            all[..=widest].to_vec()
        }
    }
}
