//! Deposits: one ingest of an object, which is one version of it.

use rusqlite::{Connection, OptionalExtension, Row, params};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::identity::{DepositId, ObjectId, Version};
use crate::clock::Timestamp;
use crate::registry::moment::{Fields, MaybeMoment, Moment};
use crate::registry::{Error, Registry};

/// One tag of a bag.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Tag {
    /// The tag file.
    pub file: String,
    /// The tag's name.
    pub name: String,
    /// Its value.
    pub value: String,
}

/// What is known about a deposit.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct DepositFacts {
    /// The item that ingests it.
    pub item_id: i64,
    /// The name of the received file.
    pub file_name: String,
    /// Its entity tag; empty when there is none.
    pub etag: String,
    /// Its bytes.
    pub size: u64,
    /// When it was received.
    #[serde(with = "MaybeMoment")]
    pub received_at: Option<Timestamp>,
    /// When it was found valid.
    #[serde(with = "MaybeMoment")]
    pub validated_at: Option<Timestamp>,
    /// When the formats of its files were known.
    #[serde(with = "MaybeMoment")]
    pub identified_at: Option<Timestamp>,
    /// When every copy was written.
    #[serde(with = "MaybeMoment")]
    pub stored_at: Option<Timestamp>,
    /// When every copy had been read back.
    #[serde(with = "MaybeMoment")]
    pub verified_at: Option<Timestamp>,
    /// When recording began; drawn once, so that a repetition says the same.
    #[serde(with = "Moment")]
    pub recorded_at: Timestamp,
    /// The profile it was checked by.
    pub profile_identifier: String,
    /// The algorithms of its manifests, in the order of their names.
    pub manifest_algorithms: Vec<String>,
    /// All tags, in the order they were found.
    pub tags: Vec<Tag>,
    /// The version of this program.
    pub program_version: String,
    /// The version of the format signatures.
    pub signature_version: String,
}

/// What it takes to begin a deposit.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct NewDeposit {
    /// The institution's identifier, a slash, and the bag's name.
    pub object_identifier: String,
    /// One more than the version that is sealed.
    pub version: Version,
    /// What is known about it.
    pub facts: DepositFacts,
}

/// A deposit.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct DepositRow {
    /// Given by the registry.
    pub id: DepositId,
    /// The object.
    pub object_id: ObjectId,
    /// The version it became.
    pub version: Version,
    /// What is known about it.
    #[serde(flatten)]
    pub facts: DepositFacts,
    /// When it was sealed; none while it is being written.
    #[serde(with = "MaybeMoment")]
    pub sealed_at: Option<Timestamp>,
}

const COLUMNS: &str = "id, object_id, version, item_id, file_name, etag, size, received_at, \
    validated_at, identified_at, stored_at, verified_at, recorded_at, profile_identifier, \
    manifest_algorithms, tags, program_version, signature_version, sealed_at";

const PUT: &str = "INSERT INTO deposits (object_id, version, item_id, file_name, etag, size,
        received_at, validated_at, identified_at, stored_at, verified_at, recorded_at,
        profile_identifier, manifest_algorithms, tags, program_version, signature_version)
    VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, ?17)
    ON CONFLICT (object_id, version) DO UPDATE SET
        file_name = excluded.file_name, etag = excluded.etag, size = excluded.size,
        received_at = excluded.received_at, validated_at = excluded.validated_at,
        identified_at = excluded.identified_at, stored_at = excluded.stored_at,
        verified_at = excluded.verified_at, recorded_at = excluded.recorded_at,
        profile_identifier = excluded.profile_identifier,
        manifest_algorithms = excluded.manifest_algorithms, tags = excluded.tags,
        program_version = excluded.program_version,
        signature_version = excluded.signature_version
    WHERE deposits.sealed_at IS NULL";

impl Registry {
    /// Begins a deposit, or finds the one that the same item began; what is known about it is
    /// brought up to date until it is sealed. The object is made if need be, and is not seen yet.
    ///
    /// # Errors
    ///
    /// `Invalid` for an identifier that is not `institution/bag`, `NotFound` for an institution
    /// that is not there, `Refused` when another item has this version or it is not the next one.
    pub fn begin_deposit(&self, new: &NewDeposit) -> Result<DepositId, Error> {
        let (institution, bag) = split_identifier(&new.object_identifier)?;
        let tags = to_json(&new.facts.tags)?;
        self.write(|tx| {
            let object = ensure_object(tx, new, institution, bag)?;
            let facts = &new.facts;
            if let Some(found) = find(tx, "object_id = ?1 AND version = ?2", (object, new.version))?
            {
                if found.facts.item_id != facts.item_id {
                    let why = format!(
                        "version {} of {} belongs to item {}, not to item {}",
                        new.version, new.object_identifier, found.facts.item_id, facts.item_id
                    );
                    return Err(Error::Refused { why });
                }
            } else {
                require_next(tx, object, new)?;
            }
            tx.prepare_cached(PUT)?.execute(params![
                object,
                new.version,
                facts.item_id,
                facts.file_name,
                facts.etag,
                i64::try_from(facts.size).unwrap_or(i64::MAX),
                facts.received_at,
                facts.validated_at,
                facts.identified_at,
                facts.stored_at,
                facts.verified_at,
                facts.recorded_at,
                facts.profile_identifier,
                facts.manifest_algorithms.join(" "),
                tags,
                facts.program_version,
                facts.signature_version
            ])?;
            let sql = "SELECT id FROM deposits WHERE object_id = ?1 AND version = ?2";
            Ok(tx.query_row(sql, (object, new.version), |row| row.get(0))?)
        })
    }

