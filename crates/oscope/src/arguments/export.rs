//! What is typed behind `oscope export`.

use super::values::ExportForm;
use clap::Args;
use std::path::PathBuf;

#[derive(Debug, Args)]
pub(crate) struct Export {
    /// The form
    #[arg(value_enum)]
    pub form: ExportForm,
    /// The directory of the records, as for `oscope fleet report`
    pub folder: PathBuf,
    /// The directory of the tables; files of the same name are replaced
    #[arg(long, short, value_name = "DIR", default_value = "oscope-tables")]
    pub output: PathBuf,
}
