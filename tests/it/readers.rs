//! Tables as people have them, in each format: what `reprise data add` prints, the entry that comes out, and what a trial
//! then reads. Any reader has to pass it.

use std::path::Path;
use std::process::Command;

use reprise::contract::Examples;
use reprise::data::{DataConfig, Dataset, Library};

use crate::support::experiment::Bench;
use crate::support::results;
use crate::support::terminal::assert_says;

/// What is done with a file.
struct Case {
    file: &'static str,
    text: String,
    options: &'static [&'static str],
    /// What is printed beside the entry.
    says: &'static [&'static str],
    /// What the entry says.
    entry: &'static [&'static str],
    /// Variables and examples; then the classes, if there are some.
    read: (usize, usize, &'static [&'static str]),
}

fn case(file: &'static str, text: String) -> Case {
    Case { file, text, options: &[], says: &[], entry: &[], read: (0, 0, &[]) }
}

/// A head, and so many rows below.
fn rows(head: &str, count: usize, row: impl Fn(usize) -> String) -> String {
    let rows: Vec<String> = (0..count).map(row).collect();
    format!("{head}{}\n", rows.join("\n"))
}

fn class(row: usize) -> &'static str {
    ["a", "b"][row % 2]
}

fn headers() -> Vec<Case> {
    let numbers = |row: usize| format!("{}.5,{}.25,{}", row % 7, row % 5, class(row));
    let three = |row: usize| format!("{}.5,{}.25,{}.5,{}", row % 7, row % 5, row % 3, row % 2);
    let words = |row: usize| format!("{},{},{}", ["red", "hue"][row % 2], row % 3, class(row / 2));
    const AB: &[&str] = &["a", "b"];
    vec![
        Case {
            says: &["has the names of the columns: `class` of column 3 does not come again"],
            entry: &["target = \"class\""],
            read: (2, 20, AB),
            ..case("years.csv", rows("2019,2020,class\n", 20, numbers))
        },
        Case {
            says: &["has the names of the columns: its numbers count the columns"],
            entry: &["target = \"3\", sources"],
            read: (3, 20, &["0", "1"]),
            ..case("pandas.csv", rows("0,1,2,3\n", 20, three))
        },
        // Years above measured numbers, beside a target of 0 and 1.
        Case {
            says: &[
                "has the names of the columns: `2019` of column 1 is a whole number, unlike all below it",
            ],
            entry: &["target = \"2020\""],
            read: (1, 20, &["0", "1"]),
            ..case("two.csv", rows("2019,2020\n", 20, |row| format!("{}.5,{}", row % 7, row % 2)))
        },
        Case {
            says: &["`2019` of column 1 is a whole number, unlike all below it"],
            entry: &["target = \"2021\""],
            read: (2, 20, &["0", "1"]),
            ..case(
                "three.csv",
                rows("2019,2020,2021\n", 20, |row| {
                    format!("{}.5,{}.25,{}", row % 7, row % 5, row % 2)
                }),
            )
        },
        // pandas' index has no name.
        Case {
            says: &[
                "its numbers count the columns",
                "the first column has no name and is left out",
            ],
            entry: &["target = \"1\""],
            read: (1, 20, &["0", "1"]),
            ..case("index.csv", rows(",0,1\n", 20, |row| format!("{row},{},{}", row % 3, row % 2)))
        },
        // Missing by the class: most of it, or less than half.
        Case {
            says: &[
                "`a` is left out: it is missing in 12 of 20 rows, by the class",
                "`b` is missing by the class: is it known when a prediction is made?",
            ],
            entry: &["attributes = [\"b\", \"c\"]"],
            read: (2, 20, &["no", "yes"]),
            ..case(
                "by_class.csv",
                rows("a,b,c,kind\n", 20, |row| match (row % 5, row % 2) {
                    (0..4, 0) => format!("{row}.5,,{}.5,yes", row % 7),
                    (_, 0) => format!(",,{}.5,yes", row % 7),
                    _ => format!(",{row}.5,{}.5,no", row % 7),
                }),
            )
        },
        // Numbers as names, beside one that is nowhere among two classes.
        Case {
            says: &["has the names of the columns: `label` of column 3 does not come again"],
            entry: &["target = \"label\""],
            read: (2, 20, AB),
            ..case("floats.csv", rows("0.5,1.5,label\n", 20, numbers))
        },
        // What is written beside a whole number is measured: a row.
        Case {
            says: &[
                "is a row",
                "warning: only the first row is of the class `3`: if it is a name, say --header yes",
            ],
            entry: &["header = false, target = \"3\""],
            read: (2, 21, &["0", "1", "3"]),
            ..case(
                "row.csv",
                rows("5,0.25,3\n", 20, |row| format!("{}.5,{}.25,{}", row % 7, row % 5, row % 2)),
            )
        },
        Case {
            says: &["column 2 is a second `x`, and called `x.2`"],
            entry: &["target = \"class\""],
            read: (2, 20, AB),
            ..case("twice.csv", rows("x,x,class\n", 20, numbers))
        },
        Case {
            says: &["has the names of the columns: `x` of column 1 stands above numbers"],
            entry: &["target = \"class\""],
            read: (2, 20, AB),
            ..case("gaps.csv", rows("x,NA,class\n", 20, numbers))
        },
        // A name that comes again as a value.
        Case {
            says: &["`n` of column 2 stands above numbers"],
            entry: &["target = \"class\""],
            read: (2, 20, AB),
            ..case("again.csv", rows("hue,n,class\n", 20, words))
        },
        Case {
            says: &["is a row", "`a` of column 3 comes again as a value", "--header yes"],
            entry: &["header = false, target = \"3\""],
            read: (2, 20, AB),
            ..case("bare.csv", rows("", 20, numbers))
        },
        Case {
            options: &["--header", "yes", "--target", "1.0"],
            says: &["has the names of the columns: --header says so"],
            entry: &["target = \"1.0\""],
            read: (1, 20, &["0", "1"]),
            ..case("yes.csv", rows("2.0,1.0\n", 20, |row| format!("{}.5,{}", row % 7, row % 2)))
        },
        Case {
            options: &["--header", "no", "--target", "1"],
            says: &["is a row, and columns are called 1, 2", "--header says so"],
            entry: &["header = false, target = \"1\""],
            read: (1, 3, &["kind", "x"]),
            ..case("no.csv", "kind,size\nx,s\nx,s\n".to_owned())
        },
        // The target that is asked for is in the first line.
        Case {
            options: &["--target", "kind"],
            says: &["has the names of the columns: `kind` stands there"],
            entry: &["target = \"kind\""],
            read: (1, 3, AB),
            ..case("proof.csv", "hue,kind\nhue,a\nred,b\nhue,a\n".to_owned())
        },
    ]
}

