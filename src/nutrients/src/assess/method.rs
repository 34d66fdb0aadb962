//! Methods as data: three vintages are known, and a result keeps the one it was made with.

use serde::{Deserialize, Serialize};

/// The parameters of a method.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Method {
    /// What people call it, such as `C`.
    pub name: String,
    /// When it came into force; changes with every parameter.
    pub version: String,
    pub suds: Suds,
    /// The part of a permit limit at which works run.
    pub operating_rate: f64,
    /// `None` where no greenspace is assumed.
    pub greenspace: Option<Greenspace>,
    /// The part that is added for caution.
    pub buffer: f64,
    /// The works of a site that lies in no catchment of any.
    pub fallback_works: i64,
    pub days_per_year: f64,
}

/// Sustainable drainage: what it holds back, and from how many dwellings on.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Suds {
    pub threshold_dwellings: u32,
    pub removal: f64,
}

/// Greenspace that is assumed on larger sites.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Greenspace {
    pub threshold_ha: f64,
    pub share: f64,
    /// kg/ha/yr.
    pub nitrogen: f64,
    pub phosphorus: f64,
}

impl Method {
    /// September 2025: drainage always, permits in full, no greenspace.
    pub fn a() -> Method {
        Method {
            name: "A".to_owned(),
            version: "2025-09".to_owned(),
            suds: Suds { threshold_dwellings: 0, removal: 0.25 },
            operating_rate: 1.0,
            greenspace: None,
            buffer: 0.2,
            fallback_works: 141,
            days_per_year: 365.25,
        }
    }

    /// October 2025: works run at nine tenths of their permits.
    pub fn b() -> Method {
        Method {
            name: "B".to_owned(),
            version: "2025-10".to_owned(),
            operating_rate: 0.9,
            ..Method::a()
        }
    }

    /// From April 2026: drainage from 50 dwellings on, greenspace from a hectare on.
    pub fn c() -> Method {
        let greenspace =
            Greenspace { threshold_ha: 1.0, share: 0.2, nitrogen: 3.0, phosphorus: 0.2 };
        Method {
            name: "C".to_owned(),
            version: "2026-04".to_owned(),
            suds: Suds { threshold_dwellings: 50, removal: 0.25 },
            greenspace: Some(greenspace),
            ..Method::b()
        }
    }

    /// A known method by its name.
    pub fn named(name: &str) -> Option<Method> {
        [Method::a(), Method::b(), Method::c()].into_iter().find(|method| method.name == name)
    }

    /// Whether the table that was made by this method has sites that lie in no catchment and drain to
    /// the works that is assumed where none is known. Strict parity follows it.
    pub(crate) fn keeps_fallback(&self) -> bool {
        self.name == "A"
    }

    /// Whether the table that was made by this method leaves a load empty where its limit or the water
    /// use is not known, in place of a zero. Strict parity follows it.
    pub(crate) fn leaves_unknown_loads_empty(&self) -> bool {
        matches!(self.name.as_str(), "A" | "B")
    }

    /// Name and version, as part of keys: `C/2026-04`.
    pub fn key(&self) -> String {
        format!("{}/{}", self.name, self.version)
    }

    /// What a hectare of houses gives off on a site of this (rounded) size, for nitrogen.
    pub(crate) fn nitrogen_after(&self, residential: f64, area_ha: f64) -> f64 {
        self.after(residential, area_ha, |green| green.nitrogen)
    }

    pub(crate) fn phosphorus_after(&self, residential: f64, area_ha: f64) -> f64 {
        self.after(residential, area_ha, |green| green.phosphorus)
    }

    fn after(&self, residential: f64, area_ha: f64, of: fn(&Greenspace) -> f64) -> f64 {
        match &self.greenspace {
            Some(green) if area_ha >= green.threshold_ha => {
                residential * (1.0 - green.share) + green.share * of(green)
            }
            Some(_) | None => residential,
        }
    }

    /// The part that drainage holds back.
    pub(crate) fn removal(&self, dwellings: u32) -> f64 {
        if dwellings >= self.suds.threshold_dwellings { self.suds.removal } else { 0.0 }
    }
}
