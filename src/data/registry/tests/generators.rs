//! Datasets that are drawn: the parameters of their generators.

use super::*;

#[test]
fn parameters_of_generators_are_checked() {
    let text = r#"schema = 1
[dataset.g]
title = "G"
kind = "binary"
citation = ""
licence = ""
generator = { kind = "mixture-of-blocks", seed = 1, variables = 4, components = 2, blocks = 9, train = 5, valid = 0, test = 5, probabilities = 1 }
"#;
    let known =
        "there is `kind`, `seed`, `variables`, `train`, `valid`, `test`, `components`, `blocks`";
    assert_eq!(
        mistakes(text),
        [
            (
                7,
                "`blocks` must be from 1 to the number of variables, 4: out of range".to_owned(),
                None
            ),
            (
                7,
                "`generator` has no key `probabilities`: unknown key".to_owned(),
                Some(known.to_owned())
            ),
        ]
    );
}

#[test]
fn parameters_of_factors_are_checked() {
    let found = |kind: &str, generator: &str| -> Vec<String> {
        let text = format!(
            "schema = 1\n[dataset.g]\ntitle = \"G\"\nkind = \"{kind}\"\ncitation = \"\"\nlicence = \"\"\n\
             generator = {{ {generator} }}\n"
        );
        mistakes(&text).into_iter().map(|(_, message, _)| message).collect()
    };
    let factors = r#"kind = "factors", seed = 1, variables = 4, examples = 5"#;
    assert_eq!(
        found("binary", &format!(r#"{factors}, factor = "gaussian", size = 2"#)),
        ["what this generator draws is `numeric`: another kind"]
    );
    assert_eq!(
        found("binary", &format!(r#"{factors}, factor = "nor", size = 2"#)),
        [
            "`factor` can't be \"nor\": expected one of \"network\", \"xor\", \"duplicates\", \"mixed\", \"gaussian\""
        ]
    );
    assert_eq!(
        found("binary", &format!(r#"{factors}, factor = "xor", size = 99, train = 1"#)),
        [
            "`size` must be from 1 to 16: out of range",
            "`generator` has no key `train`: unknown key"
        ]
    );
    assert_eq!(
        found("binary", r#"kind = "factors-example", example = 4, seed = 1, examples = 5"#),
        ["`example` must be from 1 to 3: out of range"]
    );
}

#[test]
fn parameters_of_mixtures_are_checked() {
    let text = |kind: &str, generator: &str| {
        format!(
            "schema = 1\n[dataset.g]\ntitle = \"G\"\nkind = \"{kind}\"\ncitation = \"\"\nlicence = \"\"\n\
             generator = {{ kind = \"normal-mixture\", seed = 1, train = 5, test = 5, {generator} }}\n"
        )
    };
    const NEGATIVE: &str = "{ class = \"negative\", weight = 0.5, mean = [0, 0] }";
    const POSITIVE: &str = "{ class = \"positive\", weight = 0.5, mean = [1, 1] }";
    let good = format!("variance = 1, components = [{NEGATIVE}, {POSITIVE}]");
    let found = |kind: &str, generator: &str| -> Vec<String> {
        mistakes(&text(kind, generator)).into_iter().map(|(_, message, _)| message).collect()
    };
    assert!(Registry::parse(&text("numeric", &good), "", Path::new("")).is_ok());
    assert_eq!(found("binary", &good), ["what this generator draws is `numeric`: another kind"]);
    let outliers = "outliers = { class = \"positive\", count = 0, mean = [0, 0], variance = 1 }";
    let outside = "at least one, with a mean of as many columns as the components', up to 1e12, and a \
                   variance above 0";
    let means = "of means with one number of columns, 1 to 1000, up to 1e12";
    for (generator, wanted) in [
        (
            good.replace("variance = 1", "variance = 0"),
            "`variance` must be above 0 and at most 1e12",
        ),
        (good.replace("[1, 1]", "[1]"), &*format!("`components` must be {means}")),
        (good.replace("[1, 1]", "[1, 1e13]"), &format!("`components` must be {means}")),
        (good.replace("positive", "negative"), "`components` must be of both classes"),
        (
            good.replacen("weight = 0.5", "weight = 0.6", 1),
            "`components` must be of positive weights that sum to 1",
        ),
        (format!("{good}, {outliers}"), &format!("`outliers` must be {outside}")),
    ] {
        assert_eq!(found("numeric", &generator), [format!("{wanted}: out of range")]);
    }
    assert_eq!(
        found("numeric", &good.replace("[1, 1]", "[1, \"b\"], sd = 1")),
        [
            "`mean` can't be \"b\": expected a number",
            "an item of `components` has no key `sd`: unknown key"
        ]
    );
    let binned = text("numeric", &good).replace("citation", "binning = \"deciles\"\ncitation");
    let [(5, message, _)] = &mistakes(&binned)[..] else { panic!("one mistake") };
    assert_eq!(message, "`binning` is a key of datasets with files: leave it out");
}

#[test]
fn parameters_of_boolean_functions_are_checked() {
    let text = |generator: &str| {
        format!(
            "schema = 1\n[dataset.g]\ntitle = \"G\"\nkind = \"binary\"\ncitation = \"\"\nlicence = \"\"\n\
             generator = {{ kind = \"boolean-function\", {generator} }}\n"
        )
    };
    let drawn = "seed = 1, train = 5, test = 5";
    let range = |what: &str| format!("{what}: out of range");
    for (generator, expected) in [
        (
            format!(r#"function = "party", sampling = "uniform", variables = 0, {drawn}"#),
            vec!["`function` can't be \"party\": expected one of \"parity\", \"counting\", \"threshold\", \
                  \"exact\", \"conjunction\", \"disjunction\"".to_owned()],
        ),
        (
            format!(r#"function = "parity", sampling = "random", variables = 9, least = 3, {drawn}"#),
            vec![
                "`sampling` can't be \"random\": expected one of \"uniform\", \"uniform-count\", \
                 \"balanced\", \"exhaustive\""
                    .to_owned(),
                "`generator` has no key `least`: unknown key".to_owned(),
            ],
        ),
        (
            r#"function = "parity", sampling = "exhaustive", variables = 21, train = 3"#.to_owned(),
            vec![range("`variables` must be from 1 to 20, since all states are to be listed"),
"`generator` has no key `train`: unknown key".to_owned()],
        ),
        (
            r#"function = "threshold", sampling = "balanced", variables = 4, seed = 1, relevant = 5, train = 0"#
                .to_owned(),
            vec!["`generator` lacks `least`: `least` is missing here".to_owned(),
                "`generator` lacks `test`: `test` is missing here".to_owned()],
        ),
        (
            format!(r#"function = "threshold", least = 9, sampling = "balanced", variables = 4, relevant = 3, {drawn}"#),
            vec![range("`least` must be from 1 to the number of relevant variables, 3")],
        ),
        (
            format!(r#"function = "counting", modulus = 5, remainder = 4, sampling = "uniform", variables = 3, {drawn}"#),
            vec![range("`remainder` must be below the modulus and at most the 3 relevant variables")],
        ),
        (
            format!(r#"function = "counting", modulus = 1, remainder = 0, sampling = "uniform", variables = 3, {drawn}"#),
            vec![range("`modulus` must be at least 2")],
        ),
        (
            format!(r#"function = "exact", values = [1, "2"], sampling = "uniform", variables = 3, {drawn}"#),
            vec!["`values` can't be \"2\": expected a whole number from 0 to 100000000".to_owned()],
        ),
        (
            format!(r#"function = "exact", values = [3, 2], sampling = "uniform", variables = 3, {drawn}"#),
            vec![range(
                "`values` must be some but not all numbers from 0 to the number of relevant variables, 3, \
                 ascending",
            )],
        ),
    ] {
        let found: Vec<String> =
            mistakes(&text(&generator)).into_iter().map(|(_, message, _)| message).collect();
        assert_eq!(found, expected, "{generator}");
    }
}

#[test]
fn generators_are_within_limits() {
    for (generator, why) in [
        (
            r#"kind = "tree", seed = 1, variables = 100_000, train = 10_000_000, valid = 0, test = 1"#,
            "`train` must be such that examples times variables are at most 536870912",
        ),
        (
            r#"kind = "tree", seed = 1, variables = 3_000_000_000, train = 1, valid = 0, test = 1"#,
            "`variables` can't be 3000000000",
        ),
        (
            r#"kind = "mixture-of-blocks", components = 1000, blocks = 2, seed = 1, variables = 100_000, train = 9, valid = 0, test = 1"#,
            "`components` must be such that components times variables are at most 16777216",
        ),
        (
            r#"kind = "boolean-function", function = "parity", sampling = "uniform", seed = 1, variables = 2000, train = 10_000_000, test = 1"#,
            "`train` must be such that examples times variables are at most 17179869184",
        ),
        (
            r#"kind = "boolean-function", function = "exact", values = [9_000_000_000_000_000_000], sampling = "uniform", seed = 1, variables = 10, train = 10, test = 1"#,
            "`values` must be some but not all numbers from 0 to the number of relevant variables, 10, \
             ascending",
        ),
        (
            r#"kind = "factors", factor = "gaussian", seed = 1, variables = 1000, size = 4, examples = 10_000_000"#,
            "`examples` must be such that examples times variables are at most 268435456",
        ),
        (
            r#"kind = "factors", factor = "xor", seed = 1, variables = 100_000, size = 16, examples = 1"#,
            "`size` must be such that variables times 2^size are at most 16777216",
        ),
        (
            r#"kind = "normal-mixture", seed = 1, train = 10_000_000, test = 10_000_000, variance = 1.0, components = [{ class = "negative", weight = 0.5, mean = [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0] }, { class = "positive", weight = 0.5, mean = [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0] }]"#,
            "`train` must be such that examples times variables are at most 268435456",
        ),
    ] {
        let kind = match generator.contains("mixture\"") {
            true => "numeric",
            false => "binary",
        };
        let kind = if generator.contains("gaussian") { "numeric" } else { kind };
        let text = format!(
            "schema = 1\n[dataset.g]\ntitle = \"G\"\nkind = \"{kind}\"\ncitation = \"none\"\nlicence = \
             \"none\"\ngenerator = {{ {generator} }}\n"
        );
        let found = mistakes(&text);
        let (line, message, _) = found
            .iter()
            .find(|(_, m, _)| m.starts_with(why))
            .unwrap_or_else(|| panic!("{why} not in {found:#?}"));
        assert_eq!(*line, 7, "{message}");
    }
}