fn values() -> Vec<Case> {
    const AB: &[&str] = &["a", "b"];
    let german = |row: usize| format!("0,{};{}.{:03},5;{}", row + 1, row + 1, row, class(row));
    let comma = |row: usize| format!("{}.5,\"{},{:03}\",{}", row % 7, row + 1, row, class(row));
    let gaps = |row: usize| {
        let age = if row.is_multiple_of(6) { "-999".to_owned() } else { row.to_string() };
        format!("{age},{}.5,{}", row % 7, ["Yes", "yes", "No"][row % 3])
    };
    let odd = |row: usize| {
        let age = if row == 5 { "n/a".to_owned() } else { (row % 7).to_string() };
        let gain = if row == 7 { "-inf".to_owned() } else { (row % 5).to_string() };
        format!("{age},{gain},{}%,\"$1,{}34\",{}.5,{}", row % 4, row % 3, row % 9, class(row))
    };
    let bits = |row: usize| format!("{},{}.0,{},{}", row % 2, row / 2 % 2, row / 3 % 2, class(row));
    let person = |row: usize| {
        let day = row + 1;
        format!("{},2024-01-{day:02},{}.5,2024-02-{day:02}", row / 3, row % 7)
    };
    let salary = |row: usize, mark: &str| match row % 2 {
        0 => "832".to_owned(),
        _ => format!("{}{mark}{row:03}", row + 1),
    };
    let export = |row: usize| format!("{};{},0;{}", salary(row, "."), row % 5, class(row));
    let three = |row: usize, mark: &str| format!("{}{mark}{row:03};{}", row + 1, class(row));
    let dressed = |row: usize| {
        let half = |odd: &'static [&str]| {
            if row.is_multiple_of(2) {
                odd[row / 2 % odd.len()].to_owned()
            } else {
                (row % 5).to_string()
            }
        };
        let all = [
            half(&["-inf", "inf"]),
            half(&["<0.1", ">10"]),
            ["1 234", "5\u{a0}000"][row % 2].to_owned(),
            half(&["−1", "−2"]),
            half(&["(5)", "(6)"]),
            ["N/A", "Nan", "3"][row % 3].to_owned(),
            ["NULL", "None", "N/A", "-", ".", "4"][row % 6].to_owned(),
        ];
        format!("{},{}.5,{}", all.join(","), row % 9, class(row / 2))
    };
    vec![
        // Thousands by the separator of decimals elsewhere.
        Case {
            says: &["decimals behind `.`", "832 to 24023"],
            entry: &["delimiter = \";\", decimal = \".\""],
            read: (1, 24, AB),
            ..case(
                "semicolons.csv",
                rows("u;class\n", 24, |row| format!("{};{}", salary(row, ","), class(row))),
            )
        },
        Case {
            says: &["decimals behind `,`", "832 to 24023"],
            entry: &["delimiter = \";\", decimal = \",\""],
            read: (1, 24, AB),
            ..case(
                "points.csv",
                rows("u;class\n", 24, |row| format!("{};{}", salary(row, "."), class(row))),
            )
        },
        Case {
            says: &["decimals behind `,`", "832 to 24023", "0 to 4"],
            entry: &["decimal = \",\", target = \"class\", sources"],
            read: (2, 24, AB),
            ..case("export.csv", rows("salary;v;class\n", 24, export))
        },
        // What may be either is said.
        Case {
            says: &[
                "warning: `1,000` of `u` is read as 1, not 1000; where that is wrong, write decimal = \".\" in",
            ],
            entry: &["decimal = \",\""],
            read: (1, 24, AB),
            ..case("either.csv", rows("u;class\n", 24, |row| three(row, ",")))
        },
        Case {
            says: &[
                "warning: `1.000` of `u` is read as 1, not 1000; where that is wrong, write decimal = \",\" in",
            ],
            entry: &["delimiter = \";\", target"],
            read: (1, 24, AB),
            ..case("fixed.csv", rows("u;class\n", 24, |row| three(row, ".")))
        },
        Case {
            says: &["warning: `1.000` of `lat` is read as 1000, not 1;", "decimals behind `,`"],
            entry: &["decimal = \",\""],
            read: (2, 24, AB),
            ..case(
                "lat.csv",
                rows("v;lat;class\n", 24, |row| format!("{},5;{}", row % 7, three(row, "."))),
            )
        },
        Case {
            says: &["warning: `2.001` of `u` is read as 2.001, not 2001;"],
            entry: &["target = \"class\", sources"],
            read: (2, 24, AB),
            ..case(
                "both.csv",
                rows("v;u;class\n", 24, |row| {
                    format!("{}.5;{};{}", row % 7, salary(row, "."), class(row))
                }),
            )
        },
        Case {
            says: &["`w` is taken for names: its values look like numbers, such as `0,0`, `1,0`"],
            entry: &["categories = [\"w\"]"],
            read: (2, 24, AB),
            ..case(
                "marks.csv",
                rows("v;w;class\n", 24, |row| {
                    format!("{}.5;{},0;{}", row % 7, row % 5, class(row))
                }),
            )
        },
        Case {
            says: &[
                "`a` is taken for names: its values are numbers but for `-inf`, `inf`; a missing one",
                "`b` is taken for names: its values are numbers but for `<0.1`, `>10`",
                "`c` is taken for names: its values look like numbers, such as `1 234`, `5",
                "`d` is taken for names: its values are numbers but for `−1`, `−2`",
                "`e` is taken for names: its values are numbers but for `(5)`, `(6)`",
                "`f` is taken for names: its values are numbers but for `N/A`, `Nan`",
                "`g` is taken for names: its values are numbers but for `-`, `.`, `N/A`, `NULL`, `None`;",
            ],
            entry: &["categories = [\"a\", \"b\", \"c\", \"d\", \"e\", \"f\", \"g\"]"],
            read: (8, 24, AB),
            ..case("dressed.csv", rows("a,b,c,d,e,f,g,x,class\n", 24, dressed))
        },
        Case {
            says: &["decimals behind `,`", "0.1 to 0.9", "1000.5 to 24023.5"],
            entry: &["delimiter = \";\", decimal = \",\", target = \"class\""],
            read: (2, 24, AB),
            ..case("german.csv", rows("x;price;class\n", 24, german))
        },
        Case {
            says: &["decimals behind `.`", "1000 to 24023"],
            entry: &["decimal = \".\""],
            read: (2, 24, AB),
            ..case("thousands.csv", rows("x,price,class\n", 24, comma))
        },
        Case {
            says: &[
                "`age` is taken for names: its values are numbers but for `n/a`",
                "`gain` is taken for names: its values are numbers but for `-inf`",
                "`rate` is taken for names: its values look like numbers, such as `0%`, `1%`",
                "`cost` is taken for names: its values look like numbers, such as `$1,034`",
            ],
            entry: &["categories = [\"age\", \"gain\", \"rate\", \"cost\"]"],
            read: (5, 24, AB),
            ..case("odd.csv", rows("age,gain,rate,cost,x,class\n", 24, odd))
        },
        Case {
            says: &[
                "`age` is -999 in 4 rows, and far above in all others",
                "`class` has names that differ in capitals or blanks: `Yes`, `yes`",
            ],
            entry: &["target = \"class\""],
            read: (2, 24, &["No", "Yes", "yes"]),
            ..case("gaps.csv", rows("age,x,class\n", 24, gaps))
        },
        Case {
            says: &[
                "warning: `when` is taken for the target since it is the last column, but it holds dates",
                "--group patient_id",
                "--time visit_date",
            ],
            entry: &["target = \"when\""],
            read: (2, 28, &[]),
            ..case("people.csv", rows("patient_id,visit_date,x,when\n", 28, person))
        },
        Case {
            says: &["but it numbers the rows: name the target with --target"],
            entry: &["target = \"number\""],
            read: (1, 30, &[]),
            ..case("numbered.csv", rows("x,row\n", 30, |row| format!("{}.5,{row}", row % 7)))
        },
        // One number is one class.
        Case {
            says: &["classes: -1 1, 1 3", "however it is written: `+1` is `1`, `1.0` is `1`"],
            entry: &["classes = 2"],
            read: (1, 4, &["-1", "1"]),
            ..case("spelled.csv", "x,y\n0.5,+1\n1.5,1\n2.5,1.0\n3.5,-1\n".to_owned())
        },
        Case {
            says: &["classes: -1 1, 1 3", "however it is written: `+1` is `1`, `1.0` is `1`"],
            entry: &["format = \"libsvm\""],
            read: (2, 4, &["-1", "1"]),
            ..case("spelled.libsvm", "+1 1:0.5\n1 2:1\n1.0 1:2\n-1 2:3\n".to_owned())
        },
        // Beside a class that is none each is a name.
        Case {
            says: &["classes: 007 1, 07 1, 7 1, b 1"],
            entry: &["classes = 4"],
            read: (1, 4, &["007", "07", "7", "b"]),
            ..case("codes.csv", "x,y\n0.5,007\n1.5,07\n2.5,7\n3.5,b\n".to_owned())
        },
        Case {
            says: &["classes: 0e1 1, 0e2 1, 100000 1, 1e5 1, ff 1"],
            entry: &["classes = 5"],
            read: (1, 5, &["0e1", "0e2", "100000", "1e5", "ff"]),
            ..case("hex.csv", "x,y\n0.5,0e1\n1.5,0e2\n2.5,1e5\n3.5,100000\n4.5,ff\n".to_owned())
        },
        Case {
            says: &["classes: 10000000000000000001 1, 10000000000000000002 1, x 1"],
            entry: &["classes = 3"],
            read: (1, 3, &["10000000000000000001", "10000000000000000002", "x"]),
            ..case(
                "ids.csv",
                "x,y\n0.5,10000000000000000001\n1.5,10000000000000000002\n2.5,x\n".to_owned(),
            )
        },
        Case {
            says: &["classes: +1 1, 1 1, 1.0 1, other 1"],
            entry: &["classes = 4"],
            read: (1, 4, &["+1", "1", "1.0", "other"]),
            ..case("named.csv", "x,y\n0.5,+1\n1.5,1\n2.5,1.0\n3.5,other\n".to_owned())
        },
        Case {
            says: &["classes: +1 1, 1 1, 1.0 1, other 1"],
            entry: &["format = \"libsvm\""],
            read: (2, 4, &["+1", "1", "1.0", "other"]),
            ..case("named.libsvm", "+1 1:0.5\n1 2:1\n1.0 1:2\nother 2:3\n".to_owned())
        },
        Case {
            says: &["all attributes are 0 and 1: kind = \"binary\" keeps a bit a value"],
            entry: &["kind = \"binary\"", "variables = 3, rows = 20, classes = 2"],
            read: (3, 20, AB),
            ..case("bits.csv", rows("u,v,w,class\n", 20, bits))
        },
        Case {
            says: &["classes: a 2, b 1"],
            entry: &["rows = 3"],
            read: (1, 3, AB),
            ..case("blanks.csv", "x,class\n0.5,a\n \t\n1.5,b\n2.5,a\n  \n".to_owned())
        },
        // What lacks a class or a value is numbers, which can.
        Case {
            says: &["1 rows have no target", "classes: a 9, b 10"],
            entry: &["kind = \"numeric\"", "missing = \"drop\""],
            read: (3, 19, AB),
            ..case(
                "unlabelled.csv",
                rows(
                    "u,v,w,class\n",
                    20,
                    |row| {
                        if row == 0 { "0,1,0,".to_owned() } else { bits(row) }
                    },
                ),
            )
        },
        // Names that look as if something were missing.
        Case {
            says: &["3 names: ?, NA, x", "classes: NA 6, u 6"],
            entry: &["format = \"arff\", target = \"class\", sources"],
            read: (2, 12, &["NA", "u"]),
            ..case(
                "declared.arff",
                rows(
                    "@relation r\n@attribute g {NA,x,'?'}\n@attribute n numeric\n@attribute class {u,NA}\n@data\n",
                    12,
                    |row| {
                        format!(
                            "{},{}.5,{}",
                            ["NA", "x", "'?'"][row % 3],
                            row % 5,
                            ["u", "NA"][row % 2]
                        )
                    },
                ),
            )
        },
    ]
}

