//! The published schema of a record's lines, made from the shapes themselves.

use anyhow::{Context, Result};
use record::{Line, SCHEMA};
use serde_json::{Value, json};

/// The schema as text, keys in alphabetical order.
///
/// # Errors
/// When the shapes give a schema that is no JSON object.
pub fn text() -> Result<String> {
    let mut schema = schemars::schema_for!(Line).to_value();
    let object = schema.as_object_mut().context("the schema is no JSON object")?;
    let checksum = json!({
        "description": "CRC-32 of the line before this member, which is the last; absent from lines of older programs.",
        "type": "string",
        "pattern": "^[0-9a-f]{8}$",
    });
    object.insert("properties".to_owned(), json!({ "crc32": checksum }));
    object.insert("title".to_owned(), Value::from(format!("oscope record, schema {SCHEMA}")));
    let about = "A record is a file of JSON lines; each line is one of these. The first is the header.";
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
        let schema: Value = serde_json::from_str(&text().unwrap()).unwrap();
        let kinds = schema["oneOf"].as_array().unwrap().iter();
        let mut kinds: Vec<&str> =
            kinds.map(|kind| kind["properties"]["line"]["const"].as_str().unwrap()).collect();
        kinds.sort_unstable();
        let expected =
            "end failure header machine peer plan prediction rehearsal resumed round summary trial";
        assert_eq!(kinds.join(" "), expected);
    }

    #[test]
    fn twice_made_it_is_the_same() {
        assert_eq!(text().unwrap(), text().unwrap());
    }
}
