//! What reprise and a program say to each other: a line of JSON a message.

use base::digest::Digest;
use base::printable::printable;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::hand_over::BatchName;
use crate::program::PROTOCOL;

/// The most bytes of a message, with its line feed.
pub(crate) const LONGEST: usize = 1 << 20;

/// What a program is asked.
#[derive(Debug, Clone, PartialEq)]
pub struct Request {
    /// Key of the trial.
    pub trial: Digest,
    /// Seed of its random numbers. The program gets the lower 31 bits, which every language holds.
    pub seed: u32,
    /// Parameters of the method.
    pub parameters: Map<String, Value>,
    /// How long it may take; none: no limit. Time to start and to import does not count.
    pub seconds: Option<std::time::Duration>,
    /// The batches to answer.
    pub answer: Vec<BatchName>,
}

#[derive(Serialize)]
struct Asked<'a> {
    trial: String,
    data: &'a str,
    out: &'a str,
    seed: u32,
    parameters: &'a Map<String, Value>,
    seconds: Option<f64>,
    answer: Vec<&'static str>,
}

impl Request {
    /// The line that asks.
    ///
    /// # Errors
    /// If the line is longer than 1 MiB.
    pub(crate) fn line(&self, data: &str, out: &str) -> Result<Vec<u8>, String> {
        let asked = Asked {
            trial: self.trial.to_string(),
            data,
            out,
            seed: self.seed & i32::MAX as u32,
            parameters: &self.parameters,
            seconds: self.seconds.map(|seconds| seconds.as_secs_f64()),
            answer: self.answer.iter().map(|batch| batch.word()).collect(),
        };
        let mut line = serde_json::to_vec(&asked).map_err(|error| error.to_string())?;
        line.push(b'\n');
        if line.len() > LONGEST {
            return Err(format!("the request has {} bytes, more than {LONGEST}", line.len()));
        }
        Ok(line)
    }
}

/// How long a program says that it took. It is its own word.
#[derive(Debug, Clone, Copy, Default, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Seconds {
    /// For learning.
    pub fit: Option<f64>,
    /// For answering.
    pub predict: Option<f64>,
}

/// What a program says.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Said {
    /// It waits for requests.
    Ready,
    /// Its answers are there.
    Done(Option<Seconds>),
    /// It failed, in its own words.
    Failed(String),
}

/// The most seconds that a program may say of a trial: thirty years.
const MOST_SECONDS: f64 = 1e9;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Line {
    ready: Option<u64>,
    trial: Option<String>,
    done: Option<bool>,
    error: Option<String>,
    seconds: Option<Seconds>,
}

