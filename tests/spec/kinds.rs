//! A kind of test, figure or claim is one declaration and one line in a list: here are some of this test's own.

use std::sync::LazyLock;

use reprise::KNOWN;
use reprise::contract::MethodEntry;
use reprise::contract::parameter::Real;
use reprise::document::{Count, Flag, Key, section};
use reprise::report;
use reprise::spec::{
    About, Asks, Basis, Catalogue, Check, Claimed, Comparison, Comparisons, Dependent, Designed,
    Drawn, Evidence, FigureDesign, Finding, Kind, Kinds, Known, Lack, Lists, Made, OfKind,
    OneMethod, PairBy, Pairs, Plot, Test, TestDesign, TestSpec, Verdict, json_schema, keys_of,
    load, sections,
};
use testing::plain;

use crate::reference;
use crate::support::{Folder, MIXTURE, TREE, datasets, lists};

section! {
    in Claimed;
    pub struct Always: "always" => "it always holds" {
        method: OneMethod => "the method that it is about";
        times: Count = 2 => "how often it is said";
    }
}

impl Check for Always {
    fn judge(&self, _: &dyn Evidence, _: &Comparisons) -> Finding {
        let evidence = format!("{} is fine", self.method).repeat(self.times);
        Finding::of(Verdict::Holds, Basis::Values, &evidence)
    }

    fn about(&self) -> About<'_> {
        About::default()
    }
}

section! {
    in Designed;
    pub struct Blank: "blank" => "a test that finds nothing, and a figure that is blank" {
        loud: Flag = false => "whether it says so";
    }
}

impl Test for Blank {
    fn asks(&self) -> Asks<'_> {
        Asks::of(PairBy::Dataset, Dependent::Refused, None, 0.95)
    }

    fn compare(&self, _: &Pairs, _: f64) -> Made {
        Made { found: Err(Lack::Datasets), effect: None }
    }

    fn comparisons(&self, _: &TestDesign, _: &dyn Evidence) -> Vec<Comparison> {
        Vec::new()
    }
}

impl Plot for Blank {
    fn draw(&self, _: &FigureDesign, _: &dyn Evidence, _: &[TestSpec]) -> Drawn {
        Ok(if self.loud { "<svg>blank</svg>" } else { "<svg/>" }.to_owned())
    }
}

section! {
    in Claimed;
    pub struct Lost: "lost" => "it is read as nothing and says no word about it, as no kind may" {
        loud: Flag = false => "whether it says so";
    }
    check(_scope, _table) {
        loud = None;
    }
}

impl Check for Lost {
    fn judge(&self, _: &dyn Evidence, _: &Comparisons) -> Finding {
        Finding::of(Verdict::NoEvidence, Basis::Values, &self.loud.to_string())
    }

    fn about(&self) -> About<'_> {
        About::default()
    }
}

static OURS: LazyLock<Lists> = LazyLock::new(|| lists(vec![&MIXTURE, &TREE], WITH_OURS));

static WITH_OURS: Kinds = Kinds {
    tests: &[Kind::<dyn Test>::of::<Blank>()],
    figures: &[Kind::<dyn Plot>::of::<Blank>()],
    claims: &[Kind::<dyn Check>::of::<Always>(), Kind::<dyn Check>::of::<Lost>()],
};

const SPEC: &str = r#"schema = 1

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

[[method]]
id = "MEVM"
kind = "mevm"

[[test]]
id = "blank"
kind = "blank"
metric = "test_ll"

[[figure]]
id = "blank"
kind = "blank"
y = "test_ll"
loud = true

[[claim]]
id = "fine"
text = "It is fine"
source = "nowhere"
check = { always = { method = "CL" } }
"#;

fn loaded(text: &str) -> Result<reprise::spec::Experiment, String> {
    let folder = Folder::new(text);
    let known = Known { lists: &OURS, datasets: &datasets(), code: None };
    load(&folder.path(), None, None, &known).map_err(|errors| folder.render(&errors))
}

#[test]
fn a_kind_of_ones_own_is_read_described_drawn_and_judged() {
    let experiment = loaded(SPEC).unwrap();
    let report =
        report::Findings::new(&experiment, &[], &|id| id.to_string(), &[]).unwrap().report();
    assert_eq!(report.files["figures/blank.svg"], b"<svg>blank</svg>");
    let claims = String::from_utf8(report.files["claims.csv"].clone()).unwrap();
    assert!(
        claims.contains(
            "fine,holds,holds,by values,CL is fineCL is fine.,CL is fineCL is fine. As published"
        ),
        "{claims}"
    );
    assert_eq!(report.files["tests.csv"].iter().filter(|byte| **byte == b'\n').count(), 1);

    let wrong = SPEC.replace("loud = true", "loud = 1").replace("\"CL\" }", "\"CM\", time = 1 }");
    let errors = loaded(&wrong).unwrap_err();
    for part in ["`loud` can't be 1", "there is no method `CM`", "`always` has no key `time`"] {
        assert!(errors.contains(part), "{part}: {errors}");
    }
    let nothing = reference::Examples { experiment: "", papers: "" };
    let pages = reference::pages(&OURS, &nothing);
    assert!(pages.iter().any(|page| page.text.contains("| `times` | a whole number from 1")));
    let schema = json_schema(&OURS).to_string();
    assert!(schema.contains("it always holds") && schema.contains("how often it is said"));
}

#[test]
fn what_was_written_never_vanishes() {
    let errors = loaded(&SPEC.replace("always = { method = \"CL\" }", "lost = {}")).unwrap_err();
    assert!(
        errors.contains("the file has 1 `[[claim]]`, of which reprise read 0 without saying why"),
        "{errors}"
    );
}

/// Keys that two declarations give one table, as `section: key`: of two with one name a file could reach the first only.
fn clashes(lists: &Lists) -> Vec<String> {
    let names = |keys: &[Key]| keys.iter().map(|key| key.name).collect::<Vec<_>>();
    let Catalogue { methods, tasks, .. } = &lists.catalogue;
    let mut found = Vec::new();
    for section in sections(lists) {
        let further: Vec<Vec<&str>> = match &section.kinds {
            OfKind::None => vec![Vec::new()],
            OfKind::Listed(variants) => variants.iter().map(|kind| names(&kind.keys)).collect(),
            OfKind::Tasks => vec![tasks.iter().flat_map(|t| t.keys).map(|k| k.name).collect()],
            OfKind::Methods => methods.iter().map(|entry| names(&keys_of(entry))).collect(),
        };
        for further in further {
            let all = [names(&section.keys), further].concat();
            let twice = all.iter().enumerate().filter(|(at, name)| all[..*at].contains(name));
            found.extend(twice.map(|(_, name)| format!("{}: {name}", section.name)));
        }
    }
    found
}

#[test]
fn no_table_has_two_keys_of_one_name() {
    assert_eq!(clashes(&KNOWN), Vec::<String>::new());
    static LABEL: Real = Real::positive("label", 1.0, "a name that the section has");
    static CLASH: MethodEntry = MethodEntry { parameters: &[LABEL.parameter], ..plain("clash") };
    static CLASHING: LazyLock<Lists> = LazyLock::new(|| lists(vec![&CLASH], report::KINDS));
    assert_eq!(clashes(&CLASHING), ["method: label"]);
}
