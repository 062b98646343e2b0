//! The UCI sets, as they come from the mirror, are what their authors describe; a damaged file is
//! refused with its place, and a method with the kind of data that it does not take says so.

use std::collections::BTreeMap;

use reprise::contract::Examples;
use reprise::contract::categorical::MISSING;
use reprise::data::{DataConfig, DataError, Library};
use reprise::harness::run::Options;

use crate::support::experiment::Bench;
use crate::support::registry::{self, mirror};
use crate::support::results;
use crate::support::terminal::assert_error;

fn library(config: DataConfig) -> Library {
    Library::open(&DataConfig { offline: true, ..config }, None).unwrap()
}

#[test]
fn the_sets_are_those_that_the_repository_describes() {
    let Some(mirror) = mirror() else { return };
    let library = library(DataConfig { mirror: Some(mirror), ..DataConfig::default() });
    let classes = |id: &str| {
        let dataset = library.load(id).unwrap();
        let labels = dataset.targets.labels().unwrap();
        let size =
            |class: usize| labels.of_example.iter().filter(|&&c| c as usize == class).count();
        let named = labels.classes.iter().enumerate();
        named.map(|(class, name)| format!("{name} {}", size(class))).collect::<Vec<_>>().join(", ")
    };
    assert_eq!(classes("house-votes"), "democrat 267, republican 168");
    assert_eq!(classes("iris"), "Iris-setosa 50, Iris-versicolor 50, Iris-virginica 50");
    assert_eq!(classes("breast-cancer"), "2 458, 4 241");
    assert_eq!(classes("pima"), "0 500, 1 268");
    assert_eq!(classes("ionosphere"), "b 126, g 225");
    assert_eq!(classes("new-thyroid"), "1 150, 2 35, 3 30");
    assert_eq!(classes("thyroid-5"), "normal 150, ill 65");
    assert_eq!(classes("sonar"), "M 111, R 97");
    for id in ["pima", "ionosphere", "thyroid", "sonar"] {
        let [plain, five, ten] = [id.to_owned(), format!("{id}-5"), format!("{id}-10")]
            .map(|id| library.load(&id).unwrap());
        assert!(plain.preprocessing.standardised && plain.preprocessing.binning.is_none());
        assert_eq!(
            (five.digest, ten.digest),
            (plain.digest, plain.digest),
            "{id}: not the same rows"
        );
    }
    let rows = |id: &str| match library.load(id).unwrap().examples {
        Examples::Categorical(rows) => rows,
        other => panic!("{}", other.described()),
    };
    let (votes, cancer) = (rows("house-votes"), rows("breast-cancer"));
    let missing = |codes: &[u16]| codes.iter().filter(|&&code| code == MISSING).count();
    assert_eq!((missing(votes.codes()), missing(cancer.codes())), (392, 16));
    let of_column: Vec<usize> =
        (0..9).map(|at| missing(cancer.columns(&(at..at + 1)).codes())).collect();
    assert_eq!(of_column, [0, 0, 0, 0, 0, 16, 0, 0, 0]);
    assert_eq!(cancer.attributes()[0].values, (1..=10).map(|v| v.to_string()).collect::<Vec<_>>());
    assert_eq!(votes.attributes()[15].values, ["n", "y"]);
    let first = rows("breast-cancer-367");
    assert_eq!((first.len(), first.codes()), (367, &cancer.codes()[..367 * 9]));
    let Examples::Numeric(iris) = library.load("iris").unwrap().examples else { panic!("numbers") };
    // Rows 35 and 38 of the UCI file have its two known errors.
    assert_eq!(iris.row(34), [4.9, 3.1, 1.5, 0.1]);
    assert_eq!(iris.row(37), [4.9, 3.1, 1.5, 0.1]);
}

