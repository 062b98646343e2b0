//! Baselines that several papers share.

pub mod bernoulli_nb;
pub mod categorical_nb;
pub mod chow_liu;
pub mod chow_liu_forest;
pub mod decision_tree;
pub mod empirical;
pub mod gaussian_nb;
pub mod independent;
pub mod knn;
pub mod l1_network;
pub mod latent_nb;
pub mod linear_svm;
pub mod logistic;
pub mod majority;
pub mod mean;
pub mod nearest_centroid;
pub mod regression_tree;
pub mod ridge;