    /// The deposit with this id, sealed or not.
    pub fn deposit(&self, id: DepositId) -> Result<Option<DepositRow>, Error> {
        self.read(|conn| find(conn, "id = ?1", [id]))
    }

    /// The deposit that became a version of an object, once it is sealed.
    pub fn deposit_of(
        &self,
        object: ObjectId,
        version: Version,
    ) -> Result<Option<DepositRow>, Error> {
        let which = "object_id = ?1 AND version = ?2 AND sealed_at IS NOT NULL";
        self.read(|conn| find(conn, which, (object, version)))
    }

    /// The sealed deposits of an object, which are its versions, the newest first.
    pub fn deposits(&self, object: ObjectId, limit: u32) -> Result<Vec<DepositRow>, Error> {
        let sql = format!(
            "SELECT {COLUMNS} FROM deposits WHERE object_id = ?1 AND sealed_at IS NOT NULL
             ORDER BY version DESC LIMIT ?2"
        );
        self.rows(&sql, (object, limit), DepositRow::read)
    }

    /// The deposit of an object that was begun and neither sealed nor abandoned.
    pub fn unsealed_deposit(&self, object_identifier: &str) -> Result<Option<DepositRow>, Error> {
        let which = "object_id = (SELECT id FROM objects WHERE identifier = ?1)
            AND sealed_at IS NULL";
        self.read(|conn| find(conn, which, [object_identifier]))
    }

    /// The deposits that were begun and neither sealed nor abandoned, the oldest first.
    pub fn unsealed_deposits(&self, limit: u32) -> Result<Vec<DepositRow>, Error> {
        let sql = format!(
            "SELECT {COLUMNS} FROM deposits WHERE sealed_at IS NULL
             ORDER BY recorded_at, id LIMIT ?1"
        );
        self.rows(&sql, [limit], DepositRow::read)
    }
}

/// The two parts of an object's identifier.
pub(super) fn split_identifier(identifier: &str) -> Result<(&str, &str), Error> {
    let parts = identifier.split_once('/').filter(|(institution, bag)| {
        let whole = !institution.is_empty() && !bag.is_empty() && !bag.contains('/');
        whole && identifier.len() <= 1024 && !identifier.contains('\0')
    });
    parts.ok_or_else(|| Error::Invalid {
        field: "object_identifier",
        rule: "must be institution/bag, with one slash and at most 1024 bytes".to_owned(),
    })
}

fn ensure_object(
    conn: &Connection,
    new: &NewDeposit,
    institution: &str,
    bag: &str,
) -> Result<ObjectId, Error> {
    // Letter by letter, or one object could go by two identifiers.
    let sql =
        "SELECT id FROM institutions WHERE identifier = ?1 AND identifier = ?1 COLLATE BINARY";
    let owner: Option<i64> =
        conn.prepare_cached(sql)?.query_row([institution], |row| row.get(0)).optional()?;
    let missing = || Error::NotFound { what: format!("institution {institution}") };
    let owner = owner.ok_or_else(missing)?;
    conn.execute(
        "INSERT INTO objects (identifier, institution_id, bag_name, created_at, updated_at)
         VALUES (?1, ?2, ?3, ?4, ?4) ON CONFLICT (identifier) DO NOTHING",
        params![new.object_identifier, owner, bag, new.facts.recorded_at],
    )?;
    let sql = "SELECT id FROM objects WHERE identifier = ?1";
    Ok(conn.query_row(sql, [&new.object_identifier], |row| row.get(0))?)
}

fn require_next(conn: &Connection, object: ObjectId, new: &NewDeposit) -> Result<(), Error> {
    let sql = "SELECT version FROM objects WHERE id = ?1";
    let sealed: Version = conn.query_row(sql, [object], |row| row.get(0))?;
    if new.version.0 != sealed.0.saturating_add(1) {
        let (name, asked) = (&new.object_identifier, new.version);
        let why = format!("{name} has version {sealed}, so that {asked} is not its next one");
        return Err(Error::Refused { why });
    }
    Ok(())
}

fn find(
    conn: &Connection,
    which: &str,
    values: impl rusqlite::Params,
) -> Result<Option<DepositRow>, Error> {
    let sql = format!("SELECT {COLUMNS} FROM deposits WHERE {which}");
    Ok(conn.prepare_cached(&sql)?.query_row(values, DepositRow::read).optional()?)
}

/// Fails with `NotFound` unless the deposit exists.
pub(super) fn require(conn: &Connection, id: DepositId) -> Result<DepositRow, Error> {
    let missing = || Error::NotFound { what: format!("deposit {id}") };
    find(conn, "id = ?1", [id])?.ok_or_else(missing)
}

fn to_json(tags: &[Tag]) -> Result<String, Error> {
    serde_json::to_string(tags)
        .map_err(|error| Error::Invalid { field: "tags", rule: format!("is no JSON: {error}") })
}

impl DepositRow {
    fn read(row: &Row<'_>) -> rusqlite::Result<DepositRow> {
        let mut of = Fields::of(row);
        let (id, object_id, version) = (of.take()?, of.take()?, of.take()?);
        let facts = DepositFacts {
            item_id: of.take()?,
            file_name: of.take()?,
            etag: of.take()?,
            size: of.count()?,
            received_at: of.take()?,
            validated_at: of.take()?,
            identified_at: of.take()?,
            stored_at: of.take()?,
            verified_at: of.take()?,
            recorded_at: of.take()?,
            profile_identifier: of.take()?,
            manifest_algorithms: words(&of.take::<String>()?),
            tags: of.json()?,
            program_version: of.take()?,
            signature_version: of.take()?,
        };
        Ok(DepositRow { id, object_id, version, facts, sealed_at: of.take()? })
    }
}

fn words(text: &str) -> Vec<String> {
    text.split_whitespace().map(str::to_owned).collect()
}
