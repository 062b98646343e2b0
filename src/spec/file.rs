//! Every section and key of an experiment file.

use super::key::{
    AXIS, Absent, BESIDE, DURATION, EXPERIMENT_ID, Form, ID, Key, Kinds, Section, TARGET, TEXT,
    Variant,
};
use crate::method::parameter::Domain;

/// The version of the format, the value of the key `schema`.
pub(super) const VERSION: i64 = 1;

/// The sections in the order in which people write them.
pub(super) static SECTIONS: &[Section] = &[
    Section {
        name: "experiment",
        repeated: false,
        required: true,
        meaning: "What the experiment is.",
        keys: &[EXPERIMENT],
        kinds: Kinds::None,
    },
    Section {
        name: "task",
        repeated: false,
        required: false,
        meaning: "What every trial does and measures. Parts may override each key.",
        keys: &[TASK],
        kinds: Kinds::None,
    },
    Section {
        name: "part",
        repeated: true,
        required: false,
        meaning: "Several tasks in one experiment: each part takes the keys of `[task]` that it \
                  does not give itself.",
        keys: &[PART, TASK],
        kinds: Kinds::None,
    },
    Section {
        name: "method",
        repeated: true,
        required: true,
        meaning: "A method with its parameters, which depend on its kind (`reprise methods KIND`).",
        keys: &[METHOD],
        kinds: Kinds::Methods,
    },
    Section {
        name: "choice",
        repeated: true,
        required: false,
        meaning: "A decision that the paper leaves open. `run --choices` runs its options one at a \
                  time; they never feed tables, tests or claims.",
        keys: &[CHOICE],
        kinds: Kinds::None,
    },
    Section {
        name: "test",
        repeated: true,
        required: false,
        meaning: "A significance test.",
        keys: &[TEST],
        kinds: Kinds::Listed(TEST_KINDS),
    },
    Section {
        name: "table",
        repeated: true,
        required: false,
        meaning: "A table. Where several methods, datasets, metrics, or values of a swept parameter \
                  are shown, each of these is an axis.",
        keys: &[TABLE],
        kinds: Kinds::None,
    },
    Section {
        name: "figure",
        repeated: true,
        required: false,
        meaning: "A figure.",
        keys: &[FIGURE],
        kinds: Kinds::Listed(FIGURE_KINDS),
    },
    Section {
        name: "claim",
        repeated: true,
        required: false,
        meaning: "A sentence of the paper that the results can support or refute. It is judged on \
                  our numbers and on the published ones.",
        keys: &[CLAIM],
        kinds: Kinds::None,
    },
];

/// The section of this name.
pub(super) fn section(name: &str) -> Option<&'static Section> {
    SECTIONS.iter().find(|section| section.name == name)
}

static AN_ID: Form = Form::Text(&ID);
static AN_AXIS: Form = Form::Text(&AXIS);
static A_TARGET: Form = Form::Text(&TARGET);

const COUNT: Form = Form::One(Domain::Integer { least: 1, most: u32::MAX as i64 });
const ANY_REAL: Form =
    Form::One(Domain::Real { least: f64::NEG_INFINITY, most: f64::INFINITY, open: false });
const NOT_NEGATIVE: Form = Form::One(Domain::Real { least: 0.0, most: f64::INFINITY, open: false });
const POSITIVE: Form = Form::One(Domain::Real { least: 0.0, most: f64::INFINITY, open: true });
const LEVEL: Form = Form::One(Domain::Real { least: 0.0, most: 1.0, open: true });
const TRUTH: Form = Form::One(Domain::Bool);
const IDS: Form = Form::List(&AN_ID);

const FALSE: Absent = Absent::Value("false");
const ALL_METHODS: Absent = Absent::Means("all methods");
const ALL_DATASETS: Absent = Absent::Means("all datasets");
const ALL_PARTS: Absent = Absent::Means("all parts");

/// A key of the file.
const fn key(name: &'static str, form: Form, absent: Absent, meaning: &'static str) -> Key {
    Key { name, form, absent, meaning }
}

const EXPERIMENT: &[Key] = &[
    key(
        "id",
        Form::Text(&EXPERIMENT_ID),
        Absent::Required,
        "its id, such as `evm/table5`; results go to the folder of this name",
    ),
    key("title", Form::Text(&TEXT), Absent::Required, "one line that says what is compared"),
    key("paper", Form::Text(&ID), Absent::Means("no paper"), "a key of `papers.toml`"),
    key(
        "seed",
        Form::One(Domain::Integer { least: 0, most: i64::MAX }),
        Absent::Required,
        "the seed from which all others are derived",
    ),
    key("exclusive", TRUTH, FALSE, "run one trial at a time, because the experiment measures time"),
];

