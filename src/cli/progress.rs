//! Progress: bars on a terminal, plain lines otherwise.

use std::collections::BTreeMap;
use std::io::IsTerminal as _;
use std::sync::Mutex;
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressStyle};

use base::digest::Digest;
use base::parallel::lock;
use run::Outcome;
use run::executor::Observer;
use run::plan::{Path, Plan};

use super::forecast::Forecast;

/// How often a line is printed where there is no terminal.
const EVERY: Duration = Duration::from_secs(30);

/// How often a bar is drawn while no path ends.
const TICK: Duration = Duration::from_millis(500);

/// Makes the progress of an experiment, over the paths of a plan.
pub fn of<'a>(
    id: &'a str,
    quiet: bool,
) -> impl for<'p> Fn(&'p Plan, &[&Path]) -> Box<dyn Observer + 'p> + 'a {
    move |plan, paths| Box::new(Progress::new(id, plan, paths, quiet))
}

/// Progress of a run: paths done, and the time that the rest will take.
#[derive(Debug)]
pub struct Progress<'a> {
    plan: &'a Plan,
    id: String,
    paths: usize,
    bar: Option<ProgressBar>,
    quiet: bool,
    state: Mutex<State<'a>>,
}

#[derive(Debug)]
struct State<'a> {
    start: Instant,
    printed: Instant,
    done: usize,
    forecast: Forecast<'a>,
    /// When the paths that are running began.
    running: BTreeMap<Digest, Instant>,
}

impl<'a> Progress<'a> {
    /// Progress over these paths.
    pub fn new(id: &str, plan: &'a Plan, paths: &[&Path], quiet: bool) -> Self {
        let on_terminal = std::io::stderr().is_terminal() && !quiet;
        let bar = (on_terminal && !paths.is_empty()).then(|| {
            let bar = ProgressBar::new(paths.len() as u64);
            if let Ok(style) =
                ProgressStyle::with_template("{prefix} [{bar:12}] {pos}/{len} {elapsed} {wide_msg}")
            {
                bar.set_style(style.progress_chars("=> "));
            }
            bar.set_prefix(id.to_owned());
            tick(&bar);
            bar
        });
        let now = Instant::now();
        let mut forecast = Forecast::default();
        for path in paths {
            let trial = plan.first_of(path);
            forecast.expect(&trial.method, &trial.dataset, path.cost);
        }
        Self {
            plan,
            id: id.to_owned(),
            paths: paths.len(),
            bar,
            quiet,
            state: Mutex::new(State {
                start: now,
                printed: now,
                done: 0,
                forecast,
                running: BTreeMap::new(),
            }),
        }
    }
}

impl Drop for Progress<'_> {
    /// Clears the bar.
    fn drop(&mut self) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
    }
}

impl Observer for Progress<'_> {
    fn started(&self, path: &Path) {
        let trial = self.plan.first_of(path);
        log::debug!("{}: starts", trial.place());
        lock(&self.state).running.insert(path.id, Instant::now());
    }

    fn ended(&self, path: &Path, outcomes: &[Outcome]) {
        let mut state = lock(&self.state);
        state.done += 1;
        let elapsed = state.start.elapsed();
        let trial = self.plan.first_of(path);
        let began = state.running.remove(&path.id).unwrap_or(state.start);
        let seconds = began.elapsed().as_secs_f64();
        state.forecast.ended(&trial.method, &trial.dataset, path.cost, seconds);
        let left = state.forecast.left(elapsed).unwrap_or_default();
        log::debug!("{}: {elapsed:?} gone, {left:?} left", self.id);
        let left = format!("about {} left", human(left));
        for outcome in outcomes {
            log::debug!("{}: {}", trial.place(), outcome.status().word());
        }
        if let Some(bar) = &self.bar {
            bar.set_message(format!("{left}; {} on {}", trial.method, trial.dataset));
            bar.inc(1);
        } else if !self.quiet && state.printed.elapsed() >= EVERY {
            state.printed = Instant::now();
            let (id, done, paths) = (&self.id, state.done, self.paths);
            super::render::complain(&format!("{id}: {done}/{paths} paths, {left}\n"));
        }
    }
}

/// Draws the bar again and again, for its clock, until it is finished. It goes without where the
/// system gives no thread.
fn tick(bar: &ProgressBar) {
    let bar = bar.clone();
    let ticks = move || {
        while !bar.is_finished() {
            bar.tick();
            std::thread::sleep(TICK);
        }
    };
    if let Err(error) = std::thread::Builder::new().spawn(ticks) {
        log::debug!("the progress bar stands still: {error}");
    }
}

/// A length of time for people.
pub fn human(time: Duration) -> String {
    let seconds = time.as_secs();
    match seconds {
        0..60 => format!("{seconds} s"),
        60..3600 => format!("{} min {} s", seconds / 60, seconds % 60),
        _ => format!("{} h {} min", seconds / 3600, seconds % 3600 / 60),
    }
}
