//! The published schemas, made from the shapes themselves: of a record's lines, and of the JSON of `report`, `compare`,
//! `history` and `fleet report`.

use anyhow::{Context, Result};
use record::{Line, SCHEMA};
use schemars::Schema;
use serde_json::{Value, json};

/// A schema: the file that it is in, and its text.
pub type File = (&'static str, String);

/// All of them.
///
/// # Errors
/// When the shapes give a schema that is no JSON object.
pub fn files() -> Result<[File; 5]> {
    let report = format!("oscope report --format json, schema {}", report::SCHEMA);
    let compare = format!("oscope compare --format json, schema {}", report::SCHEMA);
    let history = format!("oscope history --format json, schema {}", report::SCHEMA);
    let fleet = format!("oscope fleet report --format json, schema {}", report::SCHEMA);
    let values =
        "Values are in the base unit that each row names; what is unknown is null. Fields may be added.";
    Ok([
        ("docs/schema/record.schema.json", record_lines()?),
        ("docs/schema/report.schema.json", text(report::json_schema(), &report, values)?),
        ("docs/schema/compare.schema.json", text(report::comparison_schema(), &compare, values)?),
        ("docs/schema/history.schema.json", text(report::history_schema(), &history, values)?),
        ("docs/schema/fleet.schema.json", text(report::fleet_schema(), &fleet, values)?),
    ])
}

fn record_lines() -> Result<String> {
    let about = "A record is a file of JSON lines; each line is one of these. The first is the header.";
    let mut schema = schemars::schema_for!(Line);
    let checksum = json!({
        "description": "CRC-32 of the line before this member, which is the last; absent from lines of older programs.",
        "type": "string",
        "pattern": "^[0-9a-f]{8}$",
    });
    schema.insert("properties".to_owned(), json!({ "crc32": checksum }));
    text(schema, &format!("oscope record, schema {SCHEMA}"), about)
}

/// A schema as text, keys in alphabetical order.
fn text(schema: Schema, title: &str, about: &str) -> Result<String> {
    let mut schema = schema.to_value();
    let object = schema.as_object_mut().context("the schema is no JSON object")?;
    object.insert("title".to_owned(), Value::from(title));
    object.insert("description".to_owned(), Value::from(about));
    // Whatever order other crates make serde_json keep, the bytes are the same.
    schema.sort_all_objects();
    Ok(serde_json::to_string_pretty(&schema)? + "\n")
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn every_kind_of_line_is_in_it() {
        let schema: Value = serde_json::from_str(&record_lines().unwrap()).unwrap();
        let kinds = schema["oneOf"].as_array().unwrap().iter();
        let mut kinds: Vec<&str> =
            kinds.map(|kind| kind["properties"]["line"]["const"].as_str().unwrap()).collect();
        kinds.sort_unstable();
        let expected = "change disturbance end failure header machine peer plan prediction rehearsal resumed round summary trial";
        assert_eq!(kinds.join(" "), expected);
    }

    #[test]
    fn documents_name_their_parts() {
        let [_, (_, report), (_, compare), (_, history), (_, fleet)] = files().unwrap();
        for (text, fields) in [
            (report, ["rows", "answers", "machine"]),
            (compare, ["first", "comparisons", "schema"]),
            (history, ["runs", "points", "schema"]),
            (fleet, ["machines", "types", "schema"]),
        ] {
            let schema: Value = serde_json::from_str(&text).unwrap();
            let required = schema["required"].as_array().unwrap();
            for field in fields {
                assert!(required.contains(&Value::from(field)), "{field}: {required:?}");
            }
        }
    }

    #[test]
    fn twice_made_it_is_the_same() {
        assert_eq!(files().unwrap(), files().unwrap());
    }
}
