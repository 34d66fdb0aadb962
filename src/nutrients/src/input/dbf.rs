//! The table beside a shapefile: only the columns of a batch are read.

use byteio::little_endian::{u16_at, u32_at};

use super::SiteColumns;

struct Column {
    name: String,
    start: usize,
    len: usize,
}

/// The columns of each record. `None` if the table is not in form.
pub(super) fn read(bytes: &[u8], records_max: usize) -> Option<Vec<SiteColumns>> {
    let count = usize::try_from(u32_at(bytes, 4)?).ok()?;
    let (header_len, record_len) =
        (usize::from(u16_at(bytes, 8)?), usize::from(u16_at(bytes, 10)?));
    let header = bytes.get(32..header_len)?;
    let mut columns = Vec::new();
    let mut start = 1;
    for field in header.as_chunks::<32>().0 {
        if field[0] == b'\r' {
            break;
        }
        let name = field.split(|byte| *byte == 0).next().unwrap_or_default();
        let name = name.get(..name.len().min(11))?;
        let len = usize::from(field[16]);
        let name = String::from_utf8_lossy(name).into_owned();
        // A head can name two thousand columns of no width: only those of a batch are kept, once.
        if SiteColumns::has(&name) {
            columns.retain(|it: &Column| it.name != name);
            columns.push(Column { name, start, len });
        }
        start += len;
    }
    if record_len == 0 || start > record_len || count > records_max {
        return None;
    }
    let records = bytes.get(header_len..)?.chunks_exact(record_len).take(count);
    let read: Vec<SiteColumns> = records.map(|record| row(record, &columns)).collect();
    (read.len() == count).then_some(read)
}

fn row(record: &[u8], columns: &[Column]) -> SiteColumns {
    let mut row = SiteColumns::default();
    for column in columns {
        let bytes = record.get(column.start..column.start + column.len).unwrap_or_default();
        let text = String::from_utf8_lossy(bytes);
        row.take(&column.name, Some(text.trim_matches([' ', '\0']).to_owned()));
    }
    row
}
