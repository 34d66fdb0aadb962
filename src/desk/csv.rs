//! Rows for spreadsheets: RFC 4180.

use std::borrow::Cow;
use std::io::{self, Write};

/// Writes one row; a cell that could be taken for two is quoted.
pub(crate) fn csv_row(out: &mut dyn Write, cells: &[&str]) -> io::Result<()> {
    for (at, cell) in cells.iter().enumerate() {
        if at > 0 {
            out.write_all(b",")?;
        }
        if cell.contains([',', '"']) || cell.contains(char::is_control) {
            write!(out, "\"{}\"", cell.replace('"', "\"\""))?;
        } else {
            out.write_all(cell.as_bytes())?;
        }
    }
    out.write_all(b"\r\n")
}

/// Text that a spreadsheet would run as a formula, with an apostrophe before it: then it is shown.
pub(crate) fn harmless(text: &str) -> Cow<'_, str> {
    match text.starts_with(['=', '+', '-', '@', '\t', '\r', '\n']) {
        true => format!("'{text}").into(),
        false => text.into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn formulas_become_text_and_cells_stay_one_cell() {
        let mut out = Vec::new();
        let cells = ["=1+1", "+a", "-a", "@a", "\tb", "a-b", "a,\"b\"", ""].map(harmless);
        let cells: Vec<&str> = cells.iter().map(Cow::as_ref).collect();
        csv_row(&mut out, &cells).unwrap();
        let text = String::from_utf8(out).unwrap();
        assert_eq!(text, "'=1+1,'+a,'-a,'@a,\"'\tb\",a-b,\"a,\"\"b\"\"\",\r\n");
    }
}