#[test]
fn a_file_that_is_not_as_the_registry_says_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let registry = folder.path().join("datasets.toml");
    let load = |kind: &str, text: &str| {
        std::fs::write(folder.path().join("set.data"), text).unwrap();
        let entry = format!(
            "schema = 1\n[dataset.set]\ntitle = \"Set\"\nkind = \"{kind}\"\ncitation = \"nobody\"\n\
             licence = \"CC0\"\nshape = {{ variables = 2, rows = 3, classes = 2 }}\n\
             files = [{{ role = \"all\", format = \"attribute-csv\", class = \"last\", \
             sources = [{{ path = \"set.data\" }}] }}]\n"
        );
        std::fs::write(&registry, entry).unwrap();
        let config = DataConfig { registry: Some(registry.clone()), ..DataConfig::default() };
        library(config).load("set").map(|dataset| dataset.examples.described())
    };
    let joined = |classes: &str| {
        let text = std::fs::read_to_string(&registry).unwrap();
        let derived = format!(
            "[dataset.joined]\ntitle = \"J\"\ncitation = \"\"\nlicence = \"\"\nfrom = \"set\"\nclasses = {classes}\n"
        );
        std::fs::write(&registry, text + &derived).unwrap();
        let config = DataConfig { registry: Some(registry.clone()), ..DataConfig::default() };
        library(config)
            .load("joined")
            .map(|dataset| dataset.targets.labels().unwrap().classes.clone())
    };
    let why = |error: DataError| {
        let text = error.to_string();
        text.split_once("set.data, ").map_or(text.clone(), |(_, why)| why.to_owned())
    };
    let good = "1,?,a\n2,3,b\n2,3,a\n";
    assert_eq!(load("categorical", good).unwrap(), "categorical attributes");
    assert_eq!(joined("{ y = [\"b\"], x = [\"a\"] }").unwrap(), ["y", "x"]);
    load("categorical", good).unwrap();
    let error = joined("{ y = [\"b\"], x = [\"c\"] }").unwrap_err();
    assert_eq!(
        error.to_string(),
        "dataset `set` has no class `c`, which `classes` of dataset `joined` names"
    );
    let error = load("numeric", good).unwrap_err();
    assert_eq!(why(error), "line 1, column `2`: the value is missing");
    let error = load("categorical", &good[..12]).unwrap_err();
    assert!(error.to_string().contains("2 rows"), "{error}");
    let error = load("categorical", "1,1,a\n2,3,a\n2,3,a\n").unwrap_err();
    assert!(error.to_string().contains("1 classes"), "{error}");
    let error = load("numeric", "1,1,a\n2,3,b,4\n").unwrap_err();
    assert_eq!(why(error), "line 2: it has 4 or more values, the first line has 3");
}

fn registry() -> String {
    let columns = |variables: usize, file: &str| {
        format!(
            "shape = {{ variables = {variables}, rows = 8, classes = 2 }}\n\
             files = [{{ role = \"all\", format = \"attribute-csv\", class = \"last\", \
             sources = [{{ path = {file:?} }}] }}]"
        )
    };
    registry::of(&[
        registry::entry("words", "categorical", &columns(2, "words.csv")),
        registry::entry("numbers", "numeric", &columns(1, "numbers.csv")),
        registry::coins(9, "uniform-count", 60, 40),
    ])
}

/// A method in a task; `task` are lines of `[task]`.
fn bench(task: &str, kind: &str) -> Bench {
    let bench = Bench::new(&format!(
        "schema = 1\n[experiment]\nid = \"x\"\ntitle = \"X\"\nseed = 1\n[task]\n{task}\n\
         split = {{ resample = {{ train = 6, test = 2, repeats = 1 }} }}\n\
         [[method]]\nid = \"M\"\nkind = \"{kind}\"\n"
    ));
    bench.write("datasets.toml", &registry());
    bench.write("words.csv", &"a,?,y\nb,c,n\n".repeat(4));
    bench.write("numbers.csv", &"1,y\n2.5,n\n".repeat(4));
    bench
}

