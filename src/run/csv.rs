//! Comma-separated files in memory.

/// A header line and rows, quoted where needed, lines ending in `\n`.
pub fn file<N: AsRef<str>>(header: &[N], rows: impl IntoIterator<Item = Vec<String>>) -> Vec<u8> {
    let mut writer = csv::WriterBuilder::new().flexible(true).from_writer(Vec::new());
    let mut write = |row: &mut dyn Iterator<Item = &str>| {
        writer.write_record(row).expect("writing to memory cannot fail");
    };
    write(&mut header.iter().map(AsRef::as_ref));
    rows.into_iter().for_each(|row| write(&mut row.iter().map(String::as_str)));
    writer.into_inner().expect("writing to memory cannot fail")
}

/// A number, or nothing.
pub fn number(value: Option<f64>) -> String {
    // Zero has no sign.
    value.map(|value| crate::math::text::real(value + 0.0)).unwrap_or_default()
}

/// A text made of what there is.
pub fn text(value: Option<impl ToString>) -> String {
    value.map(|value| value.to_string()).unwrap_or_default()
}
