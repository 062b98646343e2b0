//! What is wrong with an experiment file, as a person reads it. The methods are those of
//! [`support`](crate::support), so that the texts do not change with the registry.

use crate::support::{Folder, load};

const SMALL: &str = r#"schema = 1

[experiment]
id = "small"
title = "Chow-Liu trees"
seed = 1

[task]
kind = "density"
datasets = ["nltcs", "kdd"]
split = "published"

[[method]]
id = "CL"
kind = "chow-liu"
smoothing = 0.1

[[method]]
id = "MEVM"
kind = "mevm"

[[table]]
id = "table"
rows = "dataset"
columns = "method"
metric = "test_ll"
"#;

/// What the user reads about [`SMALL`] with one part of it replaced.
fn report(from: &str, to: &str) -> String {
    assert!(SMALL.contains(from), "{from}");
    report_on(&SMALL.replacen(from, to, 1))
}

/// What the user reads about [`SMALL`] with this at its end.
fn report_after(text: &str) -> String {
    report_on(&format!("{SMALL}{text}"))
}

fn report_on(text: &str) -> String {
    let folder = Folder::new(text);
    let errors = load(&folder.path(), None).expect_err("the file is wrong");
    folder.render(&errors)
}

/// The same without breaks of lines.
fn flat(from: &str, to: &str) -> String {
    report(from, to).split_whitespace().collect::<Vec<_>>().join(" ")
}

#[test]
fn a_swept_method_is_shown_by_the_axis_that_it_sweeps() {
    let swept = "kind = \"mevm\"\nsweep = { components = [2, 5] }";
    let says = [
        "`MEVM` has a value for each `components`, and no axis says which",
        "`sweep:components` is missing here",
        "let an axis be \"sweep:components\", in a table [\"method\", \"sweep:components\"]",
    ];
    let found = flat("kind = \"mevm\"", swept);
    says.iter().for_each(|says| assert!(found.contains(says), "{found}"));
    let figure = "\n[[figure]]\nid = \"f\"\nkind = \"dot\"\ny = \"test_ll\"\nseries = \"method\"\n";
    let text = SMALL.replace("kind = \"mevm\"", swept);
    let table = |axes: &str| text.replace("columns = \"method\"", &format!("columns = {axes}"));
    let both = "[\"method\", \"sweep:components\"]";
    assert_eq!(messages(&format!("{}{figure}", table(both))), [says[0]]);
    let of_two = "a value would be of `CL` and of `MEVM`";
    let over =
        figure.replace("\"f\"", "\"g\"").replace("series = \"method\"", "series = \"dataset\"");
    let over = over.replace("y =", "x = \"sweep:components\"\ny =").replace("dot", "line");
    for (text, messages_of) in [
        (table("\"sweep:components\""), vec![of_two]),
        (table("\"sweep:components\"\nmethods = [\"CL\", \"MEVM\"]"), vec![of_two]),
        (format!("{}{over}", table(both)), vec![of_two]),
    ] {
        assert_eq!(messages(&text), messages_of, "{text}");
    }
    let claim = |check: &str| {
        let claim = "[[claim]]\nid = \"c\"\ntext = \"t\"\nsource = \"s\"";
        format!("{}\n{claim}\ncheck = {check}\n", table(both))
    };
    let test = |kind: &str, methods: &str| {
        let test = "[[test]]\nid = \"t\"\nmetric = \"test_ll\"";
        format!("{}\n{test}\nkind = \"{kind}\"\n{methods}\n", table(both))
    };
    let named = "methods = [\"CL\", \"MEVM\"]";
    let says = "`MEVM` has a value for each `components`, and nothing says which";
    for (text, at) in [
        (test("paired-t", named), "methods = [\"CL\", \"MEVM\"] · ───┬──"),
        (test("friedman", ""), "[[test]] · ────┬───"),
        (
            claim("{ rank = { method = \"CL\", metric = \"test_ll\" } }"),
            "check = { rank = { method = \"CL\", metric = \"test_ll\" } } · ────────",
        ),
        (claim("{ wins = { left = \"CL\", right = \"MEVM\", metric = \"test_ll\" } }"), ""),
        (claim("{ wins = { left = \"CL\", right = \"others\", metric = \"test_ll\" } }"), ""),
        (claim("{ counts = { metric = \"test_ll\", least = 0 } }"), ""),
        (claim("{ spread = { method = \"MEVM\", metric = \"test_ll\", least = 0 } }"), ""),
    ] {
        assert_eq!(messages(&text), [says], "{text}");
        let found = report_on(&text).split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(found.contains(at) && found.contains("`components` is swept"), "{at}: {found}");
    }
    // What says which, has one value or is no score makes no sense of this error.
    for text in [
        table(both),
        table("\"method\"\nmethods = [\"CL\"]"),
        table("\"sweep:components\"\nmethods = [\"MEVM\"]"),
        text.replace("[2, 5]", "[2]"),
        text.replace("metric = \"test_ll\"", "metric = \"variables\""),
        claim("{ counts = { metric = \"variables\", least = 0 } }"),
        claim(
            "{ trend = { method = \"MEVM\", metric = \"test_ll\", along = \"components\", direction = \"rising\" } }",
        ),
    ] {
        assert!(load(&Folder::new(&text).path(), None).is_ok(), "{text}");
    }
}

#[test]
fn help_says_what_people_mean() {
    for (from, to, says) in [
        ("split = \"published\"", "split = \"kfold\"", "write { cv = { folds = 10 } }"),
        ("split = \"published\"", "split = \"cv\"", "write { cv = { folds = 10 } }"),
        ("split = \"published\"", "split = \"loo\"", "write \"leave-one-out\""),
        (
            "split = \"published\"",
            "split = \"holdout\"",
            "write { share = { test = 0.2, repeats = 30 } }",
        ),
        (
            "smoothing = 0.1",
            "grid = { smoothing = [0.1, 1.0], sample = 30 }\nselect = \"valid_ll\"",
            "grid_sample, beside `grid`, is how many points are tried",
        ),
        ("metric = \"test_ll\"", "metric = \"micro_f1\"", "here it is `test_accuracy`"),
    ] {
        let found = flat(from, to);
        assert!(found.contains(says), "{found}");
    }
}

#[test]
fn metrics_of_the_tasks_of_the_file_are_told_first() {
    for (kind, own, other) in
        [("density", "`test_ll`", "`rmse`"), ("classification", "`test_accuracy`", "`test_ll`")]
    {
        let text = SMALL.replace("\"density\"", &format!("\"{kind}\""));
        let text = report_on(&text.replace("\"test_ll\"", "\"wellness\""));
        let place = |name: &str| text.find(name).unwrap_or(usize::MAX);
        assert!(place(own) < place(other), "{text}");
    }
}

#[test]
fn a_score_is_known_with_and_without_test() {
    for name in ["ll", "test_ll"] {
        let text = SMALL.replace("\"test_ll\"", &format!("\"{name}\""));
        let experiment = load(&Folder::new(&text).path(), None).unwrap();
        assert_eq!(experiment.tables[0].metrics()[0].name, "test_ll");
    }
    let twice = SMALL.replace("split =", "metrics = [\"ll\", \"test_ll\"]\nsplit =");
    assert_eq!(messages(&twice), ["`metrics` has this item twice"]);
}

/// The messages alone.
fn messages(text: &str) -> Vec<String> {
    let folder = Folder::new(text);
    let errors = load(&folder.path(), None).expect_err("the file is wrong");
    errors.errors.iter().map(ToString::to_string).collect()
}

macro_rules! snapshots {
    ($($name:ident: $report:expr;)*) => {
        $(#[test]
        fn $name() {
            insta::assert_snapshot!(stringify!($name), $report);
        })*
    };
}

