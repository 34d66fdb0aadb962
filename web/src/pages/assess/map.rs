//! The map of one assessment, drawn by us: no tiles from elsewhere.

use maud::{Markup, html};
use serde::Serialize;

use super::classes::{Class, Nutrient, patterns};
use super::furniture::furniture;
use super::outline::{MapUnits, Outline};
use super::trace::{Thinning, middle, traced};
use super::view::{View, WIDTH};
use crate::parts::{count, counted, decimals};

/// Bytes that the drawing of each may take of a page.
const SITE_BYTES: usize = 5_000;
const CATCHMENT_BYTES: usize = 3_500;
const PIECE_BYTES: usize = 20_000;
/// Catchments that bear a number on the map; no site meets more.
const NUMBERED: usize = 12;

/// What the map of an assessment shows. Everything is in metres of the British National Grid; what
/// is too fine or too much for a page is left out by the drawing, so whole shapes may be given.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct SiteMap {
    /// The site.
    pub site: Outline,
    /// The nutrient catchments around it; those that are not in the picture are left out.
    pub catchments: Vec<MapArea>,
    /// The land that the change is made of.
    pub pieces: Vec<MapPiece>,
    /// Pieces that were not kept with their shape.
    pub pieces_unshown_count: u64,
    /// Which nutrient colours the pieces; the other is at `?map=phosphorus` or `?map=nitrogen`.
    pub nutrient: Nutrient,
}

/// A named area.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct MapArea {
    /// Its name.
    pub name: String,
    /// Its shape.
    pub outline: Outline,
}

/// One piece of land: one parcel in one catchment.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct MapPiece {
    /// What the land is used for.
    pub land_use: String,
    /// Its hectares.
    pub area_ha: f64,
    /// The change in nitrogen, kilograms a year; none where it cannot be told.
    pub nitrogen: Option<f64>,
    /// The change in phosphorus, kilograms a year; none where it cannot be told.
    pub phosphorus: Option<f64>,
    /// Its shape.
    pub outline: Outline,
}

/// A catchment of which something is seen, and where its number stands.
struct Seen<'a> {
    area: &'a MapArea,
    middle: [i32; 2],
}

/// The pieces of one class.
struct Group<'a> {
    class: Class,
    pieces: Vec<&'a MapPiece>,
}

impl SiteMap {
    /// The classes that occur, each with its pieces.
    fn groups(&self) -> Vec<Group<'_>> {
        let class = |piece: &MapPiece| {
            let change = match self.nutrient {
                Nutrient::Nitrogen => piece.nitrogen,
                Nutrient::Phosphorus => piece.phosphorus,
            };
            Class::of(change, piece.area_ha, self.nutrient)
        };
        let of = |wanted| Group {
            class: wanted,
            pieces: self.pieces.iter().filter(|piece| class(piece) == wanted).collect(),
        };
        Class::ALL.map(of).into_iter().filter(|group| !group.pieces.is_empty()).collect()
    }
}

/// Renders the map with its legend; nothing when the site has no shape.
pub(super) fn map(map: &SiteMap, href: &str) -> Markup {
    let Some(view) = View::around(map.site.points(), MapUnits::Metres) else { return html! {} };
    let seen: Vec<Seen<'_>> = map
        .catchments
        .iter()
        .filter_map(|area| Some(Seen { area, middle: middle(&view, &area.outline)? }))
        .collect();
    let groups = map.groups();
    let shapes: Vec<Vec<&Outline>> =
        groups.iter().map(|it| it.pieces.iter().map(|piece| &piece.outline).collect()).collect();
    let pieces = traced(&view, &shapes, Thinning::Grid, PIECE_BYTES);
    html! {
        section aria-labelledby="map-heading" {
            h2 #map-heading { "Map" }
            figure.map {
                (drawing(map, (&view, &seen), &groups, &pieces.paths))
                figcaption {
                    (legend(map, &seen, &groups))
                    @if pieces.left_out > 0 {
                        p.quiet { "Pieces that are too small for a page are in the table only." }
                    }
                }
            }
            @if !map.pieces.is_empty() {
                p.switch {
                    a href={ (href) "?map=" (map.nutrient.other().word()) "#map-heading" } {
                        "Show " (map.nutrient.other().word()) " instead"
                    }
                }
            }
        }
    }
}

