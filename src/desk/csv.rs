//! Rows for spreadsheets: RFC 4180.

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
