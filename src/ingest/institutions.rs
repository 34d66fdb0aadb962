//! Whose deposits are received.

use storage::registry::{
    Error, INSTITUTIONS, Institution, InstitutionKind, Listing, NewInstitution, Query, Standing,
};

use crate::app::App;
use crate::fault::{Failure, Fault, Kind};

/// The active institutions. Where there is none, the configured one is made.
pub(crate) fn institutions(app: &App) -> Result<Vec<Institution>, Fault> {
    let mut found = Vec::new();
    let mut page = Some(1);
    while let Some(number) = page {
        let wanted = [("page", number.to_string()), ("per_page", "1000".to_owned())];
        let listed = app.registry.list_institutions(&query(&INSTITUTIONS, &wanted)?)?;
        found.extend(listed.rows);
        page = listed.next_page;
    }
    if !found.is_empty() {
        let active = |institution: &Institution| institution.state == Standing::Active;
        return Ok(found.into_iter().filter(active).collect());
    }
    let identifier = &app.config.ingest.institution;
    let made = app.registry.create_institution(
        &NewInstitution {
            name: app.config.ingest.institution_name.clone(),
            identifier: identifier.clone(),
            kind: InstitutionKind::Member,
            member_institution_id: None,
            receiving_bucket: format!("receiving/{identifier}"),
            restore_bucket: format!("restore/{identifier}"),
        },
        app.shop.clock.now(),
    );
    match made {
        Ok(made) => Ok(vec![made]),
        // Somebody else made it a moment ago.
        Err(Error::Conflict(_)) => {
            Ok(app.registry.institution_by_identifier(identifier)?.into_iter().collect())
        }
        Err(error) => Err(error.into()),
    }
}

/// A question of ours; that it is not understood would be our own mistake.
pub(super) fn query(listing: &'static Listing, wanted: &[(&str, String)]) -> Result<Query, Fault> {
    let pairs: Vec<_> =
        wanted.iter().map(|(name, value)| ((*name).to_owned(), value.clone())).collect();
    Query::parse(listing, &pairs).map_err(|bad| {
        Fault::Failed(Failure {
            kind: Kind::Fatal,
            code: "query",
            advice: "report this".into(),
            source: Box::new(bad),
        })
    })
}
