//! The two methods that a claim compares.

use contract::MethodId;
use document::{Spanned, section};
use spec::{Claimed, OneMethod};

use super::measured::Measured;

section! {
    in Claimed;
    /// Two methods that are compared.
    pub struct Pair {
        left: OneMethod => "one method: that which is said to be better, where one is; of a ratio the numerator";
        right: Spanned<OneMethod> => "the other method";
    }
    check(scope, _table) {
        if let Some(right) = &right {
            scope.apart(left.as_ref(), std::slice::from_ref(&right.value), &right.span);
        }
    }
}

impl Pair {
    /// Their ids.
    pub fn ids(&self) -> [&MethodId; 2] {
        [&self.left, &self.right.value]
    }

    /// The one, and the others that it is compared with.
    pub(super) fn against(&self) -> (&MethodId, &[MethodId]) {
        (&self.left, std::slice::from_ref(&self.right.value))
    }

    /// What people read for them.
    pub(super) fn labels<'m>(&'m self, measured: &'m Measured<'_>) -> [&'m str; 2] {
        self.ids().map(|method| measured.label(method))
    }
}
