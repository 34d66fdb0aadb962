//! The bureau of this house, as a researcher in it sees it.

use byteio::causes::chain;
use soundmatch::ANALYST_VERSION;
use storage::registry::{Recording, RecordingKind};

use super::media::{self, GoOn, MediaError, Opened};
use super::office::{Office, OfficeError, Unopened};
use crate::app::App;
use crate::research::{LeaseNow, Report, ResearchError, Researcher, Work};

/// A researcher of this house.
pub struct InHouse<'a> {
    app: &'a App,
    name: String,
}

impl<'a> InHouse<'a> {
    /// The researcher of this name.
    pub fn new(app: &'a App, name: impl Into<String>) -> InHouse<'a> {
        InHouse { app, name: name.into() }
    }
}

impl Office for InHouse<'_> {
    fn next_work(&self) -> Result<Option<Work>, OfficeError> {
        let researcher = Researcher { name: self.name.clone(), analyst: ANALYST_VERSION };
        Ok(self.app.research.next_work(&researcher)?)
    }

    fn heartbeat(&self, lease: &str) -> Result<bool, OfficeError> {
        Ok(self.app.research.heartbeat(&self.name, Some(lease))?.expires.is_some())
    }

    fn record(&self, report: &Report) -> Result<LeaseNow, OfficeError> {
        Ok(self.app.research.record_here(&self.name, report)?.lease)
    }

    fn finish(&self, lease: &str) -> Result<(), OfficeError> {
        self.app.research.finish(&self.name, lease)?;
        Ok(())
    }

    fn open(
        &self,
        _: RecordingKind,
        recording: &Recording,
        go_on: GoOn<'_>,
    ) -> Result<Opened, Unopened> {
        let opened = media::open(self.app, recording, go_on);
        opened.map_err(|error| match matches!(error, MediaError::Stopped) {
            true => Unopened::Stopped,
            false => Unopened::Trouble { code: error.code().into(), why: chain(&error) },
        })
    }
}

impl From<ResearchError> for OfficeError {
    fn from(error: ResearchError) -> OfficeError {
        let why = chain(&error);
        match error.is_callers() {
            true => OfficeError::Refused(why),
            false => OfficeError::Away(why),
        }
    }
}
