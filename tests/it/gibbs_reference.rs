//! The Gibbs energy classifier predicts what `tests/reference/gibbs.py` predicts, on UCI files.

use reprise::KNOWN;
use reprise::base::digest::Digest;
use reprise::contract::Fit;
use reprise::contract::parameter::{Parameters, Value};
use reprise::data::split::Division;
use reprise::data::{DataConfig, Library};
use reprise::task::Problem;
use reprise::task::classification::ClassificationData;
use testing::context;

use crate::support::registry::mirror;

/// Dataset, highest order, highest order of a negative potential, whether missing values are skipped;
/// hits, and the digest of the predictions, as the script prints them (Python 3.13).
const REFERENCE: [(&str, i64, i64, bool, usize, &str); 5] = [
    ("breast-cancer", 10, 10, false, 225, "0650eb7c2a9c"),
    ("breast-cancer", 4, 2, false, 225, "dac48581c41b"),
    ("breast-cancer", 10, 10, true, 225, "0650eb7c2a9c"),
    ("house-votes", 4, 4, false, 133, "314d4d0fdf2e"),
    ("house-votes", 3, 2, true, 133, "563d64429e1f"),
];

#[test]
#[cfg_attr(not(feature = "papers"), ignore = "names a paper's method")]
fn predictions_agree_with_python() {
    let Some(mirror) = mirror() else { return };
    let config = DataConfig { mirror: Some(mirror), offline: true, ..DataConfig::default() };
    let library = Library::open(&config, None).unwrap();
    let entry = KNOWN.catalogue.methods_of("gibbs").next().unwrap();
    let [Fit::Categorical(fit)] = entry.fits else { panic!("no fit") };
    let context = context(Digest::of(b"reference"), 1);
    for (set, max_order, negative_order, skip, hits, digest) in REFERENCE {
        let dataset = library.load(set).unwrap();
        let labels = dataset.targets.labels().unwrap();
        let (test, train) = (0..dataset.examples.len()).partition(|place| place % 3 == 0);
        let division = Division { train, valid: Vec::new(), test };
        let problem = Problem::whole(labels.classes.len());
        let data = ClassificationData::new(&dataset, &labels.of_example, &division, &problem);
        let mut parameters = Parameters::defaults(entry.parameters);
        parameters.set("max_order", Value::Integer(max_order));
        parameters.set("negative_order", Value::Integer(negative_order));
        parameters.set("missing", Value::Text(if skip { "skip" } else { "value" }.to_owned()));
        for capacity in [0, 1 << 20] {
            parameters.set("capacity", Value::Integer(capacity));
            let model = fit(&parameters, &data.train, &context, &mut None).unwrap();
            let predicted = model.predict(&data.test.examples, &context).unwrap().classes;
            let right = predicted.iter().zip(&data.test.labels).filter(|(one, other)| one == other);
            let digits: String = predicted.iter().map(u32::to_string).collect();
            let found = (right.count(), Digest::of(digits.as_bytes()).short());
            assert_eq!(found, (hits, digest.to_owned()), "{set} {max_order} {capacity}");
        }
    }
}
