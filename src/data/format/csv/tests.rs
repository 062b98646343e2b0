use super::*;

fn layout() -> Layout {
    Layout {
        header: true,
        delimiter: b',',
        target: "class".to_owned(),
        group: None,
        time: None,
        attributes: None,
        categories: Vec::new(),
        decimal: None,
        charset: Charset::Utf8,
    }
}

fn seen(text: &[u8], layout: &Layout) -> Result<Vec<String>, String> {
    let read = read(text, layout, 1000, &|_| Wanted::Names, Wanted::Names);
    read.map(|table| table.shown()).map_err(|fault| format!("{fault} ({})", fault.cure))
}

#[test]
fn tables_are_read_as_people_have_them() {
    // Python 3.11.7: csv.reader gives the same values.
    let text = b"\xef\xbb\xbf\"name\",age,class\r\n\"Allen, Miss. \"\"Bess\"\"\",29,well done\r\n\r\n\"two\r\nlines\",NA,ill\r\n?, nan ,ill";
    let expected = [
        "name age",
        "2 well done: Allen, Miss. \"Bess\"|29",
        "4 ill: two\r\nlines|∅",
        "6 ill: ∅|∅",
    ];
    assert_eq!(seen(text, &layout()).unwrap(), expected);
    let tabs = Layout { delimiter: b'\t', ..layout() };
    assert_eq!(seen(b"a\tclass\tb\n1,5\ty\t\n", &tabs).unwrap(), ["a b", "2 y: 1,5|∅"]);
    let latin = Layout { charset: Charset::Latin1, ..layout() };
    assert_eq!(seen(b"caf\xe9,class\n1,y\n", &latin).unwrap()[0], "café");
}

#[test]
fn columns_are_chosen_by_name() {
    let some = Some(vec!["c".to_owned(), "a".to_owned()]);
    let chosen = Layout { attributes: some, ..layout() };
    assert_eq!(seen(b"a,b,class,c\n1,2,y,3\n", &chosen).unwrap(), ["c a", "2 y: 3|1"]);
    let numbered = Layout { header: false, target: "2".to_owned(), ..layout() };
    assert_eq!(seen(b"1,y,3\n", &numbered).unwrap(), ["1 3", "1 y: 1|3"]);
}

#[test]
fn every_fault_has_its_cause_and_its_cure() {
    let numbered = Layout { header: false, target: "3".to_owned(), ..layout() };
    let unknown = Layout { categories: vec!["clas".to_owned()], ..layout() };
    let target = Layout { categories: vec!["class".to_owned()], ..layout() };
    for (text, layout, message) in [
        (&b""[..], &layout(), "line 1: the file is empty (name a file with rows)"),
        (b"a,Class\n", &layout(), "line 1: there is no column `class` (did you mean `Class`?)"),
        (b"a,b\n", &layout(), "line 1: there is no column `class` (the columns are a, b)"),
        (
            b"1.5,2\n",
            &layout(),
            "line 1: there is no column `class` (if the file has no header, set header = false; columns are \
             then called 1, 2, …)",
        ),
        (
            b"1.5,2\n",
            &numbered,
            "line 1: there is no column `3` (without a header the columns are 1, 2; or set header = true)",
        ),
        (
            b"a,class\n1,y\n2,y,3\n",
            &layout(),
            "line 3: it has 3 or more values, the first line has 2 (compare `delimiter` with the file; a \
             value that holds it stands in quotes)",
        ),
        (
            b"a,class\n\"1,y\n2,n\n",
            &layout(),
            "line 2: a quote is not closed (close the quotes; a quote within quotes is doubled)",
        ),
        (
            b"a,class\n1,y\n2,caf\xe9\n",
            &layout(),
            "line 3: byte 0xe9 is no character in UTF-8 (save the file as UTF-8, or set charset = \
             \"latin-1\")",
        ),
        (b"a,class\n", &unknown, "line 1: there is no column `clas` (did you mean `class`?)"),
        (
            b"a,class\n",
            &target,
            "line 1: `class` in `categories` is none of the attributes (name it in `attributes` too, or \
             in neither)",
        ),
    ] {
        assert_eq!(seen(text, layout), Err(message.to_owned()));
    }
}

#[test]
fn no_more_fields_are_held_than_are_asked_for() {
    let text = format!("a,class\n{}\n", ",".repeat(5_000_000));
    let mut records = Records::new(&text, 1, Dialect::of(b',', None), 2);
    assert!(records.next().unwrap() && records.fields.len() == 2);
    assert!(records.next().unwrap() && records.fields.len() == 3);
}

