//! Keys of `[[test]]`, `[[table]]` and `[[figure]]`.

use super::super::key::{AXIS, Absent, BESIDE, Form, ID, Key, TEXT, Variant};
use super::{
    ALL_DATASETS, ALL_METHODS, ALL_PARTS, AN_AXIS, COUNT, FALSE, IDS, LEVEL, POSITIVE, TRUTH, key,
};
use contract::parameter::Domain;

pub(super) const TEST: &[Key] = &[
    key("id", Form::Text(&ID), Absent::Required, "its id"),
    key("metric", Form::Metric, Absent::Required, "what is compared; not a time"),
    key(
        "reference",
        Form::Text(&ID),
        Absent::Means("all pairs of methods"),
        "the method that all others are compared with",
    ),
    key(
        "methods",
        IDS,
        ALL_METHODS,
        "the methods compared; published-only ones by their published values",
    ),
    key("datasets", IDS, ALL_DATASETS, "the datasets that count"),
];

const PAIR_BY: Key = key(
    "pair_by",
    Form::One(Domain::Word(&[
        ("dataset", "values averaged over everything else; one test"),
        ("problem", "a class pair; one test a dataset"),
        ("fold", "one test a dataset"),
        ("repeat", "one test a dataset"),
        ("example", "a test example; one test a dataset"),
        (
            "auto",
            "what a dataset has several of: problems, else folds, else repeats, else test examples; \
             one test a dataset",
        ),
    ])),
    Absent::Value("\"dataset\""),
    "what one pair is",
);

const CORRECTION: Key = key(
    "correction",
    Form::One(Domain::Word(&[
        ("none", "none"),
        ("bonferroni", "Bonferroni"),
        ("holm", "Holm's step-down"),
        ("benjamini-hochberg", "Benjamini and Hochberg's false discovery rate"),
    ])),
    Absent::Value("\"none\""),
    "correction over the comparisons of this test",
);

pub(super) const TEST_KINDS: &[Variant] = &[
    Variant {
        word: "paired-t",
        meaning: "Student's t on paired differences",
        keys: &[PAIR_BY, CORRECTION],
    },
    Variant { word: "welch-t", meaning: "Welch's t on two samples", keys: &[PAIR_BY, CORRECTION] },
    Variant {
        word: "wilcoxon-signed-rank",
        meaning: "Wilcoxon signed-rank",
        keys: &[
            PAIR_BY,
            CORRECTION,
            key(
                "p_value",
                Form::One(Domain::Word(&[
                    ("exact", "the exact null distribution"),
                    ("normal", "its normal approximation"),
                ])),
                Absent::Value("\"exact\""),
                "where the p-value comes from",
            ),
            key(
                "zeros",
                Form::One(Domain::Word(&[
                    ("drop", "dropped before ranking (Wilcoxon)"),
                    ("pratt", "ranked, then dropped (Pratt)"),
                    ("split", "ranked, their ranks split evenly"),
                ])),
                Absent::Value("\"drop\""),
                "what becomes of zero differences",
            ),
            key("continuity", TRUTH, FALSE, "continuity correction of the normal approximation"),
        ],
    },
    Variant { word: "sign", meaning: "sign test (exact binomial)", keys: &[PAIR_BY, CORRECTION] },
    Variant {
        word: "mcnemar",
        meaning: "McNemar's test on 0/1 outcomes",
        keys: &[
            key(
                "pair_by",
                Form::One(Domain::Word(&[("example", "a test example; one test a dataset")])),
                Absent::Value("\"example\""),
                "what one pair is",
            ),
            CORRECTION,
            key(
                "p_value",
                Form::One(Domain::Word(&[
                    ("exact", "exact binomial"),
                    ("chi-squared", "chi-squared with one degree of freedom"),
                ])),
                Absent::Value("\"exact\""),
                "where the p-value comes from",
            ),
            key("continuity", TRUTH, FALSE, "continuity correction of the chi-squared form"),
        ],
    },
    Variant {
        word: "friedman",
        meaning: "Friedman's test over all methods; with `reference`, Holm's step-down against it; \
                  without, Nemenyi's comparisons of all pairs",
        keys: &[PAIR_BY],
    },
    Variant {
        word: "corrected-resampled-t",
        meaning: "Nadeau and Bengio's corrected resampled t-test",
        keys: &[
            key(
                "pair_by",
                Form::One(Domain::Word(&[
                    ("fold", "one test a dataset"),
                    ("repeat", "one test a dataset"),
                    ("auto", "folds where a dataset has several, else repeats"),
                ])),
                Absent::Value("\"fold\""),
                "what one pair is",
            ),
            CORRECTION,
        ],
    },
    Variant {
        word: "bootstrap",
        meaning: "bootstrap interval of the mean difference",
        keys: &[
            PAIR_BY,
            key("resamples", COUNT, Absent::Value("10000"), "number of resamples"),
            key("level", LEVEL, Absent::Value("0.95"), "confidence level"),
        ],
    },
];

pub(super) const BOLD: &[Key] = &[
    key("test", Form::Text(&ID), Absent::Required, "id of a `[[test]]`"),
    key("alpha", LEVEL, Absent::Required, "its level"),
];

const PUBLISHED: Key = key(
    "published",
    Form::Text(&BESIDE),
    Absent::Means("none"),
    "file of the paper's numbers, with the columns row, column, metric, value, sd",
);

