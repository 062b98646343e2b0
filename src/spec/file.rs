//! Every section and key of an experiment file.

mod claims;
mod outputs;

use super::key::{
    AXIS, Absent, DURATION, EXPERIMENT_ID, Form, ID, Key, Kinds, MOST_SECONDS, Section, TARGET,
    TEXT, Variant,
};
use claims::CLAIM;
use contract::parameter::Domain;
use outputs::{FIGURE, FIGURE_KINDS, TABLE, TEST, TEST_KINDS};

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
        meaning: "A table. A cell over several methods, datasets, parts or swept values that no axis \
                  tells apart has a value only if they agree.",
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

/// Enough for anything that is counted out, and far from overflow.
const MANY: i64 = 1_000_000_000;
const COUNT: Form = Form::One(Domain::Integer { least: 1, most: MANY });
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
                    Form::One(Domain::Integer { least: 2, most: MANY }),
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

static TIMES: &[Form] = &[
    Form::Text(&DURATION),
    Form::One(Domain::Real { least: 0.0, most: MOST_SECONDS, open: true }),
];

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
        "classes",
        Form::One(Domain::Word(&[
            ("all", "the classes of a dataset are one problem"),
            (
                "all-pairs",
                "every pair of classes is a problem of its own; values are averaged over the pairs",
            ),
        ])),
        Absent::Value("\"all\""),
        "which problems the classes of a classification dataset make",
    ),
    key(
        "label_noise",
        Form::One(Domain::Real { least: 0.0, most: 1.0, open: false }),
        Absent::Means("none"),
        "share of the training labels of a classification task that are flipped at random: all methods meet \
         the same, and a larger share flips those of a smaller one too",
    ),
    key(
        "change",
        Form::One(Domain::Word(&[
            ("order", "the order of the training examples"),
            (
                "outliers",
                "outliers are added; the examples of every repeat are drawn anew by the dataset's generator",
            ),
        ])),
        Absent::Means("\"order\""),
        "what changes between the fits of a trial of the boundary task",
    ),
    key(
        "orders",
        Form::One(Domain::Integer { least: 2, most: 1000 }),
        Absent::Means("20"),
        "in how many random orders a trial of the boundary task takes the training examples",
    ),
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
        "whose parameter it is, such as `method:MEVM` or `dataset:mnist`; methods or datasets, not both",
    ),
    key("parameter", Form::Text(&TEXT), Absent::Required, "the parameter, of every target"),
    key("options", Form::List(&Form::Any), Absent::Required, "its values, two at least"),
    key("chosen", Form::Any, Absent::Required, "the option that the results use"),
    key("why", Form::Text(&TEXT), Absent::Required, "why this one"),
    key("cross", TRUTH, FALSE, "cross its options with those of other choices that say so"),
    key("datasets", IDS, ALL_DATASETS, "where the options are run"),
    key(
        "methods",
        IDS,
        Absent::Means("all methods; the targets, where they are methods"),
        "which methods the options of a dataset are run with",
    ),
    key(
        "repeats",
        COUNT,
        Absent::Means("the task's"),
        "how many repeats the options are run for; may count those of a split, such as draws, too",
    ),
];
