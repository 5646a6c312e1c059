//! Views of an analysis: terminal, live table, Markdown, CSV, JSON, and forms that other tools read; of a comparison; the machine; the predictions.
//!
//! Each view is a function that is given what it shows and a writer. A broken pipe comes back as the
//! [`std::io::Error`] it is, for the caller to treat as success.
//!
//! **Invariant:** a view computes nothing that the analysis has not computed: it selects, counts, orders
//! and words. Numbers become text in `quantity` and nowhere else.
#![forbid(unsafe_code)]

mod answers;
mod benchstat;
mod brief_machine;
mod cells;
mod columns;
mod comparison;
mod cores;
mod csv;
mod cycles;
mod describe;
mod deviations;
mod discussion;
mod disturbances;
mod document;
mod exchange;
mod explanation;
mod facts;
mod failures;
mod first_screen;
mod fleet;
mod groups;
mod hdr;
mod history;
mod html;
mod json;
mod latex;
mod live;
mod machines;
mod markdown;
mod museum;
mod next_run;
mod notes;
mod openmetrics;
mod page;
mod pairs;
mod plot;
mod predictions;
mod published;
mod reasons;
mod remark;
mod remarks;
mod results;
mod run_summary;
mod scaling;
mod scene;
mod sections;
mod style;
mod table;
mod tables;
mod tails;
mod terminal;
mod thresholds;
mod topics;
mod view;
mod wording;

pub use crate::benchstat::benchstat;
pub use crate::csv::{columns, csv, csv_field};
#[cfg(feature = "schema")]
pub use comparison::comparison_schema;
pub use comparison::{
    ComparedRecord, ComparedView, compared_answer, compared_reason, compared_words, comparison,
    decompositions_terminal,
};
pub use cores::cores_text;
pub use describe::{describe_json, facts_text, machine_text};
pub use deviations::run_under;
pub use document::Form;
pub use exchange::{EXCHANGES, Exchange, xml_escaped};
pub use explanation::{
    explain_answer, explain_briefly, explain_details, explain_row, explain_run_under, explain_size_of_cache,
    explain_tail, value_text,
};
pub use facts::{directory_line, remote_line, value as fact_value};
pub use failures::failure as failure_words;
pub use first_screen::{Label, first_screen, trust_text, what_is_slow};
#[cfg(feature = "schema")]
pub use fleet::fleet_schema;
pub use fleet::{FleetView, fleet};
pub use hdr::hdr;
#[cfg(feature = "schema")]
pub use history::history_schema;
pub use history::{HistoryView, PastRun, ShownStep, history};
pub use html::{Method, html};
#[cfg(feature = "schema")]
pub use json::json_schema;
pub use json::{SCHEMA, json};
pub use latex::{Extent, Paper, latex};
pub use live::{LiveState, live, plain_line};
pub use markdown::markdown;
pub use museum::{ExhibitLabel, museum};
pub use openmetrics::{label as metric_label, machine_labels, openmetrics, point_labels};
pub use page::Page;
pub use predictions::{predictions_text, user_predictions_text};
pub use reasons::reason;
pub use run_summary::{left_out, predictions_file, worker_settings};
pub use style::{Paint, Style};
pub use table::{Cell, Column, Table};
pub use tables::{ShownTable, Statistic, TableRecord, curves, records_table, table};
pub use terminal::{answers_text, terminal};
pub use thresholds::GROUPS as THRESHOLDS;
pub use topics::{Topic, topics};
pub use view::View;
pub use wording::{capital, consequence, cut_end, many, printable, wrap};