pub(super) const TABLE: &[Key] = &[
    key("id", Form::Text(&ID), Absent::Required, "its id, the name of its files"),
    key("title", Form::Text(&TEXT), Absent::Means("the experiment's title"), "caption"),
    key(
        "rows",
        Form::OneOrMany(&AN_AXIS),
        Absent::Required,
        "what the rows run over, outermost first",
    ),
    key(
        "columns",
        Form::OneOrMany(&AN_AXIS),
        Absent::Required,
        "what the columns run over, outermost first",
    ),
    key(
        "metric",
        Form::Metric,
        Absent::Means("`metrics`, if \"metric\" is an axis"),
        "what is shown",
    ),
    key(
        "metrics",
        Form::List(&Form::Metric),
        Absent::Means("`metric`, unless \"metric\" is an axis"),
        "what the axis \"metric\" runs over",
    ),
    key("methods", IDS, ALL_METHODS, "the methods shown, in their order"),
    key("datasets", IDS, ALL_DATASETS, "the datasets shown, in their order"),
    key("parts", IDS, ALL_PARTS, "the parts shown, in their order"),
    key(
        "digits",
        Form::One(Domain::Integer { least: 0, most: 15 }),
        Absent::Value("2"),
        "digits after the decimal point",
    ),
    key(
        "scale",
        POSITIVE,
        Absent::Value("1.0"),
        "factor applied to our values, not to published ones",
    ),
    PUBLISHED,
    key(
        "best",
        Form::One(Domain::Word(&[
            ("none", "none is marked"),
            ("max", "the largest"),
            ("min", "the smallest"),
        ])),
        Absent::Value("\"none\""),
        "which cells are the best",
    ),
    key(
        "best_along",
        Form::One(Domain::Word(&[
            ("row", "the cells of a row are compared"),
            ("column", "the cells of a column are compared"),
        ])),
        Absent::Value("\"row\""),
        "among which cells the best is sought",
    ),
    key(
        "bold",
        Form::Table(BOLD),
        Absent::Means("nothing is bold"),
        "bold are the best and every method not significantly worse",
    ),
    key(
        "partial",
        Form::One(Domain::Bool),
        Absent::Value("false"),
        "a cell is the mean over those of its trials that report the metric, and says how many they are where \
         others do not; otherwise such a cell has no value",
    ),
    key(
        "worse_than",
        Form::Text(&ID),
        Absent::Means("no cell has one"),
        "a dagger marks values, ours and published, that are worse than this method's would be in their place",
    ),
    key(
        "sd",
        Form::One(Domain::Word(&[
            ("none", "no standard deviation"),
            ("repeat", "repeats, after averaging over problems and folds"),
            ("fold", "folds, after averaging over problems; repeats pooled"),
            ("problem", "problems; folds and repeats averaged first"),
            ("sample", "the samples that the metric returns, pooled"),
            ("standard-error", "standard error of the mean over the folds of all repeats"),
        ])),
        Absent::Value("\"none\""),
        "what the standard deviation of a cell is over",
    ),
];

pub(super) const FIGURE: &[Key] = &[
    key("id", Form::Text(&ID), Absent::Required, "its id, the name of its files"),
    key("title", Form::Text(&TEXT), Absent::Means("the experiment's title"), "drawn above"),
    key("methods", IDS, ALL_METHODS, "the methods shown, in their order"),
    key("datasets", IDS, ALL_DATASETS, "the datasets shown, in their order"),
    key("parts", IDS, ALL_PARTS, "the parts shown, in their order"),
    key("y", Form::Metric, Absent::Required, "what is drawn"),
];

const SERIES: Key = key(
    "series",
    Form::Text(&AXIS),
    Absent::Value("\"method\""),
    "one line, marker or colour each",
);
const X_LABEL: Key =
    key("x_label", Form::Text(&TEXT), Absent::Means("the name of x"), "text under the x axis");
const Y_LABEL: Key =
    key("y_label", Form::Text(&TEXT), Absent::Means("the metric's label"), "text at the y axis");
const Y_LOG: Key = key("y_log", TRUTH, FALSE, "logarithmic scale of y");
const RELATIVE_TO: Key = key(
    "relative_to",
    Form::Text(&ID),
    Absent::Means("nothing is subtracted"),
    "method whose value is subtracted from every other's",
);

pub(super) const FIGURE_KINDS: &[Variant] = &[
    Variant {
        word: "line",
        meaning: "lines over a numeric axis, with error bars",
        keys: &[
            key(
                "x",
                Form::Text(&AXIS),
                Absent::Required,
                "the parameter on the x axis, such as `sweep:components`",
            ),
            SERIES,
            X_LABEL,
            Y_LABEL,
            key("x_log", TRUTH, FALSE, "logarithmic scale of x"),
            Y_LOG,
            key(
                "dashed",
                IDS,
                Absent::Means("published values only"),
                "methods whose lines are dashed, their markers hollow",
            ),
            key(
                "dodge",
                TRUTH,
                FALSE,
                "the points at one x stand side by side, so that no line hides another",
            ),
            RELATIVE_TO,
            PUBLISHED,
        ],
    },
    Variant {
        word: "dot",
        meaning: "one row a category, one marker a series",
        keys: &[
            key("x", Form::Text(&AXIS), Absent::Value("\"dataset\""), "the categories"),
            SERIES,
            X_LABEL,
            Y_LABEL,
            Y_LOG,
            RELATIVE_TO,
            PUBLISHED,
        ],
    },
    Variant {
        word: "critical-difference",
        meaning: "mean ranks with Nemenyi's critical difference (Demšar 2006)",
        keys: &[key("test", Form::Text(&ID), Absent::Required, "id of a Friedman `[[test]]`")],
    },
    Variant {
        word: "boundary",
        meaning: "training points and decision boundaries of a boundary task, a panel for each method, dataset, \
                  part and sweep point: of the first repeat the two boundaries that differ most, with the \
                  trial's `y` above",
        keys: &[],
    },
];
