//! `strongroom research`: the catalogue of episodes and clips, and how far research has come.

use std::fs::File;
use std::path::PathBuf;
use std::process::ExitCode;

use clap::{Args, Subcommand, ValueEnum};
use serde::Serialize;
use storage::registry::{Added, NewRecording, RecordingKind};

use super::counter::{Counter, read, said};
use super::print::{error, json, line, plain};
use super::research_feed::read_feed;
use super::research_pack::{Pack, Unpack};
use super::{Failure, Outcome, Place};
use crate::desk::CatalogueWish;
use crate::research::Progress;
use crate::research::catalogue::{self, Catalogue, Format, LineFinding};

/// Recordings sent at once.
pub(super) const AT_ONCE: usize = 1000;

/// Add episodes and clips, and see how far research has come.
#[derive(Subcommand)]
#[command(after_help = "Examples:\n  strongroom research add-episodes feed.rss\n  \
    strongroom research add-clips clips.csv\n  strongroom research status")]
pub(super) enum Research {
    /// Add the episodes that a file or a feed lists
    #[command(after_help = "Examples:\n  strongroom research add-episodes feed.rss\n  \
        strongroom research add-episodes https://podcast.example.org/feed\n\n\
        The first line of CSV names the columns; JSON has the same names:\n  \
        title        needed; with date_aired, what an episode is known by\n  \
        url          needed: http(s)://..., or as path: /srv/show.mp3, or as location:\n               \
        vault:OBJECT#PATH\n  \
        date_aired   such as 2021-02-28, or 2021-02-28T10:00:00Z\n  \
        description, media_type, curator, priority (the highest comes first),\n  \
        first_curated_at, last_curated_at\n\n\
        Entries that cannot be used are told with their lines and left out; the others are taken.\n\
        What a feed writes carelessly, such as dates and long titles, is put right and told.\n\
        A feed is read page by page, with pauses (research.feed_pace_ms), and as its robots.txt\n\
        asks. Ctrl-C keeps what was read. Exit: 0 all was read; 1 pages or entries were left out;\n\
        2 it could not be read.")]
    AddEpisodes(Add),
    /// Add the clips that a file or a feed lists
    #[command(after_help = "Example:\n  strongroom research add-clips clips.csv --json\n\n\
        Columns are those of add-episodes: title and url (or path, or location) are needed, and\n\
        a clip is known by its title. Entries that cannot be used are told with their lines and\n\
        left out; the others are taken.")]
    AddClips(Add),
    /// Take an episode or clip off that was added by mistake, with what was found
    #[command(after_help = "Example:\n  strongroom research remove clip 7\n\n\
        The recording itself stays where it lies. Work that has it ends, and what else it was for\n\
        is offered again. Feeds do not bring it back; whoever adds it again gets it back.")]
    Remove(super::research_remove::Remove),
    /// Write work for a machine that is not connected into a folder
    #[command(after_help = "Example:\n  strongroom research pack --to pack-1 --researcher cellar")]
    Pack(Pack),
    /// Record the results that came back in such a folder
    #[command(after_help = "Example:\n  strongroom research unpack pack-1")]
    Unpack(Unpack),
    /// Say how far research has come
    #[command(after_help = "Example:\n  strongroom research status --json")]
    Status(Status),
    /// Search as a researcher: for an appliance here or elsewhere, or out of a pack
    Work(super::research_work::Work),
    /// Find clips in an episode, both files; needs no appliance
    Match(super::research_match::Match),
}

