//! A table as tidy comma-separated values: one line per cell, at full precision.

use crate::run::csv::{file, number, text};

use super::Table;

/// `row,column,metric,value,sd,n,published,difference,best,significant,status,row_label,column_label`;
/// behind them the published standard deviation.
pub fn csv(table: &Table) -> Vec<u8> {
    let header = [
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
    let rows = table.rows.iter().zip(&table.cells).flat_map(|(row, cells)| {
        table.columns.iter().zip(cells).map(|(column, cell)| {
            vec![
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
                row.label.clone(),
                column.label.clone(),
                number(cell.published.and_then(|(_, sd)| sd)),
            ]
        })
    });
    file(&header, rows)
}