/// The message of each trial by dataset; nothing where it succeeds.
/// Why trials lack a metric, by dataset.
fn lacks(task: &str, kind: &str) -> BTreeMap<String, String> {
    let bench = bench(task, kind);
    bench.sealed("r", &Options::default());
    let trials = results::rows(&bench.results("r").join("trials.csv"));
    let lacks = bench.results("r").join("lacks.csv");
    let lacks = if lacks.exists() { results::rows(&lacks) } else { Vec::new() };
    let of = |key: &str| trials.iter().find(|trial| trial["key"] == key).unwrap();
    lacks.iter().map(|row| (of(&row["key"])["dataset"].clone(), row["why"].clone())).collect()
}

#[test]
#[cfg_attr(not(feature = "papers"), ignore = "names a paper's method")]
fn a_method_says_what_kind_of_data_it_does_not_take() {
    let of = |datasets: &str| {
        "kind = \"classification\"\nmetrics = [\"test_accuracy\", \"test_joint_ll\"]\ndatasets = "
            .to_owned()
            + datasets
    };
    let refused = |task: &str, kind: &str, has: &str| {
        let error = bench(task, kind).refused("r", &Options::default());
        assert_error(&error, &[&format!("`M` does not take {has}")]);
    };
    assert_eq!(lacks(&of("[\"words\"]"), "gibbs"), BTreeMap::new());
    refused(&of("[\"words\", \"numbers\"]"), "gibbs", "`numbers`, which has numeric columns");
    refused(&of("[\"coins\"]"), "gibbs", "`coins`, which has 0/1 variables");
    let found = lacks(&of("[\"words\", \"coins\"]"), "bernoulli-nb");
    assert!(found["words"].starts_with("it models no probability of an example"), "{found:?}");
    refused(&of("[\"numbers\"]"), "bernoulli-nb", "`numbers`, which has numeric columns");
    let density = |dataset: &str| format!("kind = \"density\"\ndatasets = [\"{dataset}\"]");
    refused(&density("words"), "independent", "`words`, which has categorical attributes");
    refused(&density("numbers"), "independent", "`numbers`, which has numeric columns");
}

/// The sets of regression, and Anneal as OpenML has it, are what their descriptions say.
#[test]
fn targets_missing_values_and_folds_are_those_of_the_descriptions() {
    let Some(mirror) = mirror() else { return };
    let library = library(DataConfig { mirror: Some(mirror), ..DataConfig::default() });
    let range = |targets: &[f64]| {
        let least = targets.iter().copied().fold(f64::INFINITY, f64::min);
        (targets.len(), least, targets.iter().copied().fold(0.0, f64::max))
    };
    let abalone = library.load("abalone").unwrap();
    let rings = abalone.targets.numbers().unwrap();
    assert_eq!(range(rings), (4177, 1.0, 29.0));
    // abalone.names: 689 have nine rings.
    assert_eq!(rings.iter().filter(|&&rings| rings == 9.0).count(), 689);
    let automobile = library.load("automobile").unwrap();
    assert_eq!(range(automobile.targets.numbers().unwrap()), (201, 5118.0, 45400.0));
    let Examples::Table(table) = &automobile.examples else { panic!("a table") };
    let missing = |column: &reprise::contract::table::Column| {
        (0..201).filter(|&row| column.is_missing(row)).count()
    };
    let by_column: Vec<usize> = table.columns().iter().map(missing).collect();
    let known: Vec<(usize, usize)> =
        by_column.into_iter().enumerate().filter(|(_, missing)| *missing > 0).collect();
    assert_eq!(known, [(1, 37), (5, 2), (18, 4), (19, 4), (21, 2), (22, 2)]);

    let anneal = library.load("anneal").unwrap();
    let (labels, folds) = (anneal.targets.labels().unwrap(), anneal.folds.unwrap());
    assert_eq!(labels.classes, ["1", "2", "3", "5", "U"]);
    // The folds are stratified: of 99, 684, 67 and 40 examples each has a tenth.
    for fold in 0..10 {
        let of = |class: u32| {
            let both = labels.of_example.iter().zip(&folds);
            both.filter(|(of, in_fold)| **of == class && **in_fold == fold).count()
        };
        assert!((9..=10).contains(&of(1)) && (68..=69).contains(&of(2)) && of(4) == 4, "{fold}");
    }
    assert_eq!((folds.len(), anneal.examples.variables()), (898, 38));
}
