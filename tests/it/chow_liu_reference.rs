//! Chow-Liu trees on the published sets agree with `tests/reference/chow_liu.py` to 1e-6.

use reprise::KNOWN;
use reprise::base::digest::Digest;
use reprise::contract::Examples;
use reprise::contract::parameter::Parameters;
use reprise::data::{DataConfig, Library};
use testing::context;

use crate::support::registry::mirror;

/// Average test, validation and training log-likelihood, as `tests/reference/chow_liu.py plants
/// baudio` prints them (NumPy 2.4.6).
const REFERENCE: [(&str, [f64; 3]); 2] = [
    ("plants", [-16.5240618623, -16.5176346024, -16.2222397928]),
    ("baudio", [-44.3749308432, -44.0797707656, -44.2520557123]),
];

#[test]
fn plants_and_audio_agree_with_numpy() {
    let Some(mirror) = mirror() else { return };
    let config = DataConfig { mirror: Some(mirror), offline: true, ..DataConfig::default() };
    let library = Library::open(&config, None).unwrap();
    let entry = KNOWN.catalogue.methods_of("chow-liu").next().unwrap();
    let fit = entry.density().unwrap();
    for (set, expected) in REFERENCE {
        let dataset = library.load(set).unwrap();
        let Examples::Binary(rows) = &dataset.examples else { panic!("not sparse") };
        let split = dataset.published.unwrap();
        let context = context(Digest::of(b"reference"), 1);
        let parameters = Parameters::defaults(entry.parameters);
        let train = rows.select(split.train.clone());
        let model = fit(&parameters, &train.distinct(), &context, &mut None).unwrap();
        for (part, expected) in [split.test, split.valid, split.train].into_iter().zip(expected) {
            let rows = rows.select(part);
            let out = model.log_likelihoods(&rows, &context.cores);
            let value = out.iter().sum::<f64>() / rows.len() as f64;
            assert!((value - expected).abs() < 1e-6, "{set}: {value} against {expected}");
        }
    }
}