snapshots! {
    misspelt_key: report("smoothing = 0.1", "smothing = 0.1");
    misspelt_section: report("[[table]]", "[[tabel]]");
    wrong_type: report("seed = 1", "seed = \"one\"");
    out_of_range: report("smoothing = 0.1", "smoothing = -0.1");
    unknown_kind: report("kind = \"chow-liu\"", "kind = \"chowliu\"");
    unknown_dataset: report("\"nltcs\"", "\"nltsc\"");
    unknown_metric: report("metric = \"test_ll\"", "metric = \"test_lll\"");
    a_parameter_that_nothing_reads: report("kind = \"mevm\"", "kind = \"mevm\"\nwidth = 3");
    empty_grid: report("smoothing = 0.1", "grid = { smoothing = [] }\nselect = \"valid_ll\"");
    grid_without_select: report("smoothing = 0.1", "grid = { smoothing = [0.1, 1.0] }");
    missing_key: report("title = \"Chow-Liu trees\"\n", "");
    missing_reference: report_after("bold = { test = \"wilcoxon\", alpha = 0.05 }\nbest = \"max\"\n");
    missing_published_file: report_after("published = \"published/table.csv\"\n");
    future_version: report("schema = 1", "schema = 2");
    single_brackets: report("[[table]]", "[table]");
    syntax_error: report("seed = 1", "seed = ");
    unclosed_text: report("id = \"small\"", "id = \"small");
    syntax_errors_and_others: report_on(
        &SMALL
            .replace("seed = 1", "seed = ")
            .replace("smoothing = 0.1", "smothing = 0.1")
            .replace("[\"nltcs\", \"kdd\"]", "[\"nltcs\", \"kdd\"")
    );
    twice_the_same_key: report("seed = 1", "seed = 1\nseed = 2");
    several_at_once: report_on(
        &SMALL
            .replace("seed = 1", "sead = 1")
            .replace("split = \"published\"", "split = \"publshed\"\nrepeats = 0")
            .replace("kind = \"mevm\"", "kind = \"mevm\"\ncomponents = 2.5")
            .replace("columns = \"method\"", "columns = \"sweep:components\"")
    );
    conflicting_choice: report_after(r#"
[[choice]]
id = "smooth"
question = "How much?"
target = "method:CL"
parameter = "smoothing"
options = [0.1, 1.0]
chosen = 1.0
why = "As the paper says."
"#);
    choice_about_the_task: report_after(r#"
[[choice]]
id = "repeat"
question = "How often?"
target = "task"
parameter = "repeats"
options = [1, 2]
chosen = 1
why = "Time."
"#);
    choice_about_a_dataset_without_parameters: report_after(r#"
[[choice]]
id = "threshold"
question = "From which grey on is a pixel one?"
target = ["dataset:nltcs", "dataset:nltsc"]
parameter = "threshold"
options = [0, 50]
chosen = 0
why = "It fits."
"#);
    choice_about_both: report_after(r#"
[[choice]]
id = "smoothing"
question = "How much?"
target = ["method:CL", "dataset:nltcs"]
parameter = "smoothing"
options = [0.0, 1.0]
chosen = 0.0
why = "It fits."
"#);
    classes_of_a_density_task: report("[task]", "[task]\nclasses = \"all-pairs\"");
    method_that_does_not_do_the_task: report("kind = \"density\"", "kind = \"classification\"");
    wrong_profile: report_after("\n[profile.smoke]\ntask.datasets = [\"plans\"]\nmethod.LC.smoothing = 1\n");
}

#[test]
fn a_wrong_published_file_is_shown_itself() {
    let folder = Folder::new(&format!("{SMALL}published = \"published/table.csv\"\n"));
    folder.write(
        "published/table.csv",
        "row,column,metric,value,sd\nnltcs,CL,test_ll,minus six,\nNLTCS,CL,test_ll,-6.7,\n",
    );
    let errors = load(&folder.path(), None).unwrap_err();
    insta::assert_snapshot!(folder.render(&errors));
}

#[test]
fn a_file_that_is_not_there() {
    let folder = Folder::new(SMALL);
    let errors = load(&folder.path().with_file_name("experimnt.toml"), None).unwrap_err();
    insta::assert_snapshot!(folder.render(&errors));
}

#[test]
fn a_profile_that_is_not_there() {
    let folder = Folder::new(&format!("{SMALL}\n[profile.smoke]\ntask.repeats = 1\n"));
    let errors = load(&folder.path(), Some("smok")).unwrap_err();
    insta::assert_snapshot!(folder.render(&errors));
}

#[test]
fn text_that_is_not_utf_8() {
    let folder = Folder::new(SMALL);
    std::fs::write(folder.path(), b"schema = 1\n\n# caf\xe9\n").unwrap();
    let errors = load(&folder.path(), None).unwrap_err();
    assert_eq!(errors.errors[0].to_string(), "line 3 is not UTF-8 text");
}

/// Each change to [`SMALL`] is one error, with this message.
/// Under each profile the whole file is checked again.
#[test]
fn too_many_profiles() {
    let profiles = |count: usize| -> String {
        (0..count).map(|profile| format!("[profile.p{profile}]\ntask.repeats = 1\n")).collect()
    };
    let messages = messages(&format!("{SMALL}{}", profiles(101)));
    assert_eq!(messages, ["the file has more than 100 profiles"]);
    let folder = Folder::new(&format!("{SMALL}{}", profiles(100)));
    assert!(load(&folder.path(), None).is_ok());
}

#[test]
fn one_error_has_one_message() {
    let claim = |check: &str| {
        format!("{SMALL}\n[[claim]]\nid = \"c\"\ntext = \"t\"\nsource = \"s\"\ncheck = {check}\n")
    };
    let changed = |from: &str, to: &str| {
        assert!(SMALL.contains(from), "{from}");
        SMALL.replacen(from, to, 1)
    };
    let cases = [
        (changed("schema = 1\n", ""), "the file lacks `schema`"),
        (changed("id = \"small\"", "id = \"../small\""), "`id` can't be \"../small\""),
        (changed("seed = 1", "seed = 1\npaper = \"evn\""), "there is no paper `evn`"),
        (changed("\"nltcs\", \"kdd\"", ""), "`datasets` is empty"),
        (changed("\"nltcs\", \"kdd\"", "\"kdd\", \"kdd\""), "`datasets` has this item twice"),
        (changed("split = \"published\"\n", ""), "`[task]` lacks `split`"),
        (changed("split = \"published\"", "split = {}"), "`split` has 0 keys"),
        (changed("\"published\"", "{ cv = { folds = 1 } }"), "`folds` can't be 1"),
        (
            changed("\"published\"", "\"folds\"\ntimeout = \"30 min\""),
            "`timeout` can't be \"30 min\"",
        ),
        (changed("\"published\"", "\"folds\"\ntimeout = 0"), "`timeout` can't be 0"),
        (changed("\"published\"", "\"folds\"\nmethods = [\"Cl\"]"), "there is no method `Cl`"),
        (
            changed("\"published\"", "\"folds\"\nmetrics = [\"train_ll\"]"),
            "trials do not report `test_ll`",
        ),
        (changed("id = \"CL\"", "id = \"others\""), "no method can be called `others`"),
        (changed("id = \"CL\"", "id = \"mevm\""), "there are two methods `MEVM`"),
        (changed("id = \"CL\"", "id = \"C L\""), "`id` can't be \"C L\""),
        (changed("kind = \"mevm\"", ""), "method `MEVM` lacks `kind`"),
        (
            changed("kind = \"mevm\"", "kind = \"mevm\"\npublished_only = true"),
            "a published-only method has no `kind`",
        ),
        (
            changed("kind = \"mevm\"", "published_only = true\nrestarts = 1"),
            "`[[method]]` has no key `restarts`",
        ),
        (
            changed("smoothing = 0.1", "smoothing = 0.1\nsweep = { smoothing = [1] }"),
            "`smoothing` has a value of its own",
        ),
        (
            changed("smoothing = 0.1", "sweep = { depth = [1] }"),
            "a method of kind `chow-liu` has no `depth`",
        ),
        (changed("smoothing = 0.1", "sweep = { smoothing = 1 }"), "`smoothing` can't be 1"),
        (
            changed("smoothing = 0.1", "sweep = { smoothing = [1, 1.0] }"),
            "`smoothing` has this item twice",
        ),
        (
            changed("smoothing = 0.1", "sweep = { smoothing = [\"x\"] }"),
            "`smoothing` can't be \"x\"",
        ),
        (
            changed(
                "smoothing = 0.1",
                "grid = { smoothing = [1] }\nsweep = { smoothing = [1] }\nselect = \"valid_ll\"",
            ),
            "`smoothing` is in the sweep and in the grid",
        ),
        (changed("smoothing = 0.1", "select = \"valid_ll\""), "there is no grid to select from"),
        (changed("smoothing = 0.1", "grid_sample = 3"), "there is no grid to sample from"),
        (
            changed("smoothing = 0.1", "grid = { smoothing = [1] }\nselect = \"blocks\""),
            "`blocks` can't select",
        ),
        (
            changed("smoothing = 0.1", "grid = { smoothing = [1] }\nselect = \"time:fit\""),
            "`time:fit` can't select",
        ),
        (changed("smoothing = 0.1", "smoothing = nan"), "a number must be finite"),
        (changed("seed = 1", "seed = 99999999999999999999"), "this whole number is too large"),
        (changed("rows = \"dataset\"", "rows = \"part\""), "the file has no parts"),
        (changed("rows = \"dataset\"", "rows = \"method\""), "rows and columns run over the same"),
        (
            changed("rows = \"dataset\"", "rows = \"grid:smoothing\""),
            "no method shown has a grid over `smoothing`",
        ),
        (changed("rows = \"dataset\"", "rows = \"metric\""), "`metric` does not fit this table"),
        (changed("metric = \"test_ll\"", ""), "`[[table]]` lacks `metric`"),
        (changed("metric = \"test_ll\"", "metric = \"test_ll\"\nscale = 0"), "`scale` can't be 0"),
        (
            changed("metric = \"test_ll\"", "metric = \"test_ll\"\nparts = [\"a\"]"),
            "the file has no parts",
        ),
        (
            changed("metric = \"test_ll\"", "metric = \"test_ll\"\npublished = \"../x.csv\""),
            "`published` can't be \"../x.csv\"",
        ),
        (
            changed("metric = \"test_ll\"", "metric = \"test_ll\"\ndatasets = [\"msnbc\"]"),
            "there is no dataset in this experiment `msnbc`",
        ),
        (
            format!(
                "{SMALL}[[test]]\nid = \"e\"\nkind = \"equivalence\"\nmetric = \"test_ll\"\nmargin = 0.1\n\
                 form = \"corrected-resampled-t\"\n"
            ),
            "`form` can't be \"corrected-resampled-t\"",
        ),
        (claim("{}"), "`check` has 0 keys"),
        (
            claim("{ wins = { left = \"CL\", right = \"CL\", metric = \"test_ll\" } }"),
            "`CL` is compared with itself",
        ),
        (
            claim("{ wins = { left = \"CL\", right = \"MEVM\", metric = \"blocks\" } }"),
            "no value of `blocks` is better than another",
        ),
        (
            claim(
                "{ wins = { left = \"CL\", right = \"MEVM\", metric = \"test_ll\", at_least = 3 } }",
            ),
            "there are only 2 datasets",
        ),
        (
            claim(
                "{ wins = { left = \"CL\", right = \"MEVM\", metric = \"test_ll\", at_least = \"most\" } }",
            ),
            "`at_least` can't be \"most\"",
        ),
        (
            claim(
                "{ wins = { left = \"CL\", right = \"MEVM\", metric = \"test_ll\", at_most = 1, exactly = 1 } }",
            ),
            "`at_most` and `exactly` exclude each other",
        ),
        (
            claim(
                "{ wins = { left = \"CL\", right = \"MEVM\", metric = \"test_ll\", except = [\"kdd\"], datasets = [\"kdd\"] } }",
            ),
            "`except` and `datasets` exclude each other",
        ),
        (
            claim(
                "{ wins = { left = \"CL\", right = \"MEVM\", metric = \"test_ll\", except = [\"kdd\", \"nltcs\"] } }",
            ),
            "no dataset is left",
        ),
        (
            claim(
                "{ rank = { method = \"CL\", metric = \"test_ll\", among = [\"MEVM\"], rank = 1 } }",
            ),
            "`CL` is not among the ranked",
        ),
        (
            claim("{ rank = { method = \"CL\", metric = \"test_ll\", rank = 2 } }"),
            "rank 2 of 2 always holds",
        ),
        (
            claim("{ p_value = { test = \"t\", left = \"CL\", right = \"MEVM\", below = 0.05 } }"),
            "there is no test `t`",
        ),
        (
            claim(
                "{ trend = { method = \"CL\", metric = \"test_ll\", along = \"smoothing\", direction = \"rising\" } }",
            ),
            "there is no swept parameter `smoothing`",
        ),
        (
            claim("{ ratio = { left = \"CL\", right = \"MEVM\", metric = \"test_ll\" } }"),
            "a range lacks `least` or `most`",
        ),
        (claim("{ counts = { metric = \"test_ll\", least = 1, most = 0 } }"), "the range is empty"),
        (
            claim("{ widens = { left = [\"CL\"], right = [\"MEVM\"], metric = \"test_ll\" } }"),
            "`left` and `right` make no two pairs of methods",
        ),
        (
            claim(
                "{ spread = { method = \"CL\", than = \"CL\", metric = \"test_ll\", least = 1 } }",
            ),
            "`CL` is compared with itself",
        ),
        (
            claim(
                "{ gains_more = { left = \"CL\", right = \"MEVM\", metric = \"test_ll\", on = [\"nltcs\"], \
                 than = [\"nltcs\", \"kdd\"] } }",
            ),
            "`nltcs` is compared with itself",
        ),
        (
            claim(
                "{ gains_more = { left = \"CL\", right = \"MEVM\", metric = \"test_ll\", on = [\"nltcs\"] } }",
            ),
            "`gains_more` lacks `than`",
        ),
        (
            claim("{ better_on = { metric = \"test_ll\", dataset = \"kdd\", than = \"kdd\" } }"),
            "`kdd` is compared with itself",
        ),
        (
            claim(
                "{ ties = { left = \"CL\", right = \"MEVM\", metric = \"test_ll\", \
                 significant = { test = \"none\", alpha = 0.05 } } }",
            ),
            "there is no test `none`",
        ),
        (
            claim("{ spread = { method = \"CL\", metric = \"test_ll\" } }"),
            "a range lacks `least` or `most`",
        ),
        (
            claim("{ counts = { metric = \"test_ll\", least = 1, at_most = 5 } }"),
            "there are only 4 cells",
        ),
    ];
    for (text, message) in cases {
        let found = messages(&text);
        assert!(found.iter().any(|found| found == message), "{message}: {found:#?}");
        assert!(found.len() <= 2, "{message}: {found:#?}");
    }
}

#[test]
fn wrong_tests_and_figures() {
    let test = |keys: &str| {
        messages(&format!("{SMALL}\n[[test]]\nid = \"t\"\nmetric = \"test_ll\"\n{keys}\n"))
    };
    assert_eq!(test("kind = \"wilcoxon\""), ["`[[test]]` knows no kind `wilcoxon`"]);
    assert_eq!(
        test("kind = \"sign\"\nzeros = \"drop\""),
        ["`[[test]]` of kind `sign` has no key `zeros`"]
    );
    assert_eq!(
        test("kind = \"wilcoxon-signed-rank\"\ncontinuity = true"),
        ["an exact p-value has no continuity correction"]
    );
    assert_eq!(
        test("kind = \"sign\"\nreference = \"CL\"\nmethods = [\"MEVM\"]")[0],
        "the reference `CL` does not take part"
    );
    assert_eq!(
        test("kind = \"sign\"\nmethods = [\"MEVM\"]"),
        ["a test compares at least two methods"]
    );
    assert_eq!(
        test("kind = \"mcnemar\"\npair_by = \"dataset\""),
        ["`pair_by` can't be \"dataset\""]
    );
    let timed =
        SMALL.to_owned() + "\n[[test]]\nid = \"t\"\nkind = \"sign\"\nmetric = \"time:fit\"\n";
    assert_eq!(messages(&timed), ["a test can't be about a time"]);

    let figure = |keys: &str| {
        messages(&format!("{SMALL}\n[[figure]]\nid = \"f\"\ny = \"test_ll\"\n{keys}\n"))
    };
    assert_eq!(figure("kind = \"line\""), ["`[[figure]]` of kind `line` lacks `x`"]);
    assert_eq!(
        figure("kind = \"line\"\nx = \"dataset\""),
        ["the x axis of a line figure is numeric"]
    );
    assert_eq!(figure("kind = \"dot\"\nseries = \"dataset\""), ["x and series run over the same"]);
    assert_eq!(figure("kind = \"dot\"\nclip = {}"), ["a range lacks `least` or `most`"]);
    assert_eq!(figure("kind = \"critical-difference\"\ntest = \"t\""), ["there is no test `t`"]);
    let without_y = |keys: &str| messages(&format!("{SMALL}\n[[figure]]\nid = \"f\"\n{keys}\n"));
    assert_eq!(without_y("kind = \"dot\""), ["`[[figure]]` lacks `y`"]);
    assert_eq!(
        without_y("kind = \"specification\"\nclaim = \"c\""),
        ["there is no claim `c`"],
        "it draws the effect of its claim"
    );
}

#[test]
fn tests_answer_what_they_are_asked() {
    let after = |text: &str| messages(&format!("{SMALL}{text}"));
    let test = |keys: &str| {
        format!("[[test]]\nid = \"t\"\nkind = \"sign\"\nmetric = \"test_ll\"\n{keys}\n")
    };
    let claim = |left: &str, right: &str| {
        format!(
            "[[claim]]\nid = \"c\"\ntext = \"t\"\nsource = \"s\"\ncheck = {{ p_value = {{ test = \"t\", \
             left = \"{left}\", right = \"{right}\", below = 0.05 }} }}\n"
        )
    };
    let third = "[[method]]\nid = \"NB\"\nkind = \"chow-liu\"\n";
    assert_eq!(
        after(&format!("{third}{}{}", test("reference = \"CL\""), claim("NB", "MEVM"))),
        ["test `t` compares with `CL` only"]
    );
    assert_eq!(
        after(&format!("{third}{}{}", test("methods = [\"CL\", \"MEVM\"]"), claim("NB", "CL"))),
        ["test `t` does not compare `NB`"]
    );
    assert_eq!(
        after(&format!("{}{}", test("pair_by = \"example\""), claim("CL", "MEVM"))),
        ["test `t` has a p-value for each dataset"]
    );
    let figure = "[[figure]]\nid = \"f\"\ny = \"test_ll\"\n";
    let ranks = "kind = \"critical-difference\"\ntest = \"t\"\n";
    assert_eq!(after(&format!("{}{figure}{ranks}", test(""))), ["`t` is not a Friedman test"]);
    let metrics = "kind = \"dot\"\nx = \"dataset\"\nseries = \"metric\"\n";
    assert_eq!(after(&format!("{figure}{metrics}")), ["a figure draws one metric"]);
    assert_eq!(
        after("[profile.Fast]\ntask.datasets = [\"nltcs\"]\n"),
        ["`Fast` can't be the name of a profile"]
    );
}

#[test]
fn a_diagram_of_ranks_shows_what_its_test_ranks() {
    let third = "\n[[method]]\nid = \"NB\"\nkind = \"chow-liu\"\n";
    let text = |test: &str, figure: &str| {
        format!(
            "{SMALL}{third}\n[[test]]\nid = \"t\"\nkind = \"friedman\"\nmetric = \"test_ll\"\n{test}\n\
             [[figure]]\nid = \"f\"\nkind = \"critical-difference\"\ntest = \"t\"\n{figure}\n"
        )
    };
    let wrong = |test: &str, figure: &str| messages(&text(test, figure));
    assert_eq!(wrong("", "y = \"train_ll\""), ["`t` says nothing about `train_ll`"]);
    let y = "y = \"test_ll\"\n";
    assert_eq!(wrong("pair_by = \"example\"", y), ["`t` ranks within each dataset"]);
    let methods = |ids: &str| format!("methods = [{ids}]\n");
    let two = methods("\"CL\", \"MEVM\"");
    assert_eq!(wrong("", &format!("{y}{two}")), ["`t` ranks other methods"]);
    let other = format!("{y}{}", methods("\"CL\", \"NB\""));
    assert_eq!(wrong(&two, &other), ["`t` ranks other methods"]);
    let one = "datasets = [\"kdd\"]\n";
    assert_eq!(wrong("", &format!("{y}{one}")), ["`t` ranks other datasets"]);
    let misspelt = format!("{y}{}", methods("\"CL\", \"MVEM\""));
    assert_eq!(wrong("", &misspelt), ["there is no method `MVEM`"]);
    let parts = SMALL.replace(
        "[task]\n",
        "[[part]]\nid = \"p\"\ndatasets = [\"nltcs\"]\n\n[[part]]\nid = \"q\"\ndatasets = [\"kdd\"]\n\n[task]\n",
    );
    let parts = parts.replace("datasets = [\"nltcs\", \"kdd\"]\n", "");
    let of_parts = |keys: &str| text("", &format!("{y}{keys}")).replace(SMALL, &parts);
    assert_eq!(messages(&of_parts("parts = [\"p\"]")), ["`t` ranks other parts"]);
    // In another order they are the same, and without these keys they are those of the test.
    let same = format!("{y}{}", methods("\"MEVM\", \"CL\""));
    for text in [text(&two, &same), text(&two, y), of_parts("parts = [\"q\", \"p\"]")] {
        let folder = Folder::new(&text);
        load(&folder.path(), None).map_err(|errors| folder.render(&errors)).unwrap();
    }
}

#[test]
fn a_test_compares_what_it_is_asked_about() {
    let third = "\n[[method]]\nid = \"NB\"\nkind = \"chow-liu\"\n";
    let text = |table: &str, rest: &str| {
        format!("{SMALL}{table}{third}\n[[test]]\nid = \"t\"\nmetric = \"test_ll\"\n{rest}")
    };
    let claim = |test: &str, check: &str| {
        let claim = "[[claim]]\nid = \"c\"\ntext = \"t\"\nsource = \"s\"\ncheck =";
        let text = text("", &format!("{test}\n{claim} {{ {check} }}\n"));
        let folder = Folder::new(&text);
        load(&folder.path(), None).map(|_| ()).map_err(|_| messages(&text))
    };
    let refused = |found: Result<(), Vec<String>>, message: &str| {
        assert_eq!(found, Err(vec![message.to_owned()]));
    };
    let at = "metric = \"test_ll\", significant = { test = \"t\", alpha = 0.05 }";
    let wins =
        |left: &str, right: &str| format!("wins = {{ left = \"{left}\", right = {right}, {at} }}");
    let papers = at.replace("0.05 }", "0.05, procedure = \"paper\" }");
    let rank = |keys: &str| format!("rank = {{ method = \"CL\", {keys}{papers} }}");
    let two = "kind = \"sign\"\nmethods = [\"CL\", \"MEVM\"]";
    refused(claim(two, &wins("CL", "\"NB\"")), "test `t` does not compare `NB`");
    refused(claim(two, &wins("CL", "\"others\"")), "test `t` does not compare `NB`");
    refused(claim(two, &wins("NB", "\"CL\"")), "test `t` does not compare `NB`");
    let on_each = |test: &str| format!("{test}\npair_by = \"example\"");
    refused(claim(&on_each(two), &rank("")), "test `t` does not compare `NB`");
    assert_eq!(claim(two, &wins("CL", "\"MEVM\"")), Ok(()));
    assert_eq!(claim(&on_each(two), &rank("among = [\"CL\", \"MEVM\"], ")), Ok(()));
    let reference = "kind = \"sign\"\nreference = \"MEVM\"";
    refused(claim(reference, &wins("CL", "\"others\"")), "test `t` compares with `MEVM` only");
    refused(claim(&on_each(reference), &rank("")), "test `t` compares with `MEVM` only");
    assert_eq!(claim(reference, &wins("MEVM", "\"others\"")), Ok(()));
    assert_eq!(claim(reference, &wins("CL", "\"MEVM\"")), Ok(()));
    // Nothing holds because nothing was shown.
    let silent = "this would hold where the test shows nothing";
    let ties = |at: &str| format!("ties = {{ left = \"CL\", right = \"MEVM\", {at} }}");
    refused(claim(two, &ties(at)), silent);
    assert_eq!(claim(&on_each(two), &ties(&papers)), Ok(()));
    // A p-value over all datasets is that of none of them.
    let of_all = "test `t` has one p-value for all datasets";
    refused(claim(two, &ties(&papers)), of_all);
    let twice = papers.replace("\"paper\" }", "\"paper\" }, at_least = 2");
    refused(claim(two, &ties(&twice)), of_all);
    refused(claim(two, &rank("among = [\"CL\", \"MEVM\"], ")), of_all);
    refused(claim(two, &wins("CL", "\"MEVM\"").replace(at, &papers)), of_all);
    refused(claim(two, &rank("among = [\"CL\", \"MEVM\"], ").replace(&papers, at)), silent);
    // What a test decides has no margin or ties of values, and one test of all datasets counts none.
    let beside = |keys: &str| wins("CL", "\"MEVM\"").replace("metric", &format!("{keys}, metric"));
    let of_values = "`margin` is of values, and here a test decides";
    refused(claim(two, &beside("margin = 0.1")), of_values);
    refused(
        claim(two, &beside("or_tied = true")),
        "a tie is one of values, and here a test decides",
    );
    refused(claim(two, &beside("at_least = 1")), "test `t` has one p-value for all datasets");
    assert_eq!(claim(two, &beside("matters = 0.1")), Ok(()));
    assert_eq!(claim(two, &beside("matters = -0.1")), Ok(()));
    let friedman = "kind = \"friedman\"\nmethods = [\"CL\", \"MEVM\"]";
    refused(claim(friedman, &beside("matters = 0.1")), "`t` can't tell how large a difference is");
    refused(claim(friedman, &beside("matters = -0.1")), "`t` can't tell how large a difference is");
    // By ranks, what is said of two depends on who else is listed.
    let ranks = "what `t` says of these depends on the others";
    let p = "p_value = { test = \"t\", left = \"CL\", right = \"MEVM\", KEYS }";
    let below = p.replace("KEYS", "below = 0.05");
    refused(claim("kind = \"friedman\"", &wins("CL", "\"MEVM\"")), ranks);
    refused(claim("kind = \"friedman\"\nreference = \"CL\"", &below), ranks);
    assert_eq!(claim("kind = \"friedman\"", &wins("CL", "\"others\"")), Ok(()));
    assert_eq!(claim(friedman, &below), Ok(()));
    let by_pairs = "kind = \"friedman\"\npairs = \"wilcoxon\"";
    assert_eq!(claim(by_pairs, &wins("CL", "\"MEVM\"")), Ok(()));
    // What a paper prints was by its ranks.
    let printed = p.replace("KEYS", "equals = 0.01, within = 0.1");
    assert_eq!(claim("kind = \"friedman\"", &printed), Ok(()));
    // An interval is not shifted, and has no p-value to count by; what is negligible is above what matters.
    let bootstrap = "kind = \"bootstrap\"\npair_by = \"repeat\"\nmethods = [\"CL\", \"MEVM\"]";
    for (keys, message) in [
        ("matters = 0.1", "`t` can't tell how large a difference is"),
        ("at_least = 1", "test `t` has intervals, which have no p-value to count by"),
    ] {
        let messages = claim(bootstrap, &beside(keys)).unwrap_err();
        assert!(messages.contains(&message.to_owned()), "{messages:?}");
    }
    let no_win = "matters = -0.2, negligible = 0.1";
    refused(
        claim(two, &beside(no_win)),
        "`negligible` is of a win, and `matters` below 0 asks for none",
    );
    let small = "matters = 0.2, negligible = 0.1";
    refused(claim(two, &beside(small)), "what matters is not negligible");
    let differ = "p_value = { test = \"t\", left = \"CL\", right = \"MEVM\", differ = true, below = 0.05, matters = 0.1 }";
    refused(claim(two, differ), "what matters is asked of `left` being better, with `below`");
    let by_values = "wins = { left = \"CL\", right = \"NB\", metric = \"test_ll\", matters = 0.1 }";
    refused(claim(two, by_values), "`matters` is asked of a test, and here values decide");
    let both = "p_value = { test = \"t\", left = \"CL\", right = \"MEVM\", below = 0.05, equals = 0.01, within = 0.1 }";
    refused(claim(two, both), "`below` is judged by the test, `equals` by values");
    let p = "p_value = { test = \"t\", left = \"CL\", right = \"MEVM\", below = 0.05 }";
    refused(claim("kind = \"bootstrap\"", p), "test `t` has no p-value");
    refused(claim("kind = \"bayesian-signed-rank\"\nregion = 0", p), "test `t` has no p-value");
    let same = "kind = \"equivalence\"\nmargin = 0.1";
    refused(claim(same, p), "`t` is a test of equivalence");
    refused(claim(same, &wins("CL", "\"MEVM\"")), "`t` is a test of equivalence");
    let equivalent = |keys: &str| {
        format!("equivalent = {{ left = \"CL\", right = \"MEVM\", metric = \"test_ll\", {keys} }}")
    };
    let by_test = "significant = { test = \"t\", alpha = 0.05 }";
    assert_eq!(claim(same, &equivalent(by_test)), Ok(()));
    assert_eq!(claim(two, &equivalent("margin = 0.1")), Ok(()));
    refused(claim(two, &equivalent(by_test)), "`t` is no test of equivalence");
    refused(
        claim(same, &equivalent(&format!("margin = 0.1, {by_test}"))),
        "the test has a margin of its own",
    );
    refused(
        claim(same, &equivalent("at_least = 1")),
        "`equivalent` lacks `significant` or `margin`",
    );

    let table = |methods: &str, test: &str, procedure: &str| {
        let bold = format!("best = \"max\"\nbold = {{ test = \"t\", alpha = 0.05{procedure} }}\n");
        let by = if test.contains("pair_by") { "" } else { "\npair_by = \"example\"" };
        let text = text(&format!("{bold}methods = [{methods}]\n"), &format!("{test}{by}"));
        let folder = Folder::new(&text);
        load(&folder.path(), None).map(|_| ()).map_err(|_| messages(&text))
    };
    const PAPER: &str = ", procedure = \"paper\"";
    let none = "test `t` compares no two methods that are shown";
    refused(table("\"CL\", \"NB\"", two, PAPER), none);
    refused(table("\"CL\", \"NB\"", reference, PAPER), none);
    refused(table("\"CL\", \"MVEM\"", two, ""), "there is no method `MVEM`");
    let alone = "kind = \"sign\"\nmethods = [\"NB\"]";
    refused(table("\"CL\", \"NB\"", alone, ""), "a test compares at least two methods");
    let all = "\"CL\", \"NB\", \"MEVM\"";
    assert_eq!(table(all, two, PAPER), Ok(()));
    assert_eq!(table(all, reference, PAPER), Ok(()));
    // The set that contains the best needs a test of all pairs of a row.
    let no_test = "`bold` needs a test of all pairs of a row, and `t` is none";
    for test in
        [two, reference, "kind = \"bootstrap\"", "kind = \"bayesian-signed-rank\"\nregion = 0"]
    {
        refused(table(all, test, ""), no_test);
    }
    assert_eq!(table("\"CL\", \"MEVM\"", two, ""), Ok(()));
    assert_eq!(table(all, "kind = \"sign\"", ""), Ok(()));
    let elsewhere = "kind = \"sign\"\npair_by = \"example\"\ndatasets = [\"kdd\"]";
    refused(table(all, elsewhere, ""), no_test);
}

/// A claim, a test or a table is of values that are there, and of one each.
#[test]
fn values_that_are_nowhere_or_in_two_parts() {
    const TEST: &str = "[[test]]\nid = \"t\"\nkind = \"sign\"\nmetric = \"test_ll\"\n";
    const WINS: &str = "[[claim]]\nid = \"c\"\ntext = \"t\"\nsource = \"s\"\n\
                        check = { wins = { left = \"CL\", right = \"MEVM\", metric = \"test_ll\" } }\n";
    let narrow =
        SMALL.replace("split = \"published\"\n", "split = \"published\"\nmethods = [\"CL\"]\n");
    let nowhere = "`MEVM` does not run where `test_ll` is measured";
    assert_eq!(messages(&format!("{narrow}{WINS}")), [nowhere]);
    assert_eq!(messages(&format!("{narrow}{TEST}methods = [\"CL\", \"MEVM\"]\n")), [nowhere]);
    let two = |more: &str| {
        let parts =
            format!("[[part]]\nid = \"a\"\n[[part]]\nid = \"b\"\n{more}\n[[method]]\nid = \"CL\"");
        SMALL.replace("[[method]]\nid = \"CL\"", &parts)
    };
    let twice = "`CL` has a value on `nltcs` in part `a` and in part `b`";
    assert_eq!(messages(&two("repeats = 3")), [twice]);
    let axis =
        two("repeats = 3").replace("columns = \"method\"", "columns = [\"part\", \"method\"]");
    assert_eq!(messages(&format!("{axis}{TEST}")), [twice]);
    let named = WINS.replace("source", "part = \"b\"\nsource");
    // What two parts try alike is one value.
    let own = format!("{axis}{TEST}part = \"b\"\n");
    let best = "best = \"max\"\nbold = { test = \"t\", alpha = 0.05 }\n";
    let by_example = "part = \"b\"\npair_by = \"example\"\n";
    let other = "test `t` is of part `b` alone";
    assert_eq!(messages(&format!("{axis}{best}{TEST}{by_example}")), [other]);
    for good in [format!("{axis}{named}"), own, format!("{}{WINS}{TEST}", two(""))] {
        load(&Folder::new(&good).path(), None).unwrap();
    }
}

/// A test over data sets says nothing of one of them.
#[test]
fn what_a_test_over_data_sets_does_not_say() {
    const TEST: &str = "[[test]]\nid = \"t\"\nkind = \"sign\"\nmetric = \"test_ll\"\n";
    let bold = |keys: &str, test: &str| {
        messages(&format!(
            "{SMALL}best = \"max\"\nbold = {{ test = \"t\", alpha = 0.05 }}\n{keys}{TEST}{test}"
        ))
    };
    assert_eq!(bold("", ""), ["test `t` has one p-value for all datasets"]);
    let across = "best_along = \"column\"\n";
    let several = "the cells among which the best is sought are of several datasets";
    assert_eq!(bold(across, "pair_by = \"example\"\n"), [several]);
    let wins = |on: &str, test: &str| {
        let check = format!(
            "left = \"CL\", right = \"MEVM\", metric = \"test_ll\", {on}significant = {{ test = \"t\", alpha = 0.05 }}"
        );
        let claim = "[[claim]]\nid = \"c\"\ntext = \"t\"\nsource = \"s\"\ncheck";
        let text = format!("{SMALL}{claim} = {{ wins = {{ {check} }} }}\n{TEST}{test}");
        load(&Folder::new(&text).path(), None)
            .map_err(|_| messages(&text))
            .err()
            .unwrap_or_default()
    };
    let other = ["test `t` is over other datasets than the claim"];
    assert_eq!(wins("datasets = [\"kdd\"], ", ""), other);
    assert_eq!(wins("", "datasets = [\"kdd\"]\n")[0], other[0]);
    assert!(wins("datasets = [\"kdd\"], ", "pair_by = \"example\"\n").is_empty());
}

/// So many universes would be drawn for minutes.
#[test]
fn more_universes_than_somebody_waits_for() {
    let of = |at: usize| {
        format!(
            "[[method]]\nid = \"M{at}\"\nkind = \"mevm\"\n[[choice]]\nid = \"c{at}\"\nquestion = \"q\"\n\
             target = [\"method:M{at}\"]\nparameter = \"partition\"\n\
             options = [\"sorted-first\", \"components\"]\nchosen = \"sorted-first\"\nwhy = \"w\"\n"
        )
    };
    let choices: String = (0..20).map(of).collect();
    let text =
        |sample: usize| format!("{SMALL}{choices}[universes]\ncover = 1\nsample = {sample}\n");
    assert_eq!(
        messages(&text(1_000_000)),
        ["so many universes of 20 choices take too long to draw"]
    );
    load(&Folder::new(&text(750_000)).path(), None).unwrap();
}

#[test]
fn names_and_sizes_that_say_nothing() {
    let called = SMALL.replace("kind = \"mevm\"", "kind = \"mevm\"\nlabel = \"CL\"");
    assert_eq!(messages(&called), ["`CL` and `MEVM` are both called CL"]);
    let long = SMALL.replace("id = \"table\"", &format!("id = \"{}\"", "t".repeat(101)));
    assert!(report_on(&long).contains("an id: up to 100 letters"), "{}", report_on(&long));
    let classes = SMALL
        .replace("kind = \"density\"", "kind = \"classification\"")
        .replace("metric = \"test_ll\"", "metric = \"test_accuracy\"");
    let alike =
        "[[test]]\nid = \"t\"\nkind = \"equivalence\"\nmargin = 5\nmetric = \"test_accuracy\"\n";
    let found = messages(&format!("{classes}{alike}"));
    let says = "no two values of `test_accuracy` differ by more than 1";
    assert!(found.iter().any(|message| message == says), "{found:?}");
    // Nor does a claim ask for more.
    let paired = alike.replace("equivalence\"\nmargin = 5", "paired-t\"");
    let wins = "wins = { left = \"CL\", right = \"MEVM\", metric = \"test_accuracy\", matters = -5.0, \
                significant = { test = \"t\", alpha = 0.05 } }";
    let claim =
        format!("[[claim]]\nid = \"c\"\ntext = \"t\"\nsource = \"s\"\ncheck = {{ {wins} }}\n");
    let found = messages(&format!("{classes}{paired}{claim}"));
    assert!(found.iter().any(|message| message == says), "{found:?}");
    let grid = "kind = \"mevm\"\ngrid = { smoothing = [0.1, 1.0] }\nselect = \"test_ll\"";
    let text = SMALL
        .replace("split = \"published\"", "split = { cv = { folds = 2 } }")
        .replace("kind = \"mevm\"", grid);
    assert!(report_on(&text).contains("select = \"valid_ll\""), "{}", report_on(&text));
}

#[test]
fn a_section_that_comes_again_is_one_error() {
    let found = report_on(&SMALL.replace("[[method]]", "[method]"));
    assert!(found.contains("duplicate key") && found.contains("`[[method]]`"), "{found}");
    assert_eq!(found.matches("not valid TOML").count(), 1, "{found}");
}

#[test]
fn claims_that_would_hold_of_nothing() {
    let claim = |text: &str, check: &str| {
        let claim = "[[claim]]\nid = \"c\"\ntext = \"t\"\nsource = \"s\"\ncheck =";
        messages(&format!("{text}\n{claim} {{ {check} }}\n"))
    };
    let alone = SMALL.replace("[[method]]\nid = \"MEVM\"\nkind = \"mevm\"\n", "");
    assert_eq!(
        claim(&alone, "wins = { left = \"CL\", right = \"others\", metric = \"test_ll\" }"),
        ["there is no method but `CL`"]
    );
    let words = SMALL
        .replace(
            "kind = \"mevm\"\n",
            "kind = \"mevm\"\nsweep = { partition = [\"sorted-first\", \"components\"] }\n",
        )
        .replace("columns = \"method\"", "columns = [\"method\", \"sweep:partition\"]");
    let swept = "method = \"MEVM\", along = \"partition\", metric = \"test_ll\"";
    for form in ["trend = { direction = \"rising\", ", "best_at = { least = 1, "] {
        assert_eq!(
            claim(&words, &format!("{form}{swept} }}")),
            ["`partition` has values that are not numbers"]
        );
    }
}

#[test]
fn a_claim_about_a_part_is_about_its_trials() {
    let split = "split = \"published\"\n";
    let parts = SMALL.replace(split, "").replace(
        "[[method]]\nid = \"CL\"",
        &format!("[[part]]\nid = \"one\"\n{split}[[part]]\nid = \"two\"\n{split}\n[[method]]\nid = \"CL\""),
    );
    let test = "[[test]]\nid = \"w\"\nkind = \"wilcoxon-signed-rank\"\nmetric = \"test_ll\"\n\
                reference = \"CL\"\nmethods = [\"CL\", \"MEVM\"]\n";
    let claim = |part: &str, check: &str| {
        let claim = "[[claim]]\nid = \"c\"\ntext = \"t\"\nsource = \"s\"";
        messages(&format!("{parts}\n{test}{claim}\npart = \"{part}\"\ncheck = {{ {check} }}\n"))
    };
    let wins = "wins = { left = \"CL\", right = \"MEVM\", metric = \"test_ll\" }";
    assert_eq!(claim("three", wins), ["there is no part `three`"]);
    let of_test = "p_value = { test = \"w\", left = \"CL\", right = \"MEVM\", below = 0.05 }";
    // Of the datasets those of the part count.
    let narrow = parts.replace("id = \"two\"\n", "id = \"two\"\ndatasets = [\"kdd\"]\n");
    let narrow = format!(
        "{narrow}\n[[claim]]\nid = \"c\"\ntext = \"t\"\nsource = \"s\"\npart = \"two\"\ncheck = {{ {wins} }}\n"
    );
    let least = narrow.replace("\"test_ll\" }", "\"test_ll\", at_least = 2 }");
    assert_eq!(messages(&least).len(), 1, "{:?}", messages(&least));
    load(&Folder::new(&narrow).path(), None).expect("one of one dataset");
    assert_eq!(claim("two", of_test), ["`p_value` judges the test `w`, which is over all parts"]);
}

#[test]
fn a_table_that_is_none_is_shown_as_one() {
    let short = report("\"published\"", "{ cv = 5 }");
    assert!(short.contains("write cv = { folds = 5 }"), "{short}");
    let resample = report("\"published\"", "{ resample = 5 }");
    assert!(
        resample.contains("write resample = { train = …, test = …, repeats = … }"),
        "{resample}"
    );
}

#[test]
fn outputs_that_would_not_say_what_they_seem_to() {
    let grid = "grid = { smoothing = [0.1, 1.0] }\nselect = \"test_ll\"";
    assert_eq!(messages(&SMALL.replace("smoothing = 0.1", grid)), ["`test_ll` can't select"]);
    let grid = "grid = { components = [2, 3], smoothing = [0.1, 1.0] }\nselect = \"valid_ll\"";
    let figure = "[[figure]]\nid = \"f\"\nkind = \"line\"\nx = \"grid:components\"\n\
                  y = \"test_ll\"\nseries = \"method\"\nmethods = [\"MEVM\"]\n";
    let mevm = "kind = \"mevm\"\n";
    let text = SMALL.replace(mevm, &format!("{mevm}{grid}\n"));
    assert_eq!(
        messages(&format!("{text}{figure}")),
        ["the grid of `MEVM` runs over `smoothing` too"]
    );
    // What another method's grid runs over does not matter.
    let one = "grid = { components = [2, 3] }\nselect = \"valid_ll\"\n";
    let other = "grid = { smoothing = [0.1, 1.0] }\nselect = \"valid_ll\"";
    let text = SMALL.replace(mevm, &format!("{mevm}{one}")).replace("smoothing = 0.1", other);
    let both = figure.replace("methods = [\"MEVM\"]\n", "");
    let folder = Folder::new(&format!("{text}{both}"));
    load(&folder.path(), None)
        .expect("each method's grid is shown whole, or at its selected point");
    let table = |keys: &str, test: &str| {
        let bold = "best = \"max\"\nbold = { test = \"t\", alpha = 0.05 }\n";
        messages(&format!("{SMALL}{bold}{keys}\n[[test]]\nid = \"t\"\n{test}\n"))
    };
    assert_eq!(
        table("", "kind = \"sign\"\nmetric = \"train_ll\""),
        ["`t` says nothing about `test_ll`"]
    );
    assert_eq!(
        table("", "kind = \"bootstrap\"\nmetric = \"test_ll\"\nlevel = 0.9"),
        ["the interval of `t` has the level 0.9"]
    );
    let level = "best = \"max\"\nbold = { test = \"t\", alpha = 0.01 }\n[[test]]\nid = \"t\"\n\
                 kind = \"bootstrap\"\nmetric = \"test_ll\"\n";
    assert!(report_after(level).contains("write alpha = 0.05, or"), "{}", report_after(level));
    assert_eq!(
        table("", "kind = \"bootstrap\"\nmetric = \"test_ll\"\ncorrection = \"holm\""),
        ["`[[test]]` of kind `bootstrap` has no key `correction`"]
    );
    let claim = "[[claim]]\nid = \"c\"\ntext = \"t\"\nsource = \"s\"\n\
                 check = { wins = { left = \"CL\", right = \"MEVM\", metric = \"test_ll\", \
                 at_least = \"all\", significant = { test = \"t\", alpha = 0.05 } } }\n\
                 [[test]]\nid = \"t\"\nkind = \"sign\"\nmetric = \"train_ll\"\n";
    assert_eq!(messages(&format!("{SMALL}{claim}")), ["`t` says nothing about `test_ll`"]);
    for path in ["trials.csv", "tables/table.csv", "published.csv"] {
        let found = messages(&format!("{SMALL}published = \"{path}\"\n"));
        assert!(found[0].contains("`published`"), "{found:?}");
    }
}

#[test]
fn keys_of_other_tasks() {
    let says = |found: Vec<String>, wanted: &str| {
        assert!(found.iter().any(|message| message == wanted), "{wanted}: {found:?}");
    };
    let task = |keys: &str| messages(&SMALL.replace("[task]\n", &format!("[task]\n{keys}\n")));
    assert_eq!(task("label_noise = 0.1"), ["a density task has no `label_noise`"]);
    assert_eq!(task("change = \"order\""), ["a density task has no `change`"]);
    assert_eq!(task("orders = 3"), ["a density task has no `orders`"]);
    says(task("orders = 1"), "`orders` can't be 1");
    let boundary = |keys: &str| {
        let text = SMALL.replace("kind = \"density\"", &format!("kind = \"boundary\"\n{keys}"));
        messages(&text)
    };
    says(boundary("label_noise = 0.1"), "a boundary task has no `label_noise`");
    says(boundary("classes = \"all-pairs\""), "a boundary task has no `classes`");
    says(boundary("change = \"outliers\"\norders = 3"), "`orders` is a key of change = \"order\"");
    let text = SMALL
        .replace("kind = \"density\"", "kind = \"boundary\"\nchange = \"outliers\"")
        .replace("\"published\"", "\"leave-one-out\"");
    says(messages(&text), "every repeat draws its own examples");
    let figure = "\n[[figure]]\nid = \"f\"\nkind = \"boundary\"\ny = \"test_ll\"\n";
    says(messages(&format!("{SMALL}{figure}")), "only boundary tasks have boundaries to draw");
    let tree = figure.replace("\"boundary\"", "\"tree\"");
    let text = SMALL.replace("kind = \"density\"", "kind = \"boundary\"\nchange = \"outliers\"");
    says(messages(&format!("{text}{tree}")), "only density tasks have trees to draw");
}

#[test]
fn wrong_p_values() {
    let claim = |keys: &str| {
        messages(&format!(
            "{SMALL}\n[[method]]\nid = \"X\"\nkind = \"chow-liu\"\n\n[[test]]\nid = \"t\"\n\
             kind = \"sign\"\nmetric = \"test_ll\"\nreference = \"CL\"\nmethods = [\"CL\", \"MEVM\"]\n\n\
             [[claim]]\nid = \"c\"\ntext = \"t\"\nsource = \"s\"\n[claim.check.p_value]\ntest = \"t\"\n{keys}\n"
        ))
    };
    assert_eq!(claim("left = \"CL\"\nright = \"MEVM\""), ["`p_value` lacks `below` or `equals`"]);
    assert_eq!(
        claim("left = \"CL\"\nright = \"MEVM\"\nequals = 0.01"),
        ["`p_value` lacks `within`"]
    );
    assert_eq!(
        claim("left = \"CL\"\nright = \"MEVM\"\nbelow = 0.01\nwithin = 0.1"),
        ["`within` is a distance from `equals`"]
    );
    assert_eq!(
        claim("left = \"CL\"\nright = \"X\"\nbelow = 0.01"),
        ["test `t` does not compare `X`"]
    );
}

#[test]
fn wrong_choices() {
    let choice = |keys: &str| {
        let common = "id = \"c\"\nquestion = \"q\"\nwhy = \"w\"\n";
        let more = format!("{SMALL}\n[[method]]\nid = \"Q\"\npublished_only = true\n");
        messages(&format!("{more}\n[[choice]]\n{common}{keys}\n"))
    };
    assert_eq!(
        choice(
            "target = \"method:MVM\"\nparameter = \"partition\"\noptions = [\"components\", \"sorted-first\"]\nchosen = \"components\""
        ),
        ["there is no target `method:MVM`"]
    );
    assert_eq!(
        choice(
            "target = \"method:Q\"\nparameter = \"partition\"\noptions = [\"components\", \"sorted-first\"]\nchosen = \"components\""
        ),
        ["`Q` is published only"]
    );
    assert_eq!(
        choice(
            "target = [\"method:MEVM\", \"method:CL\"]\nparameter = \"partition\"\noptions = [\"components\", \"sorted-first\"]\nchosen = \"components\""
        ),
        ["method `CL`, of kind `chow-liu`, has no `partition`"]
    );
    assert_eq!(
        choice("target = \"method:MEVM\"\nparameter = \"restarts\"\noptions = [1, 2]\nchosen = 3"),
        ["`3` is not among the options"]
    );
    assert_eq!(
        choice("target = \"method:MEVM\"\nparameter = \"restarts\"\noptions = [1]\nchosen = 1"),
        ["a choice has at least two options"]
    );
    assert_eq!(
        choice("target = \"method:MEVM\"\nparameter = \"restarts\"\noptions = [0, 1]\nchosen = 1"),
        ["`restarts` can't be 0"]
    );
    assert_eq!(
        choice(
            "target = \"method:MEVM\"\nparameter = \"restarts\"\noptions = [1, 2]\nchosen = 1\nrepeats = 2"
        ),
        ["options are run for no more repeats than the task"]
    );
    assert_eq!(
        choice(
            "target = \"method:MEVM\"\nparameter = \"restarts\"\noptions = [1, 2]\nchosen = 1\nmethods = [\"MEVM\"]"
        ),
        ["`methods` is for choices about datasets"]
    );
    let twice = "target = \"method:MEVM\"\nparameter = \"restarts\"\noptions = [1, 2]\nchosen = 1\n\
                 [[choice]]\nid = \"d\"\nquestion = \"q\"\nwhy = \"w\"\ntarget = \"method:MEVM\"\n\
                 parameter = \"restarts\"\noptions = [1, 2]\nchosen = 1";
    assert_eq!(choice(twice), ["`restarts` of `MEVM` has two choices"]);
}

/// Without one of its lines, or with another value, a file gives an experiment or at least one error.
#[test]
fn any_file_gives_an_experiment_or_errors() {
    let text = include_str!("table5.toml");
    let junk = ["\"x\"", "-1", "1e300", "true", "[]", "{}"];
    let lines: Vec<&str> = text.lines().collect();
    let folder = Folder::new(text);
    folder.write("published/table5.csv", "row,column,metric,value,sd\n");
    for (index, line) in lines.iter().enumerate() {
        let mut replacements = vec![String::new(), "[".to_owned(), format!("{line}\n{line}")];
        if let Some((key, _)) = line.split_once(" = ") {
            replacements.extend(junk.iter().map(|value| format!("{key} = {value}")));
            replacements.push(format!("{key}x = 1"));
        }
        for replacement in &replacements {
            let mut changed = lines.clone();
            changed[index] = replacement;
            folder.write("experiment.toml", &changed.join("\n"));
            if let Err(errors) = load(&folder.path(), Some("smoke")) {
                assert!(!errors.errors.is_empty(), "line {index}: {replacement}");
            }
        }
    }
}

#[test]
fn empty_lists_of_sections_are_no_sections() {
    for section in ["part", "method", "table", "claim"] {
        let text = SMALL.replace(&format!("[[{section}]]"), &format!("[[removed-{section}]]"));
        let found = messages(&format!("{section} = []\n{text}"));
        let wanted = format!("`{section}` is an empty list");
        assert!(found.contains(&wanted), "{found:?}");
    }
}

/// [`SMALL`] with a choice and a table that has published values, and these keys of a `[[difference]]`.
fn with_difference(keys: &str) -> Folder {
    let text = format!(
        "{}published = \"published/table.csv\"\n\n[[table]]\nid = \"own\"\nrows = \"dataset\"\ncolumns = \
         \"method\"\nmetric = \"test_ll\"\n\n[[choice]]\nid = \"partition\"\nquestion = \"q\"\ntarget = \
         \"method:MEVM\"\nparameter = \"partition\"\noptions = [\"sorted-first\", \"components\"]\nchosen = \
         \"sorted-first\"\nwhy = \"w\"\n\n[[difference]]\n{keys}\n\n[profile.smoke]\ntask.datasets = [\"nltcs\"]\n",
        SMALL
    );
    let folder = Folder::new(&text);
    folder.write(
        "published/table.csv",
        "row,column,metric,value,sd\nnltcs,CL,test_ll,-6.70,\nnltcs,MEVM,test_ll,-6,\nkdd,CL,test_ll,-2.1e0,\n",
    );
    folder
}

fn difference(keys: &str) -> Vec<String> {
    let folder = with_difference(keys);
    match load(&folder.path(), None) {
        Ok(experiment) => {
            assert_eq!(experiment.differences.len(), 1);
            Vec::new()
        }
        Err(errors) => errors.errors.iter().map(ToString::to_string).collect(),
    }
}

#[test]
fn differences_name_what_is_there() {
    let cell = "table = \"table\"\nrows = \"nltcs\"\ncolumns = [\"MEVM\", \"CL\"]\n";
    let shown = "moves_to = { choice = \"partition\", option = \"components\" }\ndocument = \"docs/evm.md#table-5\"\n";
    let whole = format!("{cell}cause = \"Another rule.\"\n{shown}");
    assert_eq!(difference(&whole), [""; 0]);
    assert_eq!(difference(&whole.replace("cause", "tried")), [""; 0]);
    let wrong = |from: &str, to: &str| difference(&whole.replacen(from, to, 1));
    assert_eq!(wrong("\"table\"", "\"tabel\""), ["there is no table `tabel`"]);
    assert_eq!(wrong("\"table\"", "\"own\""), ["`own` has no published values"]);
    assert_eq!(wrong("\"nltcs\"", "\"nltsc\""), ["`table` has no row `nltsc`"]);
    assert_eq!(wrong("\"CL\"", "\"LC\""), ["`table` has no column `LC`"]);
    assert_eq!(
        wrong("\"nltcs\"", "\"kdd\""),
        ["the paper prints nothing at row `kdd`, column `MEVM` of `table`"]
    );
    assert_eq!(wrong("\"partition\"", "\"parition\""), ["there is no choice `parition`"]);
    assert_eq!(wrong("\"components\"", "\"component\""), ["there is no option `component`"]);
    assert_eq!(wrong("choice = \"partition\", ", ""), ["an option of which choice?"]);
    let of_experiment = "experiment = \"evm/other\", values = \"published/table.csv\"";
    let option = "choice = \"partition\", option = \"components\"";
    assert_eq!(wrong(option, of_experiment), [""; 0]);
    assert_eq!(wrong(option, "experiment = \"evm/other\""), ["what moves our values?"]);
    assert_eq!(wrong(option, &format!("{option}, {of_experiment}")), ["what moves our values?"]);
    // A document alone shows what was tried, and so does a choice without the option.
    let unshown = "a cause says what moves our values";
    assert_eq!(
        wrong("moves_to = { choice = \"partition\", option = \"components\" }\n", ""),
        [unshown]
    );
    assert_eq!(wrong(", option = \"components\"", ""), [unshown]);
    let tried = whole.replace("cause", "tried").replace(", option = \"components\"", "");
    assert_eq!(difference(&tried), [""; 0]);
    assert_eq!(difference(&format!("{cell}tried = \"x\"\n")), ["nothing shows the cause"]);
    assert_eq!(wrong("cause = \"Another rule.\"\n", ""), ["why do they differ?"]);
    assert_eq!(
        wrong(shown, &format!("{shown}tried = \"x\"\n")),
        ["`cause` and `tried` exclude each other"]
    );
    assert!(wrong("docs/evm.md#table-5", "evm.md")[0].starts_with("`document` can't be"));
    let twice = format!("{whole}\n[[difference]]\n{}", whole.replace(", \"CL\"", ""));
    assert_eq!(difference(&twice), ["row `nltcs`, column `MEVM` of `table` is explained twice"]);
}

#[test]
fn a_wrong_difference_is_shown_where_it_stands() {
    let keys = "table = \"table\"\nrows = [\"nltcs\", \"nltsc\"]\ncolumns = \"CL\"\ntried = \"x\"\n\
                document = \"docs/evm.md#table-5\"";
    let folder = with_difference(keys);
    let errors = load(&folder.path(), None).unwrap_err();
    insta::assert_snapshot!(folder.render(&errors));
}

#[test]
fn a_profile_narrows_differences_and_published_values_keep_their_digits() {
    let keys = "table = \"table\"\nrows = [\"nltcs\", \"kdd\"]\ncolumns = \"CL\"\ntried = \"x\"\n\
                document = \"docs/evm.md#table-5\"";
    let folder = with_difference(keys);
    let rows = |profile| {
        let experiment = load(&folder.path(), profile).unwrap();
        experiment.differences[0].rows.iter().map(|row| row.value.clone()).collect::<Vec<_>>()
    };
    assert_eq!(rows(None), ["nltcs", "kdd"]);
    assert_eq!(rows(Some("smoke")), ["nltcs"]);
    let experiment = load(&folder.path(), None).unwrap();
    let units: Vec<f64> = experiment.published[0].values.iter().map(|value| value.unit).collect();
    assert_eq!(units, [0.01, 1.0, 0.1]);
}

#[test]
fn corrections_that_contradict_each_other() {
    let tests = |one: &str, other: &str| {
        let test = |id: &str, keys: &str| {
            format!("[[test]]\nid = \"{id}\"\nkind = \"sign\"\nmetric = \"test_ll\"\n{keys}\n")
        };
        format!("{SMALL}{}{}", test("a", one), test("b", other))
    };
    assert_eq!(
        messages(&tests("", "family = \"a\"\ncorrection = \"none\"")),
        ["family `a` has two corrections"]
    );
    let folder =
        Folder::new(&tests("correction = \"none\"", "family = \"a\"\ncorrection = \"none\""));
    load(&folder.path(), None).expect("one family, one correction");
    let friedman = |keys: &str| {
        format!("{SMALL}[[test]]\nid = \"f\"\nkind = \"friedman\"\nmetric = \"test_ll\"\n{keys}\n")
    };
    assert_eq!(
        messages(&friedman("correction = \"none\"")),
        ["Nemenyi's comparisons of all pairs have a correction of their own"]
    );
    let folder = Folder::new(&friedman("correction = \"none\"\nreference = \"CL\""));
    load(&folder.path(), None).expect("comparisons with a reference may go without");
}

#[test]
fn what_is_neither_good_nor_bad_has_no_direction() {
    let claim = |keys: &str| {
        let small = SMALL.replace("split = ", "metrics = [\"test_ll\", \"parameters\"]\nsplit = ");
        format!(
            "{small}[[test]]\nid = \"t\"\nkind = \"sign\"\nmetric = \"parameters\"\n\
             [[claim]]\nid = \"c\"\ntext = \"t\"\nsource = \"s\"\ncheck = {{ p_value = {{ test = \"t\", \
             left = \"CL\", right = \"MEVM\", below = 0.05{keys} }} }}\n"
        )
    };
    assert_eq!(messages(&claim("")), ["no value of `parameters` is better than another"]);
    let folder = Folder::new(&claim(", differ = true"));
    load(&folder.path(), None).expect("that they differ needs no direction");
}
