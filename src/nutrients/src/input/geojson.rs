//! GeoJSON: a collection, a feature or a bare geometry. Deep nesting is refused by the JSON reader.

use ::geo::{Coord, LineString, Polygon};
use serde::Deserialize;
use serde::de::{Deserializer, IgnoredAny, SeqAccess, Visitor};
use serde_json::Value;
use serde_json::value::RawValue;

use super::{Feature, Geometry, Raw, SiteColumns};
use crate::finding::{Code, Finding, Findings};
use crate::limits::Limits;
use crate::shape::Shape;
use crate::transform::Crs;

#[derive(Deserialize)]
struct Top<'j> {
    #[serde(rename = "type")]
    kind: String,
    #[serde(default)]
    crs: Option<Value>,
    #[serde(default, borrow)]
    features: Option<Members<'j>>,
    #[serde(default, borrow)]
    geometry: Option<&'j RawValue>,
    #[serde(default, borrow)]
    properties: Option<&'j RawValue>,
}

#[derive(Deserialize)]
struct Member<'j> {
    #[serde(default, borrow)]
    geometry: Option<&'j RawValue>,
    #[serde(default, borrow)]
    properties: Option<&'j RawValue>,
}

/// The features of a collection, as many as anybody takes and one more.
struct Members<'j>(Vec<Member<'j>>);

/// One more than the most that any limit allows: a feature takes three letters and tens of bytes.
const MEMBERS_MAX: usize = 1_000_001;

impl<'de: 'j, 'j> Deserialize<'de> for Members<'j> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Members<'j>, D::Error> {
        struct Several;
        impl<'de> Visitor<'de> for Several {
            type Value = Members<'de>;
            fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str("a list of features")
            }
            fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Members<'de>, A::Error> {
                let mut members = Vec::new();
                while members.len() < MEMBERS_MAX
                    && let Some(member) = seq.next_element()?
                {
                    members.push(member);
                }
                while seq.next_element::<IgnoredAny>()?.is_some() {}
                Ok(Members(members))
            }
        }
        deserializer.deserialize_seq(Several)
    }
}

#[derive(Deserialize)]
struct Body<'j> {
    #[serde(rename = "type")]
    kind: String,
    #[serde(default, borrow)]
    coordinates: Option<&'j RawValue>,
}

pub(super) fn read(bytes: &[u8], limits: &Limits) -> Result<Raw, Findings> {
    let text = std::str::from_utf8(bytes).map_err(|_| unreadable("it is not UTF-8 text"))?;
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let top: Top<'_> =
        serde_json::from_str(text).map_err(|error| unreadable(&error.to_string()))?;
    let crs = match &top.crs {
        None | Some(Value::Null) => Crs::Wgs84,
        Some(value) => named_crs(value)?.unwrap_or(Crs::Wgs84),
    };
    let members = match (top.kind.as_str(), top.features) {
        ("FeatureCollection", Some(Members(members))) => members,
        ("FeatureCollection", None) => Vec::new(),
        ("Feature", _) => vec![Member { geometry: top.geometry, properties: top.properties }],
        _ => {
            let whole: &RawValue =
                serde_json::from_str(text).map_err(|error| unreadable(&error.to_string()))?;
            vec![Member { geometry: Some(whole), properties: None }]
        }
    };
    if members.len() > limits.features {
        return Err(super::archive::too_many("features", members.len(), limits.features).into());
    }
    let mut left = limits.vertices_in_all;
    let mut features = Vec::with_capacity(members.len());
    for (number, member) in (1_u32..).zip(members) {
        limits.still_wanted()?;
        let geometry = match member.geometry {
            Some(raw) => geometry(raw.get(), limits).map_err(|it| it.of_feature(number))?,
            None => Geometry::Null,
        };
        let count = geometry.shape().map_or(0, Shape::vertex_count);
        left = left.checked_sub(count).ok_or_else(|| {
            super::archive::too_many("vertices", limits.vertices_in_all + 1, limits.vertices_in_all)
        })?;
        features.push(Feature { geometry, columns: columns(member.properties) });
    }
    Ok(Raw { crs, features })
}

fn unreadable(why: &str) -> Finding {
    let sentence = format!("the GeoJSON cannot be read: {why}; export it again");
    Finding::new(Code::UnreadableGeometryFile, sentence)
}