#[test]
fn a_name_that_comes_again_has_a_number() {
    let names = ["a", "b", "a", "a.2", "a"].map(str::to_owned).to_vec();
    assert_eq!(told_apart(names), ["a", "b", "a.3", "a.2", "a.4"]);
    assert_eq!(seen(b"a,a,class\n1,2,y\n", &layout()).unwrap(), ["a a.2", "2 y: 1|2"]);
}

/// Line feeds of both sorts, blank lines, a last line without an end, quotes, columns that turn out to be names:
/// whatever the blocks, it is one table, and one fault with its line.
#[test]
fn blocks_of_any_size_give_the_same_table() {
    let slots: Vec<(usize, Wanted)> = (0..3).map(|at| (at, Wanted::Either)).collect();
    let no_number = |_: usize, line: usize, text: &str| Fault::in_line(line, text, "");
    let long = format!("a,b,c\n{}z,\"\n\",x\n{}", "1,?,0\n".repeat(30), "2,5,1\n".repeat(9));
    for text in [
        &long,
        "a,b,c\n5\" pipe,2,x\n\"x\ny\",3,z\n\"\"\"a\n,\"\"\n\",4,w\n1,2\"\n\",3,4\n",
        "a,b,c\n1,2,\"x\"\n\"2\n3,4,5\n",
        "\n\r\na,b,c\n1,?,x\r\n\r\n\n2, 3 ,y\n4,,x\nz,5,x\n\n",
        "a,b,c\r\n1,NA,x\r\n2,u,y\r\n3,4,y",
        "a,b,c\n1,\"2\n,\",x\n3,\"\"\"\",y\n",
        "a,b,c\n1,2,3\n4,5\n6,7,8\n",
        "a,b,c\n",
        "",
    ] {
        let asked =
            Asked { header: true, width: 3, slots: &slots, most: 99, no_number: &no_number };
        let of = |size| in_blocks(text, Dialect::of(b',', None), &asked, size);
        let plain = |read: Result<Columns, Fault>| {
            let Columns { mut columns, lines } = read.map_err(|fault| fault.to_string())?;
            let target = columns.pop().unwrap();
            let names = vec![String::new(); 3];
            let (attributes, group, time) = (columns, None, None);
            Ok::<_, String>(Table { attributes, target, group, time, names, lines }.shown())
        };
        let whole = plain(of(BLOCK));
        for size in 1..=text.len() {
            assert_eq!(plain(of(size)), whole, "{size} of {text:?}");
        }
    }
    let numbers = [(1, Wanted::Numbers)];
    let asked = Asked { header: true, width: 2, slots: &numbers, most: 2, no_number: &no_number };
    let of = |text, size| in_blocks(text, Dialect::of(b',', None), &asked, size).unwrap_err();
    for size in 1..30 {
        let bad = of("a,b\n1,2\n3,x\n5,y\n", size);
        assert_eq!(bad.to_string(), "line 3: x");
        let long = of("a,b\n1,2\n3,4\n5,6\n7,8\n", size);
        assert_eq!(long.to_string(), "line 4: there are many more rows than `shape` says");
    }
}

/// Where a block ends is looked for once: many quotes without a line feed, and none in many blocks. Quadratic time would
/// not end.
#[test]
fn ends_of_blocks_are_found_in_linear_time() {
    let slots: Vec<(usize, Wanted)> = vec![(0, Wanted::Numbers), (1, Wanted::Names)];
    let no_number = |_: usize, line: usize, text: &str| Fault::in_line(line, text, "");
    let asked =
        Asked { header: false, width: 2, slots: &slots, most: 1 << 24, no_number: &no_number };
    for (record, size) in [("\"1.5\",\"a\"\r", 64), ("1.5,a\n", 1)] {
        let read = in_blocks(&record.repeat(1 << 20), Dialect::of(b',', None), &asked, size);
        assert_eq!(read.unwrap().columns[1].len(), 1 << 20);
    }
}

#[test]
fn a_quote_that_is_never_closed_is_named_before_the_file_ends() {
    let text = format!("a,class\n1,y\n\"2,{}\n3,\"n\"\n", "x\n".repeat(LONGEST_QUOTED / 2));
    let fault = seen(text.as_bytes(), &layout()).unwrap_err();
    assert!(fault.starts_with("line 3: a quote is not closed"), "{fault}");
}
