//! How sites are assessed, and where results are sent: `[assess]`.

use std::time::Duration;

use super::custody::{Credentials, DataPath};
use super::meant::Config;
use super::pick::{Key, Pick};
use super::raw::RawAssess;
use super::refusal::Refusal;
use super::rule::{
    DataFile, DataFolder, Given, KeySource, Rule, Switch, WebAddress, quoted, seconds, whole,
};

/// How sites are assessed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AssessConfig {
    /// The method of those who name none.
    pub method: &'static str,
    /// Below this part of a site, in percent, the coefficients are said to cover too little.
    pub coverage_floor_percent: u32,
    /// A site of more hectares than this is refused.
    pub area_max_ha: u32,
    /// Below which address the program that asked is told.
    pub callback_url: Option<String>,
    pub callback_allow_http: bool,
    /// Where the key is that calls bear.
    pub callback_key: Credentials,
    /// How long a call may take.
    pub callback_timeout: Duration,
    /// The version of the receiver's schema that bodies are sent in.
    pub callback_schema: &'static str,
    /// Charges and indices, as JSON.
    pub levy_tables: Option<DataPath>,
    /// Where the boundaries lie that older job messages name by a key.
    pub inputs: Option<DataPath>,
}

/// The methods there are; the kernel knows what they mean, and a test that it knows all of them.
pub(crate) const METHODS: [&str; 3] = ["C", "B", "A"];

/// The versions of the receiver's schema; the kernel knows their shapes, and a test that it knows all
/// of them.
pub(crate) const CALLBACK_SCHEMAS: [&str; 4] = ["1", "2", "3", "4"];

/// One of a few names that the kernel knows.
struct NameOf(&'static [&'static str]);

impl Rule for NameOf {
    type Meant = &'static str;
    fn read(&self, given: Given<'_>) -> Option<&'static str> {
        let text = given.text()?;
        self.0.iter().copied().find(|known| *known == text)
    }
    fn allowed(&self) -> String {
        let mut names: Vec<String> = self.0.iter().map(|name| quoted(name)).collect();
        names.sort();
        format!("one of {}", names.join(", "))
    }
    fn write(&self, meant: &&'static str) -> String {
        quoted(meant)
    }
}

pub(super) fn assess(pick: &mut Pick<'_>, raw: RawAssess) -> AssessConfig {
    let method = "The method that sites are assessed with unless another is asked for.";
    let floor = "A result warns when coefficients cover less of a site than this.";
    let area = "A site of more hectares than this is refused when it is sent.";
    let url = "Below this address, quotes/REFERENCE is told by PATCH what came of a job.";
    let http = "Lets that address be one that is not encrypted.";
    let key = "Where the key is that these calls bear: STRONGROOM_ASSESS_KEY, or a file that holds \
        nothing else.";
    let timeout = "How long such a call may take.";
    let schema = "The version of the receiver's schema that these calls keep to: \"4\" is the current \
        one, \"3\" has no catchments, \"2\" has a levy with a least and a most, \"1\" a levy that is a \
        number.";
    let levy = "A file with plans, charges and indices as JSON. Jobs that are told back are priced \
        with it first, because the receiver insists on a price; one that cannot be priced waits for a \
        person.";
    let inputs = "A folder in which the s3_input_key of older job messages is looked for, such as a \
        bucket that is mounted or copied there.";
    AssessConfig {
        method: pick.one(raw.method, &Key::new("assess.method", NameOf(&METHODS), "C", method)),
        coverage_floor_percent: pick.one(
            raw.coverage_floor_percent,
            &Key::new("assess.coverage_floor_percent", whole(0, 100), "95", floor),
        ),
        area_max_ha: pick.one(
            raw.area_max_ha,
            &Key::new("assess.area_max_ha", whole(1, 100_000_000), "10000", area),
        ),
        callback_url: pick.maybe(
            raw.callback_url,
            &Key::unset("assess.callback_url", WebAddress, "https://example.org/api", url),
        ),
        callback_allow_http: pick.one(
            raw.callback_allow_http,
            &Key::new("assess.callback_allow_http", Switch, "false", http),
        ),
        callback_key: pick
            .one(raw.callback_key, &Key::new("assess.callback_key", KeySource, "environment", key)),
        callback_timeout: pick.one(
            raw.callback_timeout_s,
            &Key::new("assess.callback_timeout_s", seconds(1, 600), "30", timeout),
        ),
        callback_schema: pick.one(
            raw.callback_schema,
            &Key::new("assess.callback_schema", NameOf(&CALLBACK_SCHEMAS), "4", schema),
        ),
        levy_tables: pick
            .maybe(raw.levy_tables, &Key::unset("assess.levy_tables", DataFile, "levy.json", levy)),
        inputs: pick
            .maybe(raw.inputs, &Key::unset("assess.inputs", DataFolder, "/srv/inputs", inputs)),
    }
}

/// Refuses what is fine alone but not together.
pub(super) fn agree(pick: &mut Pick<'_>, config: &Config) {
    let open = config.assess.callback_url.as_ref().filter(|url| url.starts_with("http://"));
    if let Some(url) = open.filter(|_| !config.assess.callback_allow_http) {
        let (place, url) = (pick.place_of("assess.callback_url"), url.clone());
        pick.refusals.push(Refusal::OpenCallback { place, url });
    }
}
