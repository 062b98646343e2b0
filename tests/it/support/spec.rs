//! The texts of experiment files.

/// An experiment of density estimation on `generated-tree`, with a table of test log-likelihoods.
pub fn density(id: &str, task: &str, methods: &str) -> String {
    format!(
        r#"schema = 1
[experiment]
id = "{id}"
title = "{id}"
seed = 1
[task]
kind = "density"
datasets = ["generated-tree"]
metrics = ["test_ll"]
split = "published"
{task}
{methods}
[[table]]
id = "t"
rows = "dataset"
columns = "method"
metric = "test_ll"
digits = 2
"#
    )
}

/// A method that takes no time.
pub const CHOW_LIU: &str = "[[method]]\nid = \"CL\"\nkind = \"chow-liu\"";

/// A test that compares two methods on each test example.
pub fn by_example(reference: &str) -> String {
    format!(
        "[[test]]\nid = \"paired\"\nkind = \"paired-t\"\nmetric = \"test_ll\"\nreference = \"{reference}\"\n\
         pair_by = \"example\"\n"
    )
}

/// A figure of each method's test log-likelihood.
pub const DOTS: &str = "[[figure]]\nid = \"f\"\nkind = \"dot\"\nx = \"dataset\"\ny = \"test_ll\"\nseries = \"method\"\n";

/// A choice about a parameter of a method; the first option is chosen.
pub fn choice(method: &str, parameter: &str, options: &[&str]) -> String {
    format!(
        "[[choice]]\nid = \"{parameter}\"\nquestion = \"?\"\ntarget = [\"method:{method}\"]\n\
         parameter = \"{parameter}\"\noptions = [{}]\nchosen = {}\nwhy = \".\"\n",
        options.join(", "),
        options[0]
    )
}