static SPLITS: &[Form] = &[
    Form::One(Domain::Word(&[
        ("published", "as the authors of the dataset split it"),
        ("leave-one-out", "each example is the test set once"),
        ("folds", "the folds that the authors of the dataset give"),
    ])),
    Form::OneOf(&[
        Variant {
            word: "cv",
            meaning: "cross-validation",
            keys: &[
                key(
                    "folds",
                    Form::One(Domain::Integer { least: 2, most: u32::MAX as i64 }),
                    Absent::Required,
                    "number of folds",
                ),
                key(
                    "repeats",
                    COUNT,
                    Absent::Value("1"),
                    "how often the examples are divided anew",
                ),
                key("stratified", TRUTH, FALSE, "keep the proportions of the classes in each fold"),
            ],
        },
        Variant {
            word: "resample",
            meaning: "random training and test sets of fixed sizes",
            keys: &[
                key("train", COUNT, Absent::Required, "size of the training set"),
                key("test", COUNT, Absent::Required, "size of the test set"),
                key("repeats", COUNT, Absent::Required, "how often they are drawn"),
            ],
        },
    ]),
];

static TIMES: &[Form] = &[Form::Text(&DURATION), POSITIVE];

const TASK: &[Key] = &[
    key("kind", Form::TaskKind, Absent::Required, "what a trial does"),
    key("datasets", IDS, Absent::Required, "the datasets, in the order of tables"),
    key(
        "split",
        Form::Either(SPLITS),
        Absent::Required,
        "how examples are divided into training and test sets",
    ),
    key(
        "repeats",
        COUNT,
        Absent::Value("1"),
        "how often everything is repeated with other seeds, also under a published split",
    ),
    key(
        "metrics",
        Form::List(&Form::Metric),
        Absent::Means("all that the task measures"),
        "what trials report; tables, figures, tests and claims show nothing else",
    ),
    key("methods", IDS, ALL_METHODS, "the methods that run"),
    key(
        "timeout",
        Form::Either(TIMES),
        Absent::Means("no limit"),
        "time limit of one trial: a number with its unit, or seconds",
    ),
];

const PART: &[Key] = &[
    key("id", Form::Text(&ID), Absent::Required, "its id"),
    key("label", Form::Text(&TEXT), Absent::Means("the id"), "what people read"),
];

/// Keys of a `[[method]]` that are no parameters.
pub(super) const METHOD: &[Key] = &[
    key("id", Form::Text(&ID), Absent::Required, "its id, such as `MEVM`"),
    key(
        "kind",
        Form::Text(&TEXT),
        Absent::Means("none: the method is `published_only`"),
        "the method of the registry (`reprise methods`)",
    ),
    key("label", Form::Text(&TEXT), Absent::Means("the id"), "what people read"),
    key(
        "published_only",
        TRUTH,
        FALSE,
        "it has no `kind`: the experiment only quotes its published values",
    ),
    key(
        "sweep",
        Form::Axes,
        Absent::Means("nothing is swept"),
        "parameters that are crossed and reported: axes of tables and figures",
    ),
    key(
        "grid",
        Form::Axes,
        Absent::Means("nothing is selected"),
        "parameters that are crossed and selected from",
    ),
    key(
        "select",
        Form::Metric,
        Absent::Means("an error, if there is a `grid`"),
        "the metric by which a point of the grid is selected; ties go to the earlier point",
    ),
    key("may_fail", TRUTH, FALSE, "its failures are results and leave the exit code alone"),
];

const CHOICE: &[Key] = &[
    key("id", Form::Text(&ID), Absent::Required, "its id"),
    key("question", Form::Text(&TEXT), Absent::Required, "what the paper leaves open"),
    key(
        "target",
        Form::OneOrMany(&A_TARGET),
        Absent::Required,
        "whose parameter it is, such as `method:MEVM`",
    ),
    key("parameter", Form::Text(&TEXT), Absent::Required, "the parameter, of every target"),
    key("options", Form::List(&Form::Any), Absent::Required, "its values, two at least"),
    key("chosen", Form::Any, Absent::Required, "the option that the results use"),
    key("why", Form::Text(&TEXT), Absent::Required, "why this one"),
    key("cross", TRUTH, FALSE, "cross its options with those of other choices that say so"),
    key("datasets", IDS, ALL_DATASETS, "where the options are run"),
    key("repeats", COUNT, Absent::Means("the task's"), "how many repeats the options are run for"),
];

