//! SQLite files: GeoPackages of sites and reference layers, and the tables of lookups. The only
//! file that knows the engine.
//!
//! Files are opened as immutable: nothing is written beside them. Only plain tables are read, as a
//! view may hide a query that never ends.

use std::io::Write;
use std::path::Path;

use rusqlite::types::ValueRef;
use rusqlite::{Connection, OpenFlags, OptionalExtension};

use super::archive::too_many;
use super::{Feature, Geometry, Raw, SiteColumns, geopackage_geometry};
use crate::geo::finding::{Code, Finding, Findings};
use crate::geo::limits::Limits;
use crate::geo::shape::Shape;
use crate::geo::transform::Crs;

/// A value of a table.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Cell<'r> {
    Null,
    Integer(i64),
    Real(f64),
    Text(&'r str),
    Blob(&'r [u8]),
}

/// One row, in the order of the wanted columns.
pub(crate) struct Row<'r>(Vec<Cell<'r>>);

/// What stands where a number is expected.
pub(crate) enum Figure {
    Absent,
    /// Text that spells one counts; it need not be finite.
    Number(f64),
    /// The beginning of something that is no number.
    Words(String),
}

/// Characters that are told of something that is no number.
const FIGURE_CHARS: usize = 40;

impl Row<'_> {
    /// A value as text, trimmed; numbers as they are written. `None` where it is null or empty.
    pub(crate) fn text(&self, at: usize) -> Option<String> {
        let text = match self.0.get(at)? {
            Cell::Null | Cell::Blob(_) => return None,
            Cell::Integer(number) => number.to_string(),
            Cell::Real(number) => number.to_string(),
            Cell::Text(text) => text.trim().to_owned(),
        };
        (!text.is_empty()).then_some(text)
    }

    /// A text with the blanks around it; `None` where it has none, and [`Row::text`] is all of it.
    pub(crate) fn padded_text(&self, at: usize) -> Option<String> {
        match self.0.get(at)? {
            Cell::Text(text) if text.trim() != *text && !text.trim().is_empty() => {
                Some((*text).to_owned())
            }
            Cell::Text(_) | Cell::Null | Cell::Integer(_) | Cell::Real(_) | Cell::Blob(_) => None,
        }
    }

    /// A value as a finite number; text that spells one counts, anything else is none.
    pub(crate) fn number(&self, at: usize) -> Option<f64> {
        match self.figure(at) {
            Figure::Number(number) => number.is_finite().then_some(number),
            Figure::Absent | Figure::Words(_) => None,
        }
    }

    /// What stands where a number is expected.
    pub(crate) fn figure(&self, at: usize) -> Figure {
        match self.0.get(at) {
            None | Some(Cell::Null) => Figure::Absent,
            #[expect(clippy::cast_precision_loss, reason = "ids and limits are small")]
            Some(Cell::Integer(number)) => Figure::Number(*number as f64),
            Some(Cell::Real(number)) => Figure::Number(*number),
            Some(Cell::Blob(_)) => Figure::Words("bytes".to_owned()),
            Some(Cell::Text(text)) => match text.trim() {
                "" => Figure::Absent,
                text => match text.parse() {
                    Ok(number) => Figure::Number(number),
                    Err(_) => Figure::Words(text.chars().take(FIGURE_CHARS).collect()),
                },
            },
        }
    }

    pub(crate) fn blob(&self, at: usize) -> Option<&[u8]> {
        match self.0.get(at)? {
            Cell::Blob(bytes) => Some(bytes),
            Cell::Null | Cell::Integer(_) | Cell::Real(_) | Cell::Text(_) => None,
        }
    }

    pub(crate) fn is_null(&self, at: usize) -> bool {
        matches!(self.0.get(at), None | Some(Cell::Null))
    }
}

/// A table of features in a GeoPackage.
pub(crate) struct Columns {
    pub(crate) table: String,
    pub(crate) geometry: String,
    /// The EPSG code; 0 if it is undefined.
    pub(crate) epsg: i64,
}

