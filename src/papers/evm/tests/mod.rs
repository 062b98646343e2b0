//! What the paper says of the models, beside what is measured with them.

mod query;