fn library(folder: &Path) -> Result<Library, reprise::data::DataError> {
    let config = DataConfig {
        cache: Some(folder.join("cache")),
        registry: Some(folder.join("datasets.toml")),
        offline: true,
        ..DataConfig::default()
    };
    Library::open(&config, None)
}

fn load(folder: &Path, id: &str) -> Dataset {
    library(folder).unwrap().load(id).unwrap()
}

fn add(folder: &Path, arguments: &[&str]) -> std::process::Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_reprise"));
    command.args(["data", "add"]).args(arguments).current_dir(folder).env("COLUMNS", "400");
    command.env("REPRISE_CACHE", folder.join("cache")).env_remove("REPRISE_MIRROR");
    command.env("NO_COLOR", "1").output().unwrap()
}

#[test]
fn tables_as_people_have_them() {
    for Case { file, text, options, says, entry, read } in headers().into_iter().chain(values()) {
        let folder = tempfile::tempdir().unwrap();
        let here = folder.path();
        std::fs::write(here.join(file), text).unwrap();
        let id = file.split('.').next().unwrap();
        let added = add(here, &[&[file, "--id", "set"], options].concat());
        assert_says(&added, 0, says);
        let registry = std::fs::read_to_string(here.join("datasets.toml")).unwrap();
        for part in entry {
            assert!(registry.contains(part), "{id}: {part}\n{registry}");
        }
        let set = load(here, "set");
        let (variables, examples, classes) = read;
        assert_eq!((set.examples.variables(), set.examples.len()), (variables, examples), "{id}");
        if !classes.is_empty() {
            assert_eq!(set.targets.labels().unwrap().classes, classes, "{id}");
        }
    }
}

