//! The methods of the papers that are re-run, and of what is beside them. No room of the harness names this one: the binary hands
//! [`METHODS`] to its sessions, as a stranger's crate would.
//!
//! To add a method, write one file with its [`MethodEntry`] and name it in [`METHODS`].

pub mod apt;
mod blocks;
pub mod circuit;
pub mod evm;
pub mod gibbs;
pub mod idf;
pub mod ltm;
pub mod tep;

use contract::MethodEntry;

/// The methods, in the order in which they are listed. The order of the columns of `trials.csv` follows from it: a test holds it to
/// that of the committed results.
pub static METHODS: &[&MethodEntry] = &[
    &evm::classifier::MEVM_CLASSIFIER,
    &gibbs::classifier::GIBBS,
    &idf::entries::IDF_INTERSECTION,
    &idf::entries::IDF_MARKOV_BOUNDARY,
    &idf::entries::IDF_COMPOSITION,
    &idf::entries::IDF_ANY,
    &idf::entries::IDF_EXHAUSTIVE,
    &idf::entries::IDF_ENUMERATION,
    &tep::bpm::BPM_ADF,
    &tep::bpm::BPM_EP,
    &tep::process_classifier::GPC_EP,
    &tep::process_classifier::STC_EP,
    &tep::exact::PROCESS_EXACT,
    &apt::entries::MPLE_L2,
    &apt::entries::LTR,
    &apt::entries::APT,
    &apt::entries::MLE_L2,
    &apt::entries::MLE_APT,
    &evm::mevm::MEVM,
    &ltm::entry::LATENT_TREE,
    &circuit::mixture_of_trees::MIXTURE_OF_TREES,
    &circuit::learn_spn::LEARN_SPN,
    &circuit::hclt::HCLT,
    &circuit::acmn::ACMN,
];
