//! Answers that break a rule.

use reprise_program::{Form, Gives};

use crate::support::{Options, in_python};

/// The message to a program that answers so.
fn bad(script: &str, options: Options) -> String {
    let script = format!("for request in requests():\n{script}\n    done(request)");
    let (outcome, message) = in_python(&script, options).fails();
    assert_eq!(outcome, "bad-answer", "{message}");
    message
}

fn text(script: &str) -> String {
    bad(script, Options::default())
}

fn arrays(header: &str, data: &str) -> String {
    let script = format!(
        "    text = {header:?}.encode()\n    import struct\n\
         \x20   write(request, 'test.npy', b'\\x93NUMPY\\x01\\x00' + struct.pack('<H', len(text)) + text + {data})"
    );
    bad(&script, Options { form: Form::Npy, ..Options::default() })
}

pub fn not_a_number() {
    let density = Options { gives: Gives::LogLikelihoods, ..Options::default() };
    let message = bad("    answer(request, value='nan')", density);
    assert!(message.contains("is NaN; it must be finite"), "{message}");
}

pub fn too_few_rows() {
    let message = text("    answer(request, tokens=column(request, 'test.token')[:-1])");
    assert!(message.contains("has 5 rows, and 6 were asked"), "{message}");
}

pub fn foreign_tokens() {
    let message = text("    answer(request, tokens=range(6))");
    assert!(message.contains("is of no row of this batch"), "{message}");
    let message = text("    answer(request, tokens=column(request, 'train.token'))");
    assert!(message.contains("repeat the tokens of its own file"), "{message}");
}

pub fn a_token_twice() {
    let message = text("    answer(request, tokens=column(request, 'test.token')[:1] * 6)");
    assert!(message.contains("comes twice; answer each row once"), "{message}");
}

pub fn half_written_files() {
    let script = "    open(request['out'] + '/test.csv', 'w').write('token,answer\\n17,')";
    assert!(text(script).contains("has `` where a class, counted from 0 was expected, in line 2"));
    let header = "{'descr': '<i4', 'fortran_order': False, 'shape': (6,), }\n";
    let message = arrays(header, "b'\\x00' * 10");
    assert!(message.contains("test.npy can't be read as an array of i4"), "{message}");
}

pub fn nothing_at_all() {
    let script = "for request in requests():\n    done(request)";
    let (outcome, message) = in_python(script, Options::default()).fails();
    assert_eq!(outcome, "no-answer");
    assert!(message.contains("write test.npy and test.token.npy, or test.csv"), "{message}");
}

pub fn links() {
    let message = text("    os.symlink('/etc/passwd', request['out'] + '/test.csv')");
    assert!(message.contains("symbolic link"), "{message}");
    let message = text("    os.rmdir(request['out']); os.symlink('/etc', request['out'])");
    assert!(message.contains("symbolic link"), "{message}");
}

pub fn pipes() {
    let message = text("    os.mkfifo(request['out'] + '/test.csv')");
    assert!(message.contains("test.csv can't be used: it is not a plain file"), "{message}");
    let message = text("    os.mkdir(request['out'] + '/metrics.json'); answer(request)");
    assert!(message.contains("metrics.json can't be used"), "{message}");
}

pub fn claims_of_ten_gigabytes() {
    let header = "{'descr': '<i4', 'fortran_order': False, 'shape': (2500000000,), }\n";
    let message = arrays(header, "b'\\x00' * 24");
    assert!(message.contains("has the shape (2500000000,); (6,) was expected"), "{message}");
    let message = text("    open(request['out'] + '/test.csv', 'w').truncate(300 << 20)");
    assert!(message.contains("one answer for each row is expected"), "{message}");
    let script = "for request in requests():\n    open(request['out'] + '/test.csv', 'w').truncate(10 << 30)";
    let (_, message) = in_python(script, Options::default()).fails();
    assert!(message.contains("File too large"), "{message}");
}

pub fn pickles() {
    let header = "{'descr': '|O', 'fortran_order': False, 'shape': (6,), }\n";
    let message = arrays(header, "b'\\x80\\x04cposix\\nsystem\\n(S\"touch /tmp/unpickled\"\\ntR.'");
    assert!(message.contains("array of i4") && message.contains("'|O'"), "{message}");
    assert!(!std::path::Path::new("/tmp/unpickled").exists());
}
