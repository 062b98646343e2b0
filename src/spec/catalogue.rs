//! The methods, tasks and metrics that a program knows.

use ::task::Task;
use ::task::metrics::OPTIMISM;
use contract::{MethodEntry, Metric, Metrics};
use document::{Key, Names};

/// What a metric is called in errors.
pub(crate) const METRIC: &str = "metric";
/// What a task is called in errors.
pub(crate) const TASK: &str = "kind of task";

/// The methods, tasks and metrics that a program knows.
#[derive(Debug)]
pub struct Catalogue {
    /// The methods, in the order in which they are listed.
    pub methods: Vec<&'static MethodEntry>,
    /// The tasks, in the order in which they are listed.
    pub tasks: Vec<&'static Task>,
    /// What this program was built without, for errors about names that it does not know.
    pub without: Option<&'static str>,
    /// The metrics: those that the tasks measure, those that the methods report, and that of a grid as a whole.
    pub metrics: Metrics,
}

impl Catalogue {
    /// What is in these lists, and the metrics that the tasks and methods name.
    pub fn new(methods: Vec<&'static MethodEntry>, tasks: Vec<&'static Task>) -> Self {
        const OF_GRIDS: &[&Metric] = &[&OPTIMISM];
        let of_tasks = tasks.iter().map(|task| task.metrics);
        let of_methods = methods.iter().map(|method| method.reports);
        let metrics = Metrics::of(of_tasks.chain([OF_GRIDS]).chain(of_methods));
        Self { methods, tasks, without: None, metrics }
    }

    /// The methods of this kind: one, or several that serve different tasks.
    pub fn methods_of(&self, kind: &str) -> impl Iterator<Item = &'static MethodEntry> {
        self.methods.iter().copied().filter(move |entry| entry.kind == kind)
    }

    /// The task of this word.
    pub fn task(&self, word: &str) -> Option<&'static Task> {
        self.tasks.iter().copied().find(|task| task.word == word)
    }

    /// The tasks that a method serves.
    pub fn tasks_of(&self, method: &MethodEntry) -> impl Iterator<Item = &'static Task> {
        self.tasks.iter().copied().filter(|task| (task.serves)(method))
    }

    /// Whether the trials of a task can have a metric: it is the task's own, or that of a method which serves it.
    pub fn measures(&self, task: &Task, metric: &Metric) -> bool {
        let own = task.metrics.iter();
        let methods = self.methods.iter().filter(|method| (task.serves)(method));
        own.chain(methods.flat_map(|method| method.reports)).any(|known| *known == metric)
    }

    /// The keys of `[task]` that some task alone has.
    pub(crate) fn keys_of_tasks(&self) -> Vec<Key> {
        self.tasks.iter().flat_map(|task| task.keys).map(Key::from).collect()
    }

    /// Fills in the names of metrics and tasks; those of metrics that one of these tasks measures stand first.
    pub(crate) fn fill(&self, names: &mut Names, tasks: &[&Task]) {
        match names.noun {
            METRIC => {
                let mut all: Vec<&Metric> = self.metrics.iter().collect();
                all.sort_by_key(|metric| !tasks.iter().any(|task| self.measures(task, metric)));
                names.all = all.into_iter().map(|one| (one.name, one.meaning)).collect();
            }
            TASK => {
                let all = self.tasks.iter();
                names.all = all.map(|task| (task.word, task.meaning)).collect();
                names.few = true;
            }
            noun => unreachable!("nobody lists the names of a {noun}"),
        }
    }
}