const TEST: &[Key] = &[
    key("id", Form::Text(&ID), Absent::Required, "its id"),
    key("metric", Form::Metric, Absent::Required, "what is compared; not a time"),
    key(
        "reference",
        Form::Text(&ID),
        Absent::Means("all pairs of methods"),
        "the method that all others are compared with",
    ),
    key("methods", IDS, Absent::Means("all but published-only ones"), "the methods compared"),
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

const TEST_KINDS: &[Variant] = &[
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
            CORRECTION,
            key("resamples", COUNT, Absent::Value("10000"), "number of resamples"),
            key("level", LEVEL, Absent::Value("0.95"), "confidence level"),
        ],
    },
];

const BOLD: &[Key] = &[
    key("test", Form::Text(&ID), Absent::Required, "id of a `[[test]]`"),
    key("alpha", LEVEL, Absent::Required, "its level"),
];

const PUBLISHED: Key = key(
    "published",
    Form::Text(&BESIDE),
    Absent::Means("none"),
    "file of the paper's numbers, with the columns row, column, metric, value, sd",
);

const TABLE: &[Key] = &[
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
    key("methods", IDS, ALL_METHODS, "the methods shown"),
    key("datasets", IDS, ALL_DATASETS, "the datasets shown"),
    key("parts", IDS, ALL_PARTS, "the parts shown"),
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
        "sd",
        Form::One(Domain::Word(&[
            ("none", "no standard deviation"),
            ("repeat", "repeats, after averaging over problems and folds"),
            ("fold", "folds, after averaging over problems; repeats pooled"),
            ("problem", "problems; folds and repeats averaged first"),
            ("sample", "the samples that the metric returns, pooled"),
        ])),
        Absent::Value("\"none\""),
        "what the standard deviation of a cell is over",
    ),
];

