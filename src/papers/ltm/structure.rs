//! The structure of a latent tree, learned from training rows and kept as a derived artefact.

use base::digest::FieldHasher;
use base::words;
use contract::binary::DistinctRows;
use contract::parameter::{Choice, Parameters, Real, settings};
use contract::{Context, FitError, LatentTree, Result};
use math::components::components;
use math::special::ln;

use super::distances::{Distances, FAR, Pairs};
use super::em::SMOOTHING;
use super::graph::Graph;
use super::grouping::{self, Families};
use super::local::{Builder, group_locally};
use super::pieces::Columns;
use super::regularised::{Learner, States};
use math::spanning_tree::spanning;
use method::shared::derived_key::{order_field, train_fields};

/// Raised when another structure is learned from the same rows and parameters.
const REVISION: u64 = 3;

words! {
    /// How the structure is learned.
    pub enum Algorithm {
        /// CLRG.
        Clrg = "clrg", "recursive grouping of the closed neighbourhoods of a spanning tree";
        /// CLNJ.
        Clnj = "clnj", "neighbour joining of the closed neighbourhoods of a spanning tree";
        /// regCLRG.
        RegClrg = "reg-clrg", "as clrg, a neighbourhood at a time, while the BIC rises";
        /// regCLNJ.
        RegClnj = "reg-clnj", "as clnj, a neighbourhood at a time, while the BIC rises";
        /// RG.
        Rg = "rg", "recursive grouping of all variables";
        /// NJ.
        Nj = "nj", "neighbour joining of all variables";
    }
}

words! {
    /// Which spanning tree is grouped.
    pub enum Spanning {
        /// As the authors' programme.
        Distance = "distance", "the minimum spanning tree of the distances";
        /// As the paper's name says.
        Information = "information", "the Chow-Liu tree: the maximum spanning tree of the mutual information";
    }
}

impl Algorithm {
    /// Whether it is recursive grouping, rather than neighbour joining.
    fn groups(self) -> bool {
        matches!(self, Self::Clrg | Self::RegClrg | Self::Rg)
    }
}

settings! {
    /// How the structure is learned.
    #[derive(PartialEq)]
    pub struct Settings {
        ALGORITHM algorithm: Choice<Algorithm>::worded("clrg"), "how the structure is learned";
        SPANNING spanning: Choice<Spanning>::worded("distance"),
            "which spanning tree the observed variables are grouped in; of rg and nj only its components count";
        FAMILIES families: Choice<Families>::worded("noise"), "how recursive grouping makes families of relatives";
        SPREAD spread: Real::positive(1.0),
            "factor on sqrt(2 ln N), the standard errors that differences of distances of two relatives may be off by"
            .under(&FAMILIES, "noise");
        CONTRACTION contraction: Real::not_negative(0.105_360_515_657_826_3),
            "edges at a hidden variable that are shorter than this distance are contracted";
        FOREST forest: Real::not_negative(0.0),
            "edges of the spanning tree whose mutual information times N is at most this times ½ ln N are cut";
        PENALTY penalty: Real::not_negative(1.0),
            "of reg-clrg and reg-clnj: factor on ½ ln N, the price of a parameter by the Bayesian information criterion";
        STATES states: Choice<States>::worded("sampled"),
            "of reg-clrg and reg-clnj: what later steps take for the values of hidden variables found before";
    }
}

/// A latent tree with the distance along each edge.
#[derive(Debug, Clone, PartialEq)]
pub struct Structure {
    /// The tree.
    pub tree: LatentTree,
    /// By edge.
    pub lengths: Vec<f64>,
}

