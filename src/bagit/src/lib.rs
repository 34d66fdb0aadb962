//! BagIt bags (RFC 8493): read, validated and made.
//!
//! [`judge()`] validates a bag that is a folder, a `.tar`, a `.tar.gz` or a `.zip`, and
//! [`judge_stream`] an archive that has no name. [`profile`] adds the rules of BagIt Profiles.
//! [`make::create`] makes a bag as a folder or a tar.
//!
//! # What it promises
//!
//! - **Findings:** whatever is wrong with a bag is a finding with a stable code, a place and a
//!   sentence. An error means that the bag could not be opened or read, that a temporary file could
//!   not be written, or that the caller said stop.
//! - **Memory:** it does not grow with the size of files. A file takes about a hundred bytes and
//!   its name. [`Limits`] bounds the number of files, names, tags, findings and unpacked bytes, by
//!   default to ten million files and 1 GiB of names. A limit that is reached is a finding.
//! - **Reading:** every payload file is read once. A `.tar.gz` is read a second time where the
//!   first pass was not enough: for a digest that it did not compute, or to name exactly what is
//!   wrong.
//! - **Time:** the caller is asked often whether to stop.
//! - **Exactness:** a listed and a computed digest are compared by 64 bits under a random key. A
//!   wrong file is missed with a probability of one in 2^64.
//! - **Determinism:** the same bag has the same verdict. Only where there are more findings than
//!   the limit may other ones be kept. The same input, plan and date make the same bag, byte by
//!   byte.
//! - **Durability:** a new bag gets its final name in one step, after all of it is written and
//!   synced. Whatever has that name already is not replaced. A crash leaves the whole bag or none
//!   under that name, and maybe a hidden draft beside it.
//! - **No panic:** no bag makes it panic. Manifests, tag files and archives are fuzzed.
//!
//! # What it never does
//!
//! It uses no network: `fetch.txt` is validated, and nothing is fetched. It asks no clock: the
//! caller gives the date of a new bag. A link inside a bag or a payload folder is a finding and is
//! not followed. A bag is never changed and never unpacked to disk. While a `.tar.gz` is validated,
//! what is not payload is kept in a temporary file without a name.
//!
//! # Reading order
//!
//! `code` lists the rules, `finding`, `facts` and `report` are the types. `source` opens folders
//! and archives, `text` reads tag files and manifests, `names` knows what a path may be. `ledger`
//! holds all paths and `marks` what manifests say of them. `judge` has one file per step of the
//! verdict, `profile` what communities ask beyond BagIt. `make` makes bags; `restored` rewrites the
//! tags of a bag that is made again.
//!
//! # Example
//!
//! ```
//! use bagit::code::Code;
//! use bagit::make::{Form, Payload, Placing, Plan, create};
//! use bagit::{Options, judge};
//!
//! let folder = tempfile::tempdir()?;
//! let letters = folder.path().join("letters");
//! std::fs::create_dir(&letters)?;
//! std::fs::write(letters.join("1901.txt"), "Dear Ann")?;
//!
//! let bag = folder.path().join("bag");
//! let date = jiff::civil::date(2026, 11, 16);
//! let form = Form::Folder(Placing::Copy);
//! let plan = Plan { form, ..Plan::new("bag", Payload::Folder(letters), bag.clone(), date) };
//! let made = create(&plan)?;
//! assert_eq!((made.payload_count, made.payload_bytes), (1, 8));
//!
//! let verdict = judge(&bag, &Options::default(), &mut ())?;
//! assert!(verdict.complete && verdict.valid, "{:?}", verdict.findings);
//!
//! // Other bytes of the same length: every file is there, and one is not the listed one.
//! std::fs::write(bag.join("data/1901.txt"), "Dear Bob")?;
//! let verdict = judge(&bag, &Options::default(), &mut ())?;
//! assert!(verdict.complete && !verdict.valid);
//! let first = &verdict.findings[0];
//! assert_eq!((first.code, first.place.as_str()), (Code::DigestMismatch, "data/1901.txt"));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

pub mod code;
pub mod error;
pub mod facts;
pub mod finding;
pub(crate) mod findings;
pub mod fuzz;
pub mod judge;
pub(crate) mod ledger;
pub mod limits;
pub mod make;
pub(crate) mod marks;
pub(crate) mod names;
pub mod profile;
pub mod report;
pub mod restored;
pub(crate) mod source;
pub(crate) mod text;

pub use error::BagError;
pub use findings::Counts;
pub use judge::{Options, Verdict, judge, judge_stream};
pub use limits::Limits;
pub use report::{Class, FileReport, Survey};