#[test]
fn numbers_are_those_of_the_file() {
    let folder = tempfile::tempdir().unwrap();
    let here = folder.path();
    std::fs::write(here.join("g.csv"), "x;y\n1.234,5;1\n-0,25;2\n7;1\n").unwrap();
    assert_says(&add(here, &["g.csv", "--id", "g"]), 0, &["decimal = \",\""]);
    let Examples::Numeric(rows) = load(here, "g").examples else { panic!("numbers") };
    assert_eq!(rows.values(), [1234.5, -0.25, 7.0]);
}

#[test]
fn a_table_of_0_and_1_is_rows_of_bits() {
    let folder = tempfile::tempdir().unwrap();
    let here = folder.path();
    let entry = |kind: &str, shape: &str, file: &str| {
        let sources = "sources = [{ path = \"t.csv\" }]";
        let entry = format!(
            "schema = 1\n[dataset.t]\ntitle = \"\"\nkind = \"{kind}\"\ncitation = \"\"\nlicence = \"\"\n\
             shape = {{ variables = 70, rows = 4{shape} }}\n\
             files = [{{ role = \"all\", {file}, {sources} }}]\n"
        );
        std::fs::write(here.join("datasets.toml"), entry).unwrap();
    };
    let csv = "format = \"csv\", header = false, target = \"71\"";
    let table = |values: [&str; 4]| {
        let row = |(value, class): (&str, &str)| format!("{value}{},1,{class}\n", ",0".repeat(68));
        let rows: String = values.into_iter().zip(["a", "b", "b", "a"]).map(row).collect();
        std::fs::write(here.join("t.csv"), rows).unwrap();
    };
    entry("binary", ", classes = 2", csv);
    table(["1", "0.0", "0e5", "0"]);
    let set = load(here, "t");
    let Examples::Binary(rows) = &set.examples else { panic!("few ones") };
    assert_eq!(rows.iter().collect::<Vec<_>>(), [&[0, 69][..], &[69], &[69], &[69]]);
    assert_eq!(set.targets.labels().unwrap().of_example, [0, 1, 1, 0]);
    // With what to do.
    let refused =
        || format!("{:?}", library(here).and_then(|all| all.load("t").map(drop)).unwrap_err());
    for (value, what) in [
        ("2", "`2` is not 0 or 1"),
        ("-0", "`-0` is not 0 or 1"),
        ("yes", "`yes` is not 0 or 1"),
        ("", "the value is missing"),
    ] {
        table(["1", "0", value, "0"]);
        let says = refused();
        assert!(says.contains("line 3") && says.contains(what), "{says}");
        assert!(says.contains("a dataset of kind `binary` has 0 and 1 only; set kind"), "{says}");
    }
    // In ARFF bits may be declared as names.
    let arff = |names: &str| {
        let attributes: String = (1..71).map(|at| format!("@attribute a{at} {names}\n")).collect();
        let rows: String =
            ["1", "0"].map(|one| format!("{one}{},b\n", ",0".repeat(69))).concat().repeat(2);
        let text = format!("@relation r\n{attributes}@attribute c {{b,c}}\n@data\n{rows}");
        std::fs::write(here.join("t.csv"), text.replacen(",b\n", ",c\n", 1)).unwrap();
        entry("binary", ", classes = 2", "format = \"arff\", target = \"c\"");
    };
    for names in ["{0,1}", "numeric"] {
        arff(names);
        let Examples::Binary(rows) = load(here, "t").examples else { panic!("few ones") };
        assert_eq!(rows.iter().collect::<Vec<_>>(), [&[0][..], &[], &[0], &[]]);
    }
    arff("{0,1,2}");
    let text = std::fs::read_to_string(here.join("t.csv")).unwrap();
    std::fs::write(here.join("t.csv"), text.replace("\n0,", "\n2,")).unwrap();
    assert!(refused().contains("`2` is not 0 or 1"), "{}", refused());
    for (shape, file, what) in [
        (", target = \"number\"", csv, "`binary` has classes, or nothing to predict"),
        ("", csv, "a table of 0/1 variables has classes"),
        (", classes = 2", "format = \"binary-csv\"", "`binary-csv` has no classes"),
        (", classes = 2", &format!("{csv}, categories = [\"1\"]"), "`binary` are 0/1 variables"),
    ] {
        entry("binary", shape, file);
        assert!(refused().contains(what), "{}", refused());
    }
}

