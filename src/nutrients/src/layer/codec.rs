//! One record of a layer as bytes.

use ::geo::{Coord, LineString, Polygon};
use byteio::little_endian::{u16_at, u32_at, u64_at};

use crate::shape::{Bounds, Shape};

/// A polygon with what is known about it. What the texts and numbers mean is up to the layer.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Record {
    pub(crate) id: String,
    pub(crate) name: String,
    pub(crate) label: String,
    /// `None` is kept apart from zero.
    pub(crate) numbers: [Option<f64>; 4],
    pub(crate) shape: Shape,
}

/// The most bytes of a text; longer ones are cut.
const TEXT_MAX: usize = 1000;

impl Record {
    /// Appends the record with its length before it.
    pub(crate) fn encode(&self, out: &mut Vec<u8>) {
        let start = out.len();
        out.extend([0; 4]);
        let Bounds { min_x, min_y, max_x, max_y } = self.shape.bounds();
        for number in [min_x, min_y, max_x, max_y] {
            out.extend(number.to_le_bytes());
        }
        for number in self.numbers {
            out.extend(number.unwrap_or(f64::NAN).to_le_bytes());
        }
        for text in [&self.id, &self.name, &self.label] {
            let text = &text[..text.floor_char_boundary(TEXT_MAX)];
            // Cut above, so it always fits.
            out.extend(u16::try_from(text.len()).unwrap_or(0).to_le_bytes());
            out.extend(text.as_bytes());
        }
        put_count(out, self.shape.0.0.len());
        for polygon in &self.shape.0 {
            put_count(out, 1 + polygon.interiors().len());
            for ring in std::iter::once(polygon.exterior()).chain(polygon.interiors()) {
                put_count(out, ring.0.len());
                for point in &ring.0 {
                    out.extend(point.x.to_le_bytes());
                    out.extend(point.y.to_le_bytes());
                }
            }
        }
        let len = u32::try_from(out.len() - start - 4).unwrap_or(u32::MAX);
        out[start..start + 4].copy_from_slice(&len.to_le_bytes());
    }
}

/// A record as it lies in its block: whoever does not need its shape does not pay for it.
#[derive(Clone, Copy)]
pub(crate) struct Packed<'b> {
    pub(crate) bounds: Bounds,
    reader: Reader<'b>,
}

impl<'b> Packed<'b> {
    /// Takes one record off the front. `None` if the bytes are no record.
    pub(super) fn take(bytes: &mut &'b [u8]) -> Option<Packed<'b>> {
        let mut reader = Reader { bytes: take_one(bytes)? };
        let bounds = Bounds {
            min_x: reader.number()?,
            min_y: reader.number()?,
            max_x: reader.number()?,
            max_y: reader.number()?,
        };
        Some(Packed { bounds, reader })
    }

    /// What is known about it besides its shape, and the shape still packed.
    pub(crate) fn open(mut self) -> Option<Opened<'b>> {
        let reader = &mut self.reader;
        let numbers = [reader.number()?, reader.number()?, reader.number()?, reader.number()?];
        let numbers = numbers.map(|it| (!it.is_nan()).then_some(it));
        let (id, name, label) = (reader.text()?, reader.text()?, reader.text()?);
        Some(Opened { id, name, label, numbers, rings: self.reader })
    }

    pub(crate) fn unpack(self) -> Option<Record> {
        let opened = self.open()?;
        Some(Record {
            id: opened.id.to_owned(),
            name: opened.name.to_owned(),
            label: opened.label.to_owned(),
            numbers: opened.numbers,
            shape: opened.shape()?,
        })
    }
}

/// A record with its texts where they lie.
pub(crate) struct Opened<'b> {
    pub(crate) id: &'b str,
    pub(crate) name: &'b str,
    label: &'b str,
    pub(crate) numbers: [Option<f64>; 4],
    rings: Reader<'b>,
}

impl Opened<'_> {
    pub(crate) fn shape(&self) -> Option<Shape> {
        let mut reader = self.rings;
        let polygons =
            (0..reader.count(4)?).map(|_| reader.polygon()).collect::<Option<Vec<_>>>()?;
        reader.bytes.is_empty().then(|| Shape::new(polygons))
    }

    /// Its only ring, if it has one only and that is closed as it lies there. Whatever is odd about
    /// it is left to [`Opened::shape`].
    pub(crate) fn only_ring(&self, ring: &mut Vec<Coord<f64>>) -> bool {
        let mut reader = self.rings;
        let alone = reader.count(4) == Some(1) && reader.count(4) == Some(1);
        let Some(points) = alone.then(|| reader.points()).flatten() else { return false };
        ring.clear();
        ring.extend(points);
        reader.bytes.is_empty() && ring.first() == ring.last()
    }
}

/// The bytes of the next record, without its length.
pub(super) fn take_one<'b>(bytes: &mut &'b [u8]) -> Option<&'b [u8]> {
    let len = usize::try_from(u32_at(bytes, 0)?).ok()?;
    let one = bytes.get(4..len.checked_add(4)?)?;
    *bytes = &bytes[4 + len..];
    Some(one)
}

fn put_count(out: &mut Vec<u8>, count: usize) {
    out.extend(u32::try_from(count).unwrap_or(u32::MAX).to_le_bytes());
}

#[derive(Clone, Copy)]
struct Reader<'b> {
    bytes: &'b [u8],
}

impl<'b> Reader<'b> {
    fn number(&mut self) -> Option<f64> {
        let number = f64::from_bits(u64_at(self.bytes, 0)?);
        self.bytes = &self.bytes[8..];
        Some(number)
    }

    fn text(&mut self) -> Option<&'b str> {
        let len = usize::from(u16_at(self.bytes, 0)?);
        let text = std::str::from_utf8(self.bytes.get(2..2 + len)?).ok()?;
        self.bytes = &self.bytes[2 + len..];
        Some(text)
    }

    /// A count of things of at least `size` bytes, no more than there are bytes for.
    fn count(&mut self, size: usize) -> Option<usize> {
        let count = usize::try_from(u32_at(self.bytes, 0)?).ok()?;
        self.bytes = &self.bytes[4..];
        (count.checked_mul(size)? <= self.bytes.len()).then_some(count)
    }

    fn polygon(&mut self) -> Option<Polygon<f64>> {
        let mut rings = Vec::new();
        for _ in 0..self.count(4)? {
            rings.push(LineString::new(self.points()?.collect()));
        }
        let mut rings = rings.into_iter();
        Some(Polygon::new(rings.next()?, rings.collect()))
    }

    /// The vertices of one ring.
    fn points(&mut self) -> Option<impl Iterator<Item = Coord<f64>> + 'b> {
        let count = self.count(16)?;
        let (points, rest) = self.bytes.split_at(count * 16);
        self.bytes = rest;
        let point = |at: &[u8; 16]| {
            let (x, y) = (u64_at(at, 0).unwrap_or(0), u64_at(at, 8).unwrap_or(0));
            Coord { x: f64::from_bits(x), y: f64::from_bits(y) }
        };
        Some(points.as_chunks::<16>().0.iter().map(point))
    }
}
