//! The baselines, what they share with methods of papers, and the registry that names them.
//!
//! To add a method, write one file with its [`MethodEntry`] and name it in [`METHODS`].

pub mod baseline;
pub mod command;
pub mod metrics;
pub mod shared;

use contract::MethodEntry;

/// The baselines, and programs as methods, in the order in which they are listed.
pub static METHODS: &[&MethodEntry] = &[
    &baseline::linear_svm::LINEAR_SVM,
    &baseline::latent_nb::LATENT_NB,
    &baseline::decision_tree::DECISION_TREE,
    &baseline::chow_liu::CHOW_LIU,
    &baseline::independent::INDEPENDENT,
    &baseline::bernoulli_nb::BERNOULLI_NB,
    &baseline::categorical_nb::CATEGORICAL_NB,
    &baseline::gaussian_nb::GAUSSIAN_NB,
    &baseline::logistic::LOGISTIC,
    &baseline::nearest_centroid::NEAREST_CENTROID,
    &baseline::majority::MAJORITY,
    &baseline::empirical::EMPIRICAL,
    &baseline::knn::KNN,
    &baseline::chow_liu_forest::CHOW_LIU_FOREST,
    &baseline::l1_network::L1_NETWORK,
    &baseline::ridge::RIDGE,
    &baseline::regression_tree::REGRESSION_TREE,
    &baseline::knn::regression::KNN_REGRESSION,
    &baseline::mean::MEAN,
    &command::COMMAND,
];

#[cfg(test)]
mod tests {
    use contract::parameter::Value;

    use super::*;

    #[test]
    fn every_default_is_in_its_domain_and_every_axis_of_a_path_is_a_parameter() {
        for method in METHODS {
            for parameter in method.parameters {
                let checked = parameter.check(parameter.default.into());
                assert_eq!(checked, Ok(parameter.default.into()), "{} {parameter:?}", method.kind);
            }
            let known = |axis: &&str| method.parameters.iter().any(|known| known.name == *axis);
            assert!(method.along.iter().all(known), "{}: {:?}", method.kind, method.along);
            for parameter in method.parameters {
                let Some(under) = parameter.under else { continue };
                let mut all = method.parameters.iter();
                let other = all.find(|other| other.name == under.parameter).unwrap();
                assert_eq!(other.parse(under.word), Some(Value::Text(under.word.to_owned())));
            }
        }
    }
}