/// 0/1 variables are the numbers 0 and 1 to methods of numbers, and what a tree or an SVM does with either is the same.
#[test]
fn bits_and_numbers_of_one_table_give_the_same_predictions() {
    let entry = |kind: &str| {
        let file = |role: &str, name: &str| {
            format!(
                "{{ role = \"{role}\", format = \"csv\", target = \"y\", sources = [{{ path = \"{name}.csv\" }}] }},\n"
            )
        };
        format!(
            "[dataset.{kind}]\ntitle = \"\"\nkind = \"{kind}\"\ncitation = \"\"\nlicence = \"\"\n\
             shape = {{ variables = 9, train = 150, test = 90, classes = 3 }}\nfiles = [\n{}{}]\n",
            file("train", "a"),
            file("test", "b")
        )
    };
    let table = |rows: std::ops::Range<u64>| {
        let row = |row: u64| {
            let bits = row.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 40;
            let bit = |at: u64| (bits >> at & 1).to_string();
            let class = (bits & 3) * (bits >> 3 & 1) + u64::from(row.is_multiple_of(7));
            format!("{},c{}\n", (0..9).map(bit).collect::<Vec<_>>().join(","), class % 3)
        };
        format!("p,q,r,s,t,u,v,w,x,y\n{}", rows.map(row).collect::<String>())
    };
    let method = |kind: &str| format!("[[method]]\nid = \"{kind}\"\nkind = \"{kind}\"\n");
    let kinds =
        ["gaussian-nb", "logistic-regression", "nearest-centroid", "linear-svm", "decision-tree"];
    let spec = format!(
        "schema = 1\n[experiment]\nid = \"own\"\ntitle = \"own\"\nseed = 1\n[task]\nkind = \"classification\"\n\
         datasets = [\"binary\", \"numeric\"]\nsplit = \"published\"\nmetrics = [\"test_accuracy\"]\n{}ties = \"first\"\n",
        kinds.map(method).concat()
    );
    let registry = format!("schema = 1\n{}{}", entry("binary"), entry("numeric"));
    let (train, test) = (table(0..150), table(150..240));
    let bench =
        Bench::with(&spec, &[("datasets.toml", &registry), ("a.csv", &train), ("b.csv", &test)]);
    let trials = results::rows(&bench.run("r").join("trials.csv"));
    let of = |dataset: &str, method: &str| {
        let mut rows = trials.iter();
        let row = rows.find(|row| row["dataset"] == dataset && row["method"] == method).unwrap();
        assert_eq!(row["status"], "ok", "{row:?}");
        row["test_accuracy"].clone()
    };
    kinds.iter().for_each(|kind| assert_eq!(of("binary", kind), of("numeric", kind), "{kind}"));
    assert!(of("binary", "decision-tree").parse::<f64>().unwrap() > 0.5);
}

