//! How much of the data a method is shown, where an experiment varies that.

use crate::parameter::{Count, settings};

settings! {
    pub EXAMPLES examples: Count::within(0..=u32::MAX as i64, 0), "how many of the training examples are used, the first; all if 0";
    pub DIMENSION dimension: Count::within(0..=u32::MAX as i64, 0),
        "how many of the variables are used, the first; all if 0. They may not cut a true factor";
}