#[derive(Args)]
pub(super) struct Add {
    /// The file: JSON, JSON lines, CSV, or a feed of RSS or Atom; or the address of such a feed
    #[arg(value_name = "FILE|URL")]
    file: PathBuf,
    /// What the file is, where its name does not say
    #[arg(long, value_enum)]
    format: Option<Kind>,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

#[derive(Args)]
pub(super) struct Status {
    /// Print JSON
    #[arg(long)]
    json: bool,
}

#[derive(Clone, Copy, ValueEnum)]
enum Kind {
    Json,
    Jsonl,
    Csv,
    Rss,
}

#[derive(Serialize)]
struct Told {
    #[serde(flatten)]
    added: Added,
    left_out: usize,
    findings: Vec<LineFinding>,
    noted: usize,
    notes: Vec<LineFinding>,
}

impl Research {
    pub(super) fn run(self, place: &Place) -> Outcome {
        match self {
            Research::AddEpisodes(add) => add.run(place, RecordingKind::Episode),
            Research::AddClips(add) => add.run(place, RecordingKind::Clip),
            Research::Remove(remove) => remove.run(place),
            Research::Pack(pack) => pack.run(place),
            Research::Unpack(unpack) => unpack.run(place),
            Research::Status(status) => status.run(place),
            Research::Work(work) => work.run(place),
            Research::Match(them) => them.run(),
        }
    }
}

impl Add {
    fn run(self, place: &Place, kind: RecordingKind) -> Outcome {
        let shown = plain(&self.file.display().to_string());
        if shown.starts_with("http://") || shown.starts_with("https://") {
            return read_feed(place, kind, &shown, self.json);
        }
        let format = match self.format {
            Some(Kind::Json) => Format::Json,
            Some(Kind::Jsonl) => Format::JsonLines,
            Some(Kind::Csv) => Format::Csv,
            Some(Kind::Rss) => Format::Rss,
            None => Format::of(&self.file).ok_or_else(|| {
                Failure::Unable(format!("{shown} has no name that says what it is: use --format"))
            })?,
        };
        let unreadable = |why: String| Failure::Unable(format!("{shown}: {why}"));
        let mut file = File::open(&self.file).map_err(|error| unreadable(error.to_string()))?;
        let read = catalogue::read(&mut file, format);
        let read = read.map_err(|error| unreadable(byteio::causes::chain(&error)))?;
        let counter = Counter::open(place)?;
        let mut added = Added::default();
        for part in read.recordings.chunks(AT_ONCE) {
            let more = counter.add_recordings(kind, part.to_vec())?;
            added.new += more.new;
            added.changed += more.changed;
            added.same += more.same;
        }
        let Catalogue { left_out, findings, noted, notes, .. } = read;
        let told = Told { added, left_out, findings, noted, notes };
        told.print(&shown, kind, self.json)?;
        // What is left out is a finding about the file.
        Ok(if told.left_out > 0 { ExitCode::from(1) } else { ExitCode::SUCCESS })
    }
}

impl Told {
    fn print(&self, file: &str, kind: RecordingKind, as_json: bool) -> Result<(), Failure> {
        if as_json {
            return json(self);
        }
        let Added { new, changed, same } = self.added;
        let new = web::counted(new.into(), &format!("new {}", kind.word()));
        line(&format!("{file}: {new}, {changed} changed, {same} as before"));
        for finding in self.findings.iter().chain(&self.notes) {
            error(&format!("{file}:{}: {}", finding.line, plain(&finding.sentence)));
        }
        if self.left_out > self.findings.len() {
            error(&format!("{file}: {} entries were left out in all", self.left_out));
        }
        if self.noted > self.notes.len() {
            error(&format!("{file}: {} things were put right in all", self.noted));
        }
        Ok(())
    }
}

impl Status {
    fn run(self, place: &Place) -> Outcome {
        let told = Counter::open(place)?.research()?;
        if self.json {
            json(&told)?;
            return Ok(ExitCode::SUCCESS);
        }
        let Progress { episodes, clips, searched_pairs, open_episodes, .. } = told;
        let (shows, finds) = (web::counted(episodes, "episode"), web::counted(clips, "clip"));
        line(&format!("{shows}, {finds}"));
        line(&format!("{searched_pairs} of {} pairs were searched", episodes * clips));
        line(&format!(
            "{} left with something to look for",
            web::counted(open_episodes as u64, "episode")
        ));
        if let Some(sentence) = failures(&told) {
            line(&sentence);
        }
        Ok(ExitCode::SUCCESS)
    }
}

/// What could not be searched, and what to do about it.
fn failures(told: &Progress) -> Option<String> {
    let counts = [
        (told.failed_episodes, "episode"),
        (told.failed_clips, "clip"),
        (told.failed_pairs, "single pair"),
    ];
    let failed: Vec<String> = counts
        .into_iter()
        .filter(|(count, _)| *count > 0)
        .map(|(count, word)| web::counted(count, word))
        .collect();
    (!failed.is_empty()).then(|| {
        format!(
            "{} could not be searched: /research/episodes?state=trouble and \
             /research/clips?state=trouble say why, and have them tried again",
            failed.join(", ")
        )
    })
}

impl Counter {
    pub(super) fn add_recordings(
        &self,
        kind: RecordingKind,
        recordings: Vec<NewRecording>,
    ) -> Result<Added, Failure> {
        let wish = CatalogueWish { recordings };
        match self {
            Counter::Here(app) => said(app.desk().add_recordings(kind, &wish)).map(|it| it.added()),
            Counter::There(client) => {
                let path = format!("/api/v1/research/{}s", kind.word());
                read(client.post(&path, &serde_json::to_string(&wish)?)?)
            }
        }
    }

    fn research(&self) -> Result<Progress, Failure> {
        match self {
            Counter::Here(app) => said(app.desk().research()),
            Counter::There(client) => read(client.get("/api/v1/research", &[])?),
        }
    }
}