#[test]
fn what_a_declared_column_can_not_hold_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let here = folder.path();
    let head = "@relation r\n@attribute n numeric\n@attribute class {u,v}\n@data\n";
    std::fs::write(here.join("bad.arff"), format!("{head}1,u\n2x,v\n")).unwrap();
    let phrases = ["bad.arff, line 6: `2x` of `n` is no number", "line 2 declares numbers"];
    assert_says(&add(here, &["bad.arff"]), 3, &phrases);
    std::fs::write(here.join("open.csv"), "a,y\n1,u\n2,\"v\n3,u\n").unwrap();
    let phrases = ["open.csv", "line 3: a quote is not closed", "close the quotes"];
    assert_says(&add(here, &["open.csv"]), 3, &phrases);
    assert_says(&add(here, &["open.csv", "--header", "maybe"]), 2, &["say yes or no"]);
    std::fs::write(here.join("noted.csv"), "a,y\n1,u\n# by hand\n3,v\n").unwrap();
    let phrases = ["noted.csv", "line 3: it is a comment", "remove lines that begin with #"];
    assert_says(&add(here, &["noted.csv"]), 3, &phrases);
    for first in [0, 1] {
        let wide = "a,y\n1,u\n2,v\n".bytes().flat_map(|byte| [byte, 0]).skip(first);
        std::fs::write(here.join("wide.csv"), wide.collect::<Vec<u8>>()).unwrap();
        let phrases = ["wide.csv is text in UTF-16", "save it as UTF-8"];
        assert_says(&add(here, &["wide.csv"]), 3, &phrases);
    }
    let excel = "sep=;\na;y\n1;u\n2;v\n";
    let (units, twice) = ("a,b,y\ncm,kg,-\n", "a,b,y\n1,2,u\n2,3,v\na,b,y\n");
    let below: String = (0..30).map(|row| format!("{row}.5,{row}.25,{}\n", class(row))).collect();
    for (name, text, phrases) in [
        ("none.csv", "", &["none.csv is empty", "name a file with rows"][..]),
        ("blank.csv", "\n \n", &["blank.csv is empty"]),
        ("b.parquet", "PAR1\u{15}\0", &["b.parquet is Parquet", "save it as CSV"]),
        ("b.bz2", "BZh91AY", &["b.bz2 is packed by bzip2", "save it as CSV"]),
        ("b.html", "\n<html><body>404</body></html>", &["b.html is a page of HTML"]),
        ("b.json", "[{\"a\": 1}]", &["b.json is JSON"]),
        ("b.jsonl", "{\"a\": 1}\n{\"a\": 2}\n", &["records in JSON are to be written as CSV"]),
        ("excel.csv", excel, &["`sep=;` stands above the table", "delete what is above"]),
        (
            "title.csv",
            &format!("Results\n\na,b,y\n{below}"),
            &["title.csv: `Results` stands above"],
        ),
        (
            "titles.csv",
            &format!("Results of 2024\nby hand\n\na,b,y\n{below}"),
            &["titles.csv: `Results of 2024` stands above the table, which begins below line 2"],
        ),
        ("labels.svm", "0,2 1:2 2:0\n1 1:2\n", &["line 1: `0,2` is no target", "one target"]),
        (
            "units.csv",
            &format!("{units}{below}"),
            &[
                "there is no attribute beside the target `y`: `a` is left out: its values are numbers but for `cm`",
                "`b` is left out: its values are numbers but for `kg`",
                "remove rows that are none, such as units or a second header",
            ],
        ),
        (
            "twice.csv",
            &format!("{twice}{below}"),
            &["`a` is left out: its values are numbers but for `a`"],
        ),
    ] {
        std::fs::write(here.join(name), text).unwrap();
        assert_says(&add(here, &[name]), 3, phrases);
    }
    for (name, bytes, what) in [
        ("b.xls", &b"\xd0\xcf\x11\xe0\xa1\xb1"[..], "b.xls is a workbook of Excel"),
        ("b.h5", b"\x89HDF\r\n\x1a\n", "b.h5 is HDF5"),
        ("b.pkl", b"\x80\x04\x95\x10", "b.pkl is a pickle of Python"),
    ] {
        std::fs::write(here.join(name), bytes).unwrap();
        assert_says(&add(here, &[name]), 3, &[what, "save it as CSV"]);
    }
    std::fs::write(here.join("fine.csv"), format!("a,b,y\n{below}")).unwrap();
    let refused = add(here, &["fine.csv", "--id", "yy zz"]);
    assert_says(
        &refused,
        2,
        &["`yy zz` is no dataset id", "name one with --id, of letters, digits"],
    );
    assert!(!here.join("datasets.toml").exists());
}

