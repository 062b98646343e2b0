//! A table as tidy comma-separated values: one line per cell, at full precision.

use run::csv::{file, number, prose, text};

use base::words::Worded as _;

use super::{Agreement, Table};

/// `row,column,metric,value,sd,n,published,difference,best,significant,status,row_label,column_label`;
/// behind them the published standard deviation; where a method marks what is worse, whether our value and the
/// published one are; where the table has published values, half the width of our 95% interval, how ours stands to
/// the paper's, half the width of the interval where another run by our procedure would lie, and whether the paper's
/// lies there.
pub fn csv(table: &Table) -> Vec<u8> {
    let mut header = vec![
        "row",
        "column",
        "metric",
        "value",
        "sd",
        "n",
        "published",
        "difference",
        "best",
        "significant",
        "status",
        "row_label",
        "column_label",
        "published_sd",
    ];
    let marks = table.spec.worse_than.is_some();
    if marks {
        header.extend(["worse", "published_worse"]);
    }
    let compared = table.spec.published.is_some();
    if compared {
        header.extend(["noise", "agreement", "prediction", "predicted"]);
    }
    let rows = table.rows.iter().zip(&table.cells).flat_map(|(row, cells)| {
        table.columns.iter().zip(cells).map(|(column, cell)| {
            let mut line = vec![
                row.id.clone(),
                column.id.clone(),
                cell.metric.name.to_owned(),
                number(cell.ours.value),
                number(cell.ours.sd),
                text((cell.ours.n > 0).then_some(cell.ours.n)),
                number(cell.published.map(|(value, _)| value)),
                number(cell.difference()),
                cell.best.to_string(),
                text(cell.significant),
                cell.ours.status.word().to_owned(),
                prose(&row.label).into_owned(),
                prose(&column.label).into_owned(),
                number(cell.published.and_then(|(_, sd)| sd)),
            ];
            if marks {
                line.extend(cell.worse.map(|worse| worse.to_string()));
            }
            if compared {
                let noise = cell.agreement.and(cell.noise);
                let word = cell.agreement.map(|agreement| Agreement::WORDS.word(agreement));
                let prediction = noise.map(|noise| noise.prediction);
                let predicted = cell.agreement.and(cell.predicted());
                line.extend([number(noise.map(|noise| noise.interval)), text(word)]);
                line.extend([number(prediction), text(predicted)]);
            }
            line
        })
    });
    file(&header, rows)
}