/// Understands a line of a program. `trial` is what it was asked, if anything.
///
/// # Errors
/// What is wrong with the line, and what was expected.
pub(crate) fn understand(line: &[u8], trial: Option<Digest>) -> Result<Said, String> {
    let expected = match trial {
        None => format!("{{\"ready\": {PROTOCOL}}}"),
        Some(trial) => format!("{{\"trial\": \"{trial}\", \"done\": true}}"),
    };
    let wrong = |why: String| {
        let shown = String::from_utf8_lossy(&line[..line.len().min(200)]).into_owned();
        format!("its reply `{}` {why}; {expected} was expected", printable(&shown))
    };
    let said: Line =
        serde_json::from_slice(line).map_err(|error| wrong(format!("is no message: {error}")))?;
    let asked = trial.map(|trial| trial.to_string());
    match said {
        Line { ready: Some(version), trial: None, done: None, error: None, seconds: None } => {
            match asked {
                None if version == PROTOCOL => Ok(Said::Ready),
                None => Err(wrong("is of another version of the dialogue".to_owned())),
                Some(_) => Err(wrong("comes again".to_owned())),
            }
        }
        Line { trial, .. } if asked.is_none() || trial != asked => {
            Err(wrong("is to no request of now".to_owned()))
        }
        Line { ready: None, done: Some(true), error: None, seconds, .. } => {
            let said = seconds.iter().flat_map(|seconds| [seconds.fit, seconds.predict]);
            match said.flatten().all(|seconds| (0.0..=MOST_SECONDS).contains(&seconds)) {
                true => Ok(Said::Done(seconds)),
                false => Err(wrong("says seconds that can't have passed".to_owned())),
            }
        }
        Line { ready: None, done: None, error: Some(error), .. } => {
            Ok(Said::Failed(printable(&error).into_owned()))
        }
        _ => Err(wrong("says neither that it is done nor an error".to_owned())),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_request_is_one_line() {
        let parameters = serde_json::json!({"depth": 8, "name": "a\nb"});
        let request = Request {
            trial: Digest::of(b"trial"),
            seed: 7,
            parameters: parameters.as_object().unwrap().clone(),
            seconds: Some(std::time::Duration::from_millis(1500)),
            answer: vec![BatchName::Test, BatchName::Again],
        };
        let line = String::from_utf8(request.line("/data", "/out").unwrap()).unwrap();
        let expected = format!(
            "{{\"trial\":\"{}\",\"data\":\"/data\",\"out\":\"/out\",\"seed\":7,\
             \"parameters\":{{\"depth\":8,\"name\":\"a\\nb\"}},\"seconds\":1.5,\"answer\":[\"test\",\"again\"]}}\n",
            Digest::of(b"trial")
        );
        assert_eq!(line, expected);
        let long =
            Request { parameters: Map::from_iter([("a".repeat(LONGEST), Value::Null)]), ..request };
        assert!(long.line("/data", "/out").is_err());
    }

    #[test]
    fn replies_are_understood_or_refused_with_what_was_expected() {
        let trial = Digest::of(b"trial");
        let about = |text: &str| text.replace('T', &format!("\"trial\": \"{trial}\""));
        let said = |text: &str| understand(about(text).as_bytes(), Some(trial));
        assert_eq!(understand(b"{\"ready\": 1}", None), Ok(Said::Ready));
        assert_eq!(said("{T, \"done\": true}"), Ok(Said::Done(None)));
        let seconds = Seconds { fit: Some(1.2), predict: None };
        assert_eq!(
            said("{T, \"done\": true, \"seconds\": {\"fit\": 1.2}}"),
            Ok(Said::Done(Some(seconds)))
        );
        assert_eq!(said("{T, \"error\": \"singular\"}"), Ok(Said::Failed("singular".to_owned())));
        for text in [
            "",
            "done",
            "{}",
            "[]",
            "{T}",
            "{T, \"done\": false}",
            "{T, \"done\": true, \"error\": \"x\"}",
            "{\"ready\": 1}",
            "{\"trial\": \"other\", \"done\": true}",
            "{T, \"done\": true, \"sec\": 1}",
            "{T, \"done\": true, \"seconds\": {\"fit\": -0.5}}",
            "{T, \"done\": true, \"seconds\": {\"predict\": 1e300}}",
        ] {
            let error = said(text).unwrap_err();
            assert!(error.contains("\"done\": true} was expected"), "{text}: {error}");
        }
        for text in ["{\"ready\": 2}", "{T, \"done\": true}", "garbage\u{1b}"] {
            let error = understand(about(text).as_bytes(), None).unwrap_err();
            assert!(
                error.ends_with("{\"ready\": 1} was expected") && !error.contains('\u{1b}'),
                "{error}"
            );
        }
    }
    proptest::proptest! {
        #[test]
        fn no_reply_makes_it_panic(bytes: Vec<u8>, text in "[{\\[]*(\"(ready|trial|done|error|seconds)\": ?[0-9e.truefals\"{}]*,?)*[}\\]]*") {
            for line in [&bytes[..], text.as_bytes()] {
                let _ = understand(line, None);
                let _ = understand(line, Some(Digest::of(b"trial")));
            }
        }
    }
}