fn drawing(
    map: &SiteMap,
    (view, seen): (&View, &[Seen<'_>]),
    groups: &[Group<'_>],
    pieces: &[String],
) -> Markup {
    let areas: Vec<Vec<&Outline>> = seen.iter().map(|it| vec![&it.area.outline]).collect();
    let areas = traced(view, &areas, Thinning::Distance, CATCHMENT_BYTES);
    let site = traced(view, &[vec![&map.site]], Thinning::Distance, SITE_BYTES);
    let classes: Vec<Class> = groups.iter().map(|it| it.class).collect();
    html! {
        svg viewBox={ "0 0 " (WIDTH) " " (view.height) } role="img" aria-labelledby="map-title"
            aria-describedby="map-about" {
            title #map-title { "Map of the site and how " (map.nutrient.word()) " changes on it" }
            desc #map-about { (about(map, view)) }
            (patterns(&classes))
            rect.ground width=(WIDTH) height=(view.height) {}
            @for (group, path) in groups.iter().zip(pieces) {
                path.piece d=(path) fill-rule="evenodd" fill=(group.class.fill()) {}
            }
            @for path in areas.paths.iter().filter(|path| !path.is_empty()) { path.catchment d=(path) {} }
            @for path in &site.paths { path.site d=(path) {} }
            // Where one catchment covers all, its number would only be in the way.
            @if seen.len() > 1 {
                @for (at, Seen { middle: [x, y], .. }) in seen.iter().take(NUMBERED).enumerate() {
                    text.number x=(x) y=(y) { (at + 1) }
                }
            }
            (furniture(view))
        }
    }
}

fn about(map: &SiteMap, view: &View) -> String {
    let [wide, tall] = view.reach.map(|metres| format!("{metres:.0}"));
    let pieces = match map.pieces.len() as u64 {
        0 => "No piece of land is drawn on it.".to_owned(),
        many => format!("{} of land are drawn on it.", counted(many, "piece")),
    };
    format!(
        "The site reaches {wide} metres from west to east and {tall} metres from south to north. \
         {pieces} The table below the map says how much land changes in which way."
    )
}

fn legend(map: &SiteMap, seen: &[Seen<'_>], groups: &[Group<'_>]) -> Markup {
    html! {
        ul.keys {
            li { (swatch("site", None)) "The site" }
            @if let [only] = seen {
                li { (swatch("catchment", None)) "Nutrient catchment: " bdi { (only.area.name) } }
            } @else {
                @for (at, it) in seen.iter().take(NUMBERED).enumerate() {
                    li { (swatch("catchment", None)) (at + 1) ": " bdi { (it.area.name) } }
                }
            }
        }
        @if !groups.is_empty() {
            table.plain.classes {
                caption {
                    "How " (map.nutrient.word()) " changes, in kilograms a hectare and year"
                }
                thead { tr {
                    th scope="col" { "Land" }
                    th.num scope="col" { "Pieces" }
                    th.num scope="col" { "Hectares" }
                } }
                tbody {
                    @for group in groups { (class_row(group, map.nutrient)) }
                }
            }
        }
        @if map.pieces_unshown_count > 0 {
            p.quiet {
                (counted(map.pieces_unshown_count, "more piece")) " of land: in the sums, not on \
                 the map."
            }
        }
    }
}

fn class_row(group: &Group<'_>, nutrient: Nutrient) -> Markup {
    let hectares: f64 = group.pieces.iter().map(|piece| piece.area_ha).sum();
    html! {
        tr {
            th scope="row" {
                (swatch("piece", Some(group.class))) (group.class.words(nutrient))
            }
            td.num data-label="Pieces" { (count(group.pieces.len() as u64)) }
            td.num data-label="Hectares" { (decimals(hectares)) }
        }
    }
}

fn swatch(kind: &str, class: Option<Class>) -> Markup {
    html! {
        svg.swatch viewBox="0 0 60 40" aria-hidden="true" {
            rect class=(kind) x="3" y="3" width="54" height="34" fill=[class.map(Class::fill)] {}
        }
    }
}
