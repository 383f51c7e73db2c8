//! Reports of other projects' users, by their number, where they are tables. The data stays beside the repository.

use std::{fs, path::Path};

use serde_json::Value;

use crate::proto::headers::{decode, param};

/// The row of that number; `None`, and a word about it, where the data is not there.
pub(crate) fn report(id: &str) -> Option<Value> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../shared/cases/reports.jsonl");
    let Ok(rows) = fs::read_to_string(&path) else {
        eprintln!("skipped {id}: there is no {}", path.display());
        return None;
    };
    let mut rows = rows
        .lines()
        .map(|row| serde_json::from_str::<Value>(row).unwrap());
    let row = rows.find(|row| row["id"] == id);
    Some(row.unwrap_or_else(|| panic!("{id} is not among the reports")))
}

#[test]
fn bl_255_arguments_in_headers_are_encoded_and_come_back() {
    let Some(report) = report("BL-255") else {
        return;
    };
    let rows = |name: &str| report["input"][name].as_array().unwrap().clone();
    for row in rows("encode") {
        let (_, header) = param("A", &row[0]).unwrap().unwrap();
        assert_eq!(header.to_str().unwrap(), row[1], "{row}");
        let text = row[0]
            .as_str()
            .map_or_else(|| row[0].to_string(), ToOwned::to_owned);
        assert_eq!(decode(&header).unwrap(), text);
    }
    for argument in rows("omit") {
        assert!(param("A", &argument).unwrap().is_none(), "{argument}");
    }
    for argument in rows("refuse") {
        assert!(param("A", &argument).is_err(), "{argument}");
    }
}