const FIGURE: &[Key] = &[
    key("id", Form::Text(&ID), Absent::Required, "its id, the name of its files"),
    key("title", Form::Text(&TEXT), Absent::Means("the experiment's title"), "drawn above"),
    key("methods", IDS, ALL_METHODS, "the methods shown"),
    key("datasets", IDS, ALL_DATASETS, "the datasets shown"),
    key("parts", IDS, ALL_PARTS, "the parts shown"),
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

const FIGURE_KINDS: &[Variant] = &[
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
];

const CLAIM: &[Key] = &[
    key("id", Form::Text(&ID), Absent::Required, "its id"),
    key("text", Form::Text(&TEXT), Absent::Required, "the sentence"),
    key("source", Form::Text(&TEXT), Absent::Required, "where the paper says it"),
    key("check", Form::OneOf(CHECKS), Absent::Required, "how it is judged"),
];

const METRIC: Key = key("metric", Form::Metric, Absent::Required, "what is compared");
const DATASETS: Key = key("datasets", IDS, ALL_DATASETS, "the datasets that count");
const EXCEPT: Key = key(
    "except",
    IDS,
    Absent::Means("none"),
    "instead of `datasets`: all datasets but these count",
);
static AT_LEAST_FORMS: &[Form] = &[Form::One(Domain::Word(&[("all", "every time")])), COUNT];
const AT_LEAST: Key = key(
    "at_least",
    Form::Either(AT_LEAST_FORMS),
    Absent::Means("\"all\", unless `at_most` or `exactly` is given"),
    "how often it must hold",
);
const AT_MOST: Key = key(
    "at_most",
    Form::One(Domain::Integer { least: 0, most: u32::MAX as i64 }),
    Absent::Means("no limit"),
    "how often it may hold",
);
const EXACTLY: Key = key(
    "exactly",
    Form::One(Domain::Integer { least: 0, most: u32::MAX as i64 }),
    Absent::Means("any number"),
    "how often it must hold, neither more nor less",
);
const LEFT: Key = key("left", Form::Text(&ID), Absent::Required, "one method");
const RIGHT: Key = key("right", Form::Text(&ID), Absent::Required, "the other method");
const ONE_METHOD: Key = key("method", Form::Text(&ID), Absent::Required, "the method");
const LEAST: Key = key("least", ANY_REAL, Absent::Means("no limit"), "smallest value that counts");
const MOST: Key = key("most", ANY_REAL, Absent::Means("no limit"), "largest value that counts");

const CHECKS: &[Variant] = &[
    Variant {
        word: "wins",
        meaning: "`left` is better than `right` on so many datasets",
        keys: &[
            key("left", Form::Text(&ID), Absent::Required, "the method said to be better"),
            key(
                "right",
                Form::OneOrMany(&AN_ID),
                Absent::Required,
                "the methods that it must beat, each of them; \"others\" for all others",
            ),
            METRIC,
            DATASETS,
            EXCEPT,
            AT_LEAST,
            AT_MOST,
            EXACTLY,
            key("or_tied", TRUTH, FALSE, "a tie at the paper's rounding counts as a win"),
            key(
                "significant",
                Form::Table(BOLD),
                Absent::Means("any win counts"),
                "a win must pass this test at this level",
            ),
        ],
    },
    Variant {
        word: "rank",
        meaning: "`method` ranks at `rank` or better on so many datasets",
        keys: &[
            ONE_METHOD,
            key("among", IDS, ALL_METHODS, "the methods that are ranked, this one included"),
            METRIC,
            DATASETS,
            EXCEPT,
            key("rank", COUNT, Absent::Value("1"), "the worst rank that counts"),
            AT_LEAST,
            AT_MOST,
            EXACTLY,
            key("tied", TRUTH, FALSE, "ties at the paper's rounding share the better rank"),
        ],
    },
    Variant {
        word: "p_value",
        meaning: "the p-value of a test between `left` and `right` is below a level, or near a \
                  printed one",
        keys: &[
            key("test", Form::Text(&ID), Absent::Required, "id of a `[[test]]`"),
            LEFT,
            RIGHT,
            key("below", LEVEL, Absent::Means("no level"), "it must be below this"),
            key(
                "equals",
                Form::One(Domain::Real { least: 0.0, most: 1.0, open: false }),
                Absent::Means("any value"),
                "it must be near this",
            ),
            key(
                "within",
                NOT_NEGATIVE,
                Absent::Means("an error, if there is `equals`"),
                "the distance from `equals` that is allowed",
            ),
        ],
    },
    Variant {
        word: "value_near",
        meaning: "a cell is near a value",
        keys: &[
            ONE_METHOD,
            key("dataset", Form::Text(&ID), Absent::Required, "the dataset"),
            key("metric", Form::Metric, Absent::Required, "what is measured"),
            key("value", ANY_REAL, Absent::Required, "the value"),
            key("within", NOT_NEGATIVE, Absent::Required, "the distance that is allowed"),
        ],
    },
    Variant {
        word: "trend",
        meaning: "values rise or fall along a swept parameter, on so many datasets",
        keys: &[
            ONE_METHOD,
            METRIC,
            key("along", Form::Text(&TEXT), Absent::Required, "a parameter that the method sweeps"),
            key(
                "direction",
                Form::One(Domain::Word(&[
                    ("rising", "values must rise"),
                    ("falling", "values must fall"),
                ])),
                Absent::Required,
                "where values must go",
            ),
            DATASETS,
            EXCEPT,
            AT_LEAST,
            AT_MOST,
            EXACTLY,
        ],
    },
    Variant {
        word: "ratio",
        meaning: "`left / right` lies in a range, on so many datasets",
        keys: &[
            key("left", Form::Text(&ID), Absent::Required, "numerator"),
            key("right", Form::Text(&ID), Absent::Required, "denominator"),
            METRIC,
            DATASETS,
            EXCEPT,
            LEAST,
            MOST,
            AT_LEAST,
            AT_MOST,
            EXACTLY,
        ],
    },
    Variant {
        word: "counts",
        meaning: "so many cells have a value in a range",
        keys: &[
            key("methods", IDS, ALL_METHODS, "the methods whose cells count"),
            METRIC,
            DATASETS,
            EXCEPT,
            LEAST,
            MOST,
            AT_LEAST,
            AT_MOST,
            EXACTLY,
        ],
    },
    Variant {
        word: "equivalent",
        meaning: "`left` and `right` differ by at most a margin, on so many datasets",
        keys: &[
            LEFT,
            RIGHT,
            METRIC,
            DATASETS,
            EXCEPT,
            key("margin", NOT_NEGATIVE, Absent::Required, "the largest difference that is none"),
            AT_LEAST,
            AT_MOST,
            EXACTLY,
        ],
    },
];