impl Structure {
    /// The structure of training rows, kept as a derived artefact.
    ///
    /// # Errors
    /// If there are no rows, or more than can be counted; if the deadline passes or the user interrupts.
    pub fn learn(parameters: &Parameters, train: &DistinctRows, context: &Context) -> Result<Self> {
        let settings = Settings::read(parameters);
        let Settings { algorithm, families, states, .. } = settings;
        let (smoothing, grouping) = (parameters.get(&SMOOTHING), algorithm.groups());
        let regularised = matches!(algorithm, Algorithm::RegClrg | Algorithm::RegClnj);
        let mut key = train_fields(FieldHasher::new("latent-tree").number(REVISION), train)
            .field(algorithm.word())
            .field(settings.spanning.word())
            .number(settings.contraction.to_bits())
            .number(settings.forest.to_bits());
        if grouping {
            key = key.field(families.word());
            if families == Families::Noise {
                key = key.number(settings.spread.to_bits());
            }
        }
        if regularised {
            key = key
                .field(states.word())
                .number(settings.penalty.to_bits())
                .number(smoothing.to_bits());
        }
        let sampled = regularised && states == States::Sampled;
        if sampled || (grouping && families == Families::Medoids) {
            key = key.field(context.split_seed.0);
        }
        if sampled {
            // Examples are drawn for in their order.
            key = order_field(key, train);
        }
        let make = || {
            let Self { tree, lengths } = Self::make(settings, smoothing, train, context)?;
            Ok((tree.observed(), tree.hidden(), tree.edges().to_vec(), lengths))
        };
        let tree = |(observed, hidden, edges, _): &(usize, usize, Vec<[u32; 2]>, Vec<f64>)| {
            LatentTree::new(*observed, *hidden, edges.clone())
        };
        let kept = context.derive(key.finish(), make, |kept| tree(kept).is_some())?;
        let tree = tree(&kept).ok_or_else(|| FitError::Failed("no tree is kept".to_owned()))?;
        Ok(Self { tree, lengths: kept.3 })
    }

    fn make(
        settings: Settings,
        smoothing: f64,
        train: &DistinctRows,
        context: &Context,
    ) -> Result<Self> {
        let Settings { algorithm, families, spread, contraction, penalty, states, .. } = settings;
        let n = train.variables();
        let pairs = Pairs::count(train, &context.cores)?;
        let mut distances = pairs.distances(context)?;
        let information = pairs.information();
        let parents = match settings.spanning {
            Spanning::Distance => spanning(n, |a, b| -distances.of(a, b), || context.check())?,
            Spanning::Information => spanning(n, &information, || context.check())?,
        };
        let least = settings.forest * 0.5 * ln(train.examples() as f64);
        let mut graph = Graph::new(n);
        for (child, parent) in parents.into_iter().enumerate() {
            if let Some(parent) = parent
                && distances.of(child, parent) < FAR
                && information(child, parent) > least
            {
                graph.join(child, parent, distances.of(child, parent));
            }
        }
        let builder = match algorithm.groups() {
            true => Builder::Grouping(grouping::Settings { families, spread, contraction }),
            false => Builder::Joining(contraction),
        };
        match algorithm {
            Algorithm::Clrg | Algorithm::Clnj => {
                let mut random = context.random(0);
                group_locally(&mut graph, &mut distances, &builder, &mut random, context)?;
            }
            Algorithm::Rg | Algorithm::Nj => graph = whole(&graph, &distances, &builder, context)?,
            Algorithm::RegClrg | Algorithm::RegClnj => {
                let columns = match states {
                    States::Sampled => Columns::of_examples(train),
                    States::Expected => Columns::of_rows(train),
                };
                let learner = Learner { builder, smoothing, penalty, states, context };
                learner.grow(&mut graph, &mut distances, columns)?;
            }
        }
        let (tree, lengths) = graph.finish();
        Ok(Self { tree, lengths })
    }
}

/// The latent trees of all variables of each component.
fn whole(
    forest: &Graph,
    distances: &Distances,
    builder: &Builder,
    context: &Context,
) -> Result<Graph> {
    let n = forest.observed();
    let labels = components(n, forest.edges().map(|(a, b, _)| (a, b)));
    let count = labels.iter().max().map_or(0, |&last| last + 1);
    let mut random = context.random(0);
    let mut graph = Graph::new(n);
    for component in 0..count {
        let members: Vec<usize> = (0..n).filter(|&v| labels[v] == component).collect();
        let found = builder.build(&distances.among(&members), &mut random, context)?;
        let mut names = members;
        for node in names.len()..found.nodes() {
            let hidden = !found.of(node).is_empty();
            names.push(if hidden { graph.add_hidden() } else { usize::MAX });
        }
        for (a, b, length) in found.edges() {
            graph.join(names[a], names[b], length);
        }
    }
    Ok(graph)
}
