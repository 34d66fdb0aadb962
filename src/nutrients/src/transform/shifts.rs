//! The OSTN15 shifts: how far the National Grid is from the plane of ETRS89, for every kilometre.
//!
//! `ostn15.bin` is the Ordnance Survey's table, packed: millimetres east, then north, row by row
//! from the south-west, each number as its difference from what its three neighbours before it
//! foretell, zigzag, base 128, deflated. Its licence is `ostn15.LICENCE.txt`.

use std::io::Read;
use std::sync::OnceLock;

use ::geo::Coord;

const COLUMNS: usize = 701;
const ROWS: usize = 1251;
const CELL_M: f64 = 1000.0;

static PACKED: &[u8] = include_bytes!("ostn15.bin");

struct Grid {
    east_mm: Vec<i32>,
    north_mm: Vec<i32>,
}

/// The shift at a place of the plane, between its four nearest kilometres; `None` outside.
pub(super) fn at(plane: Coord<f64>) -> Option<Coord<f64>> {
    let grid = grid()?;
    let (x, y) = (plane.x / CELL_M, plane.y / CELL_M);
    let inside = x >= 0.0 && y >= 0.0 && x < (COLUMNS - 1) as f64 && y < (ROWS - 1) as f64;
    if !inside {
        return None;
    }
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "inside the grid")]
    let (column, row) = (x.floor() as usize, y.floor() as usize);
    let (t, u) = (x - x.floor(), y - y.floor());
    let first = row * COLUMNS + column;
    let between = |values: &[i32]| {
        let value = |at: usize| values.get(at).map(|mm| f64::from(*mm) / 1000.0);
        let (a, b) = (value(first)?, value(first + 1)?);
        let (c, d) = (value(first + COLUMNS + 1)?, value(first + COLUMNS)?);
        Some((1.0 - t) * (1.0 - u) * a + t * (1.0 - u) * b + t * u * c + (1.0 - t) * u * d)
    };
    Some(Coord { x: between(&grid.east_mm)?, y: between(&grid.north_mm)? })
}

fn grid() -> Option<&'static Grid> {
    static GRID: OnceLock<Option<Grid>> = OnceLock::new();
    GRID.get_or_init(unpack).as_ref()
}

fn unpack() -> Option<Grid> {
    let mut bytes = Vec::new();
    let most = (COLUMNS * ROWS * 2 * 5) as u64;
    flate2::read::ZlibDecoder::new(PACKED).take(most).read_to_end(&mut bytes).ok()?;
    let mut rest = bytes.as_slice();
    Some(Grid { east_mm: table(&mut rest)?, north_mm: table(&mut rest)? })
}

fn table(bytes: &mut &[u8]) -> Option<Vec<i32>> {
    let mut values: Vec<i32> = Vec::with_capacity(COLUMNS * ROWS);
    for at in 0..COLUMNS * ROWS {
        let (column, row) = (at % COLUMNS, at / COLUMNS);
        let foretold = match (column, row) {
            (0, 0) => 0,
            (0, _) => values[at - COLUMNS],
            (_, 0) => values[at - 1],
            (_, _) => values[at - 1] + values[at - COLUMNS] - values[at - COLUMNS - 1],
        };
        values.push(foretold.checked_add(number(bytes)?)?);
    }
    Some(values)
}

fn number(bytes: &mut &[u8]) -> Option<i32> {
    let mut value = 0_u32;
    for shift in [0, 7, 14, 21] {
        let (byte, rest) = bytes.split_first()?;
        *bytes = rest;
        value |= u32::from(byte & 0x7f) << shift;
        if byte & 0x80 == 0 {
            return Some((value >> 1).cast_signed() ^ -(value & 1).cast_signed());
        }
    }
    None
}
