//! What is asked for: a site, a method, and who is to be told.

use nutrients::{Job, JobShape, Method, Reference, Shape, Site};
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

/// An assessment that is asked for, as it is kept.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Wish {
    /// What the asker calls it.
    pub reference: String,
    /// The site, checked, in metres; its properties are gone.
    pub site: Site,
    /// The method, by its name.
    pub method: String,
    /// Plan areas that the asker found.
    #[serde(default)]
    pub plans: Vec<String>,
    /// Whether the program that asked is called when there is a result.
    #[serde(default)]
    pub calls_back: bool,
    /// What it follows a request by.
    #[serde(default)]
    pub trace: Option<String>,
    /// Who is told by letter.
    #[serde(default)]
    pub email: Option<String>,
}

impl Wish {
    /// A wish for a site alone.
    pub fn of(reference: &str, site: Site, method: &str) -> Wish {
        Wish {
            reference: reference.to_owned(),
            site,
            method: method.to_owned(),
            plans: Vec::new(),
            calls_back: false,
            trace: None,
            email: None,
        }
    }

    /// The wish of a job message; none when its shape is not in it.
    pub fn of_job(job: &Job, reference: &str, method: &str) -> Option<Wish> {
        let JobShape::Inline { .. } = &job.shape else { return None };
        let mut site = job.site()?;
        reference.clone_into(&mut site.id);
        Some(Wish::with_job(job, reference, method, site))
    }

    /// The wish of a job message whose shape came beside it.
    pub fn with_job(job: &Job, reference: &str, method: &str, mut site: Site) -> Wish {
        if !job.name.is_empty() {
            job.name.clone_into(&mut site.name);
        }
        let plan = |it: &nutrients::PlanName| match it.label.is_empty() {
            true => it.n2k_site_name.clone(),
            false => it.label.clone(),
        };
        Wish {
            plans: job.plans.iter().map(plan).filter(|name| !name.is_empty()).collect(),
            calls_back: true,
            trace: job.trace_id.clone(),
            email: job.email.clone(),
            ..Wish::of(reference, site, method)
        }
    }

    /// The same for the same question about the same data by the same method. Dwellings, people and a
    /// chosen works are part of it besides the shape: other figures are another question.
    pub fn same(&self, reference: Option<&Reference>, method: &Method) -> String {
        let site = &self.site;
        let data = reference.map_or(("", ""), |it| (it.version(), it.digest()));
        let told = format!(
            "{:?}",
            (
                (&self.reference, site.shape.digest(), site.dwellings, &site.category),
                (site.people, site.chosen_works, &site.name, data, method.key()),
                (&self.plans, self.calls_back, &self.email),
            )
        );
        Sha256::digest(told).iter().map(|byte| format!("{byte:02x}")).collect()
    }
}

/// The name of a site that nobody named: the same shape has the same.
pub(crate) fn nameless(shape: &Shape) -> String {
    format!("SITE-{}", shape.digest().chars().take(12).collect::<String>())
}

#[cfg(test)]
mod tests {
    use nutrients::ReceiverSchema;

    use super::*;

    fn wish() -> Wish {
        let square = vec![[0.0, 0.0], [10.0, 0.0], [10.0, 10.0], [0.0, 10.0], [0.0, 0.0]];
        let shape = Shape::from_coordinates(vec![vec![square]]);
        Wish::of("NRF-000001", Site::of_job("NRF-000001", "housing", 10, shape), "C")
    }

    #[test]
    fn other_figures_another_method_or_another_name_are_another_question() {
        let same = |wish: &Wish, method: Method| wish.same(None, &method);
        let first = same(&wish(), Method::c());
        assert_eq!(first, same(&wish(), Method::c()));
        assert_ne!(first, same(&wish(), Method::b()));
        let mut more = wish();
        more.site.dwellings = 11;
        assert_ne!(first, same(&more, Method::c()));
        let other = Wish { reference: "NRF-000002".into(), ..wish() };
        assert_ne!(first, same(&other, Method::c()));
    }

    #[test]
    fn every_method_that_can_be_configured_is_one() {
        for name in crate::config::METHODS {
            assert_eq!(Method::named(name).unwrap().name, name);
        }
    }

    #[test]
    fn every_schema_of_the_receiver_that_can_be_configured_is_one() {
        for name in crate::config::CALLBACK_SCHEMAS {
            assert!(ReceiverSchema::named(name).is_some(), "{name}");
        }
        assert_eq!(ReceiverSchema::named("5"), None);
    }
}