/// An open file.
pub(crate) struct Database {
    connection: Connection,
}

impl Database {
    pub(crate) fn open(path: &Path) -> Result<Database, String> {
        let flags = OpenFlags::SQLITE_OPEN_READ_ONLY
            | OpenFlags::SQLITE_OPEN_NO_MUTEX
            | OpenFlags::SQLITE_OPEN_URI;
        let escaped: String = path
            .to_string_lossy()
            .chars()
            .map(|it| match it {
                '%' => "%25".to_owned(),
                '?' => "%3f".to_owned(),
                '#' => "%23".to_owned(),
                it => it.to_string(),
            })
            .collect();
        let uri = format!("file:{escaped}?immutable=1");
        let connection = Connection::open_with_flags(uri, flags).map_err(said)?;
        connection
            .execute_batch("PRAGMA trusted_schema = OFF; PRAGMA cell_size_check = ON;")
            .map_err(said)?;
        Ok(Database { connection })
    }

    /// The tables of features that the GeoPackage names.
    pub(crate) fn feature_tables(&self) -> Result<Vec<Columns>, String> {
        for table in ["gpkg_contents", "gpkg_geometry_columns", "gpkg_spatial_ref_sys"] {
            if !self.has_table(table)? {
                return Err(format!("it is no GeoPackage: it has no table {table}"));
            }
        }
        let sql = "SELECT c.table_name, g.column_name, \
                   CASE WHEN upper(s.organization) = 'EPSG' THEN s.organization_coordsys_id ELSE 0 \
                   END FROM gpkg_contents c JOIN gpkg_geometry_columns g USING (table_name) \
                   LEFT JOIN gpkg_spatial_ref_sys s ON s.srs_id = g.srs_id \
                   WHERE c.data_type = 'features' ORDER BY c.table_name LIMIT 100";
        let mut statement = self.connection.prepare(sql).map_err(said)?;
        let rows = statement
            .query_map([], |row| {
                let epsg: Option<i64> = row.get(2)?;
                Ok(Columns { table: row.get(0)?, geometry: row.get(1)?, epsg: epsg.unwrap_or(0) })
            })
            .map_err(said)?;
        rows.collect::<Result<_, _>>().map_err(said)
    }

    /// Whether there is a plain table of that name.
    pub(crate) fn has_table(&self, name: &str) -> Result<bool, String> {
        let sql = "SELECT rootpage FROM sqlite_master WHERE type = 'table' AND name = ?1";
        let found: Option<i64> =
            self.connection.query_row(sql, [name], |row| row.get(0)).optional().map_err(said)?;
        Ok(found.is_some_and(|page| page > 0))
    }

    /// The names of a table's columns.
    pub(crate) fn column_names(&self, table: &str) -> Result<Vec<String>, String> {
        let sql = "SELECT name FROM pragma_table_info(?1)";
        let mut statement = self.connection.prepare(sql).map_err(said)?;
        let names = statement.query_map([table], |row| row.get(0)).map_err(said)?;
        names.collect::<Result<_, _>>().map_err(said)
    }

