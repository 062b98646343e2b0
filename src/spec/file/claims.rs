//! Keys of `[[claim]]`.

use super::super::key::{Absent, Form, ID, Key, TEXT, Variant};
use super::outputs::BOLD;
use super::{ALL_DATASETS, ALL_METHODS, AN_ID, COUNT, FALSE, IDS, LEVEL, MANY, TRUTH, key};
use contract::parameter::Domain;

const ANY_REAL: Form =
    Form::One(Domain::Real { least: f64::NEG_INFINITY, most: f64::INFINITY, open: false });

const NOT_NEGATIVE: Form = Form::One(Domain::Real { least: 0.0, most: f64::INFINITY, open: false });

pub(super) const CLAIM: &[Key] = &[
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
    Form::One(Domain::Integer { least: 0, most: MANY }),
    Absent::Means("no limit"),
    "how often it may hold",
);
const EXACTLY: Key = key(
    "exactly",
    Form::One(Domain::Integer { least: 0, most: MANY }),
    Absent::Means("any number"),
    "how often it must hold, neither more nor less",
);
const LEFT: Key = key("left", Form::Text(&ID), Absent::Required, "one method");
const RIGHT: Key = key("right", Form::Text(&ID), Absent::Required, "the other method");
const ALONG: Key =
    key("along", Form::Text(&TEXT), Absent::Required, "a parameter that the method sweeps");
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
                "margin",
                NOT_NEGATIVE,
                Absent::Value("0.0"),
                "an advantage must be larger than this, in the metric's unit",
            ),
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
            key(
                "significant",
                Form::Table(BOLD),
                Absent::Means("whoever is better ranks before it"),
                "only those that are better by this test at this level rank before it",
            ),
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
            ALONG,
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
        word: "best_at",
        meaning: "the best value along a swept parameter is where that lies in a range, on so many datasets",
        keys: &[
            ONE_METHOD, METRIC, ALONG, DATASETS, EXCEPT, LEAST, MOST, AT_LEAST, AT_MOST, EXACTLY,
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
        word: "widens",
        meaning: "the advantage of `left` over `right` grows from each pair of them to the next, on so \
                  many datasets; methods are paired in the order of the file",
        keys: &[
            key("left", IDS, Absent::Required, "the methods said to be better"),
            key("right", IDS, Absent::Required, "as many other methods"),
            METRIC,
            key(
                "margin",
                NOT_NEGATIVE,
                Absent::Value("0.0"),
                "the advantage must grow by more than this from pair to pair, in the metric's unit",
            ),
            DATASETS,
            EXCEPT,
            AT_LEAST,
            AT_MOST,
            EXACTLY,
        ],
    },
    Variant {
        word: "spread",
        meaning: "the standard deviation of `method` over repeats, or its ratio to that of another method, \
                  lies in a range, on so many datasets",
        keys: &[
            ONE_METHOD,
            key(
                "than",
                Form::Text(&ID),
                Absent::Means("none: the standard deviation itself counts"),
                "the method whose standard deviation it is divided by",
            ),
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
