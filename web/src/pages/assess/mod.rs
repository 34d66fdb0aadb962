//! Geospatial impact assessments: the list, a new one, its boundary, one with its map and sums, and
//! the reference data they stand on.

mod ask;
mod boundary;
mod classes;
mod delivery;
mod furniture;
mod list;
mod map;
mod one;
mod outline;
mod quality;
mod reference;
mod rings;
mod steps;
mod sums;
mod totals;
mod trace;
mod view;
mod waste;

pub use ask::{AssessmentForm, AssessmentFormChoices, NewAssessmentPage, new_assessment_page};
pub use boundary::{BoundaryFinding, BoundaryPage, boundary_page};
pub use classes::Nutrient;
pub use delivery::{Delivery, DeliveryAttempt};
pub use list::{
    AssessmentChoices, AssessmentFilter, AssessmentRow, AssessmentsPage, assessments_page,
};
pub use map::{MapArea, MapPiece, SiteMap};
pub use one::{AssessmentPage, AssessmentTrouble, assessment_fragment, assessment_page};
pub use outline::{MapUnits, Outline};
pub use quality::{QualityReport, QualityRow};
pub use reference::{
    LayerRow, LoadRun, ReferencePage, ReferenceVersion, reference_fragment, reference_page,
};
pub use sums::{
    BufferSum, CatchmentSum, DrainageSum, GreenspaceRule, LandUseSum, LevySum, LoadLine, Sums,
    WastewaterSum,
};