/// The coordinate system that the old `crs` member names. `None` if it names none.
pub(crate) fn named_crs(crs: &Value) -> Result<Option<Crs>, Finding> {
    let name = match crs {
        Value::String(name) => name.as_str(),
        Value::Object(_) => match crs.pointer("/properties/name") {
            Some(Value::String(name)) => name,
            None | Some(Value::Null) => "",
            Some(_) => "something that is no text",
        },
        Value::Null => "",
        Value::Bool(_) | Value::Number(_) | Value::Array(_) => "something that is no text",
    };
    let upper = name.trim().to_ascii_uppercase();
    let ends = |all: &[&str]| all.iter().any(|end| upper.ends_with(end));
    if upper.is_empty() {
        Ok(None)
    } else if ends(&["EPSG:27700", "EPSG::27700"]) {
        Ok(Some(Crs::Bng))
    } else if ends(&["EPSG:4326", "EPSG::4326", "CRS84"]) {
        Ok(Some(Crs::Wgs84))
    } else {
        let shown: String = name.chars().take(80).collect();
        let sentence = format!(
            "the coordinate system \"{shown}\" is not understood; save the boundary in EPSG:27700 \
             or EPSG:4326"
        );
        Err(Finding::new(Code::UnsupportedCrs, sentence))
    }
}

/// One geometry.
pub(crate) fn geometry(json: &str, limits: &Limits) -> Result<Geometry, Finding> {
    if json.trim() == "null" {
        return Ok(Geometry::Null);
    }
    let body: Body<'_> = serde_json::from_str(json).map_err(|it| unreadable(&it.to_string()))?;
    let coordinates = body.coordinates.map_or("[]", RawValue::get);
    // Every vertex, ring and part begins with a bracket: they are counted before any is kept.
    let brackets = coordinates.bytes().filter(|byte| *byte == b'[').count();
    if brackets / 2 > limits.vertices + 8 {
        return Err(super::archive::too_many("vertices", brackets, limits.vertices));
    }
    let parse = |error: serde_json::Error| unreadable(&error.to_string());
    let geometry = match body.kind.as_str() {
        "Polygon" => {
            let rings: Vec<Vec<Position>> = serde_json::from_str(coordinates).map_err(parse)?;
            match rings.is_empty() {
                true => Geometry::Null,
                false => Geometry::Polygon(Shape::new(vec![polygon(rings)])),
            }
        }
        "MultiPolygon" => {
            let parts: Vec<Vec<Vec<Position>>> =
                serde_json::from_str(coordinates).map_err(parse)?;
            match parts.is_empty() {
                true => Geometry::Null,
                false => {
                    Geometry::MultiPolygon(Shape::new(parts.into_iter().map(polygon).collect()))
                }
            }
        }
        kind => Geometry::Other(kind.chars().take(40).collect()),
    };
    match geometry.shape().map_or(0, Shape::vertex_count) {
        count if count > limits.vertices => {
            Err(super::archive::too_many("vertices", count, limits.vertices))
        }
        _ => Ok(geometry),
    }
}

fn polygon(rings: Vec<Vec<Position>>) -> Polygon<f64> {
    let ring = |ring: Vec<Position>| LineString::new(ring.into_iter().map(|it| it.0).collect());
    let mut rings = rings.into_iter().map(ring);
    let exterior = rings.next().unwrap_or_else(|| LineString::new(Vec::new()));
    Polygon::new(exterior, rings.collect())
}

/// A place; heights and whatever follows are dropped.
struct Position(Coord<f64>);

impl<'de> Deserialize<'de> for Position {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Position, D::Error> {
        struct Numbers;
        impl<'de> Visitor<'de> for Numbers {
            type Value = Position;
            fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str("a place of two numbers or more")
            }
            fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Position, A::Error> {
                let missing = || serde::de::Error::custom("a place has two numbers at least");
                let x = seq.next_element()?.ok_or_else(missing)?;
                let y = seq.next_element()?.ok_or_else(missing)?;
                while seq.next_element::<IgnoredAny>()?.is_some() {}
                Ok(Position(Coord { x, y }))
            }
        }
        deserializer.deserialize_seq(Numbers)
    }
}

fn columns(properties: Option<&RawValue>) -> SiteColumns {
    let mut columns = SiteColumns::default();
    let Some(raw) = properties else { return columns };
    // Properties that are no object hold no columns.
    let Ok(values) = serde_json::from_str::<serde_json::Map<String, Value>>(raw.get()) else {
        return columns;
    };
    for (name, value) in values {
        let text = match value {
            Value::String(text) => Some(text),
            Value::Number(number) => Some(number.to_string()),
            Value::Bool(flag) => Some(flag.to_string()),
            Value::Null => Some(String::new()),
            Value::Array(_) | Value::Object(_) => None,
        };
        columns.take(&name, text);
    }
    columns
}