    /// Calls `visit` with every row, in the order of the file, until it says no.
    pub(crate) fn rows(
        &self,
        table: &str,
        columns: &[&str],
        mut visit: impl FnMut(Row<'_>) -> Result<(), String>,
    ) -> Result<(), String> {
        if !self.has_table(table)? {
            return Err(format!("it has no plain table {table}"));
        }
        let list: Vec<String> = columns.iter().map(|name| quoted(name)).collect();
        let sql = format!("SELECT {} FROM {} ORDER BY rowid", list.join(", "), quoted(table));
        let mut statement = self.connection.prepare(&sql).map_err(said)?;
        let mut rows = statement.query([]).map_err(said)?;
        while let Some(row) = rows.next().map_err(said)? {
            let cells: Result<Vec<Cell<'_>>, _> =
                (0..columns.len()).map(|at| row.get_ref(at).map(cell)).collect();
            visit(Row(cells.map_err(said)?))?;
        }
        Ok(())
    }
}

fn said(error: rusqlite::Error) -> String {
    error.to_string()
}

fn quoted(name: &str) -> String {
    format!("\"{}\"", name.replace('"', "\"\""))
}

fn cell(value: ValueRef<'_>) -> Cell<'_> {
    match value {
        ValueRef::Null => Cell::Null,
        ValueRef::Integer(number) => Cell::Integer(number),
        ValueRef::Real(number) => Cell::Real(number),
        ValueRef::Text(bytes) => std::str::from_utf8(bytes).map_or(Cell::Null, Cell::Text),
        ValueRef::Blob(bytes) => Cell::Blob(bytes),
    }
}

fn unreadable(why: &str) -> Finding {
    let sentence = format!("the GeoPackage cannot be read: {why}; export it again");
    Finding::new(Code::UnreadableGeometryFile, sentence)
}

/// The engine wants a file: bytes get one that is gone with the answer.
pub(super) fn read_bytes(bytes: &[u8], limits: &Limits) -> Result<Raw, Findings> {
    let written = tempfile::NamedTempFile::new().and_then(|mut file| {
        file.write_all(bytes)?;
        Ok(file)
    });
    let file = written.map_err(|error| unreadable(&error.to_string()))?;
    read_path(file.path(), limits)
}

pub(super) fn read_path(path: &Path, limits: &Limits) -> Result<Raw, Findings> {
    let database = Database::open(path).map_err(|why| unreadable(&why))?;
    let tables = database.feature_tables().map_err(|why| unreadable(&why))?;
    let [table] = tables.as_slice() else {
        let why = format!("it has {} layers where one is expected", tables.len());
        return Err(unreadable(&why).into());
    };
    let crs = match table.epsg {
        27700 => Crs::Bng,
        4326 => Crs::Wgs84,
        0 => {
            let sentence = "the GeoPackage does not tell its coordinate system; set it and export";
            return Err(Finding::new(Code::MissingCrs, sentence).into());
        }
        code => {
            let sentence =
                format!("the GeoPackage is in EPSG:{code}; save it in EPSG:27700 or EPSG:4326");
            return Err(Finding::new(Code::UnsupportedCrs, sentence).into());
        }
    };
    features(&database, table, limits).map(|features| Raw { crs, features }).map_err(Findings::from)
}

fn features(
    database: &Database,
    table: &Columns,
    limits: &Limits,
) -> Result<Vec<Feature>, Finding> {
    let there = database.column_names(&table.table).map_err(|why| unreadable(&why))?;
    // Columns that are computed are not among them: what they compute may never end.
    if !there.contains(&table.geometry) {
        return Err(unreadable(&format!("its layer has no plain column {:?}", table.geometry)));
    }
    let mut wanted: Vec<&str> = vec![&table.geometry];
    wanted.extend(SiteColumns::NAMES.iter().filter(|name| there.iter().any(|it| it == **name)));
    let mut features = Vec::new();
    let mut left = limits.vertices_in_all;
    let mut over = None;
    let read = database.rows(&table.table, &wanted, |row| {
        if features.len() >= limits.features {
            over = Some(too_many("features", features.len() + 1, limits.features));
            return Err("too many features".to_owned());
        }
        let geometry = match row.blob(0) {
            Some(blob) => geopackage_geometry(blob, limits.vertices.min(left))
                .ok_or("a geometry is not in form, or has more vertices than allowed")?,
            None => Geometry::Null,
        };
        left -= geometry.shape().map_or(0, Shape::vertex_count).min(left);
        let mut columns = SiteColumns::default();
        for (at, name) in wanted.iter().enumerate().skip(1) {
            // The other formats keep blanks around a name, too.
            let text = row.padded_text(at).or_else(|| row.text(at));
            columns.take(name, Some(text.unwrap_or_default()));
        }
        features.push(Feature { geometry, columns });
        Ok(())
    });
    match (over, read) {
        (Some(finding), _) => Err(finding),
        (None, Err(why)) => Err(unreadable(&why)),
        (None, Ok(())) => Ok(features),
    }
}