/// A class that only the published test examples have is said where it is added and planned; a file that is not there by
/// its size, and where it is to be put.
#[test]
fn what_is_missing_of_a_published_split_is_said() {
    let folder = tempfile::tempdir().unwrap();
    let here = folder.path();
    std::fs::create_dir(here.join("own")).unwrap();
    let table = |classes: [&str; 3]| {
        let rows = (0..30).map(|row| format!("{row}.5,{}\n", classes[row % 3]));
        format!("x,y\n{}", rows.collect::<String>())
    };
    std::fs::write(here.join("own/train.csv"), table(["a", "b", "b"])).unwrap();
    std::fs::write(here.join("own/test.csv"), table(["a", "b", "c"])).unwrap();
    let says = ["warning: no training example is of the class `c`"];
    assert_says(&add(here, &["own"]), 0, &says);
    let spec = "schema = 1\n[experiment]\nid = \"e\"\ntitle = \"E\"\nseed = 1\n[task]\nkind = \"classification\"\n\
                datasets = [\"own\"]\nsplit = \"published\"\n[[method]]\nid = \"m\"\nkind = \"majority\"\n";
    std::fs::write(here.join("e.toml"), spec).unwrap();
    let plan = || {
        let mut command = Command::new(env!("CARGO_BIN_EXE_reprise"));
        command.args(["plan", "e.toml"]).current_dir(here).env("COLUMNS", "400");
        command.env("REPRISE_CACHE", here.join("cache")).env_remove("REPRISE_MIRROR");
        command.env("NO_COLOR", "1").output().unwrap()
    };
    assert_says(&plan(), 0, &["own: no training example is of the class `c`"]);
    let bytes = here.join("own/test.csv").metadata().unwrap().len();
    std::fs::remove_file(here.join("own/test.csv")).unwrap();
    let says = format!("e: 1 files to fetch, {bytes} bytes");
    assert_says(&plan(), 0, &[&says, "put each file there, or name the folder that has them"]);
}
