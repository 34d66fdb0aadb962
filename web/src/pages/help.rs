//! Help in plain words: what each page is for, and what the words mean. Each word is defined once,
//! here; pages lead to their own part of it.

use maud::{Markup, html};

use crate::navigation::Here;
use crate::shell::{Frame, Shell, document};

/// One page: its entry, its name, its address, and what it is for.
type About = (Here, &'static str, &'static str, &'static [&'static str]);

const PAGES: &[About] = &[
    (
        Here::Overview,
        "Overview",
        "/",
        &[
            "How things are at this moment: what you hold, what is being worked on, what ended last, \
         and what waits for you.",
        ],
    ),
    (
        Here::Deposits,
        "Deposits",
        "/deposits",
        &[
            "Send a bag from your computer, or see what lies in your receiving area. A bag is taken up \
         by itself when it has not changed for a while.",
            "A bag that is rejected is kept for a while, with a report that lists everything that is \
         wrong with it; its page says until when, and removes it earlier. Correct it and send it again \
         under the same name.",
        ],
    ),
    (
        Here::Objects,
        "Objects",
        "/objects",
        &[
            "What is held. Each object came as one bag, or as several under the same name; each of them \
         is a version, and none is lost by the next.",
            "Look for a title, an identifier, the name of a file, or a digest. Open an object to see its \
         files and copies, to restore it, or to ask for its deletion.",
        ],
    ),
    (
        Here::Files,
        "Files",
        "/files",
        &["The files of all objects. Look for words of a path or a digest, or list those \
         of one format, size or day. Open a file to see its digests, versions and copies."],
    ),
    (
        Here::Fixity,
        "Fixity",
        "/fixity",
        &[
            "Whether what is held is still what was received. Every copy is read again from time to \
         time and compared; one that is damaged is mended from another.",
        ],
    ),
    (
        Here::Restorations,
        "Restorations",
        "/restorations",
        &[
            "What was asked back. A restored object is a whole bag that was checked; it lies ready for \
         some days, and can be asked for again after that.",
        ],
    ),
    (
        Here::Events,
        "Events",
        "/events",
        &[
            "What happened to objects and files: received, checked, mended, restored, deleted. Events \
         are never changed and never removed.",
        ],
    ),
    (
        Here::Deletions,
        "Deletions",
        "/deletions",
        &[
            "Nothing is deleted by one person, unless the institution has had only one administrator for \
         a week. One administrator asks and gives a reason, another one approves with the password. Then it \
         waits for some days, and every administrator can cancel it. What was deleted stays known, with \
         who approved it.",
        ],
    ),
    (
        Here::Items,
        "Items",
        "/items",
        &[
            "Pieces of work: one for each deposit, check, restoration or deletion. Open one to see how \
         far it is and how each try went.",
            "An item that needs a person says what happened, what was kept, and what to do next.",
        ],
    ),
    (
        Here::Queues,
        "Queues",
        "/queues",
        &[
            "What waits before each stage. A paused stage ends what it has begun and takes nothing new. \
         Emptying cancels what is in line, and cannot be undone.",
        ],
    ),
    (
        Here::Reports,
        "Reports",
        "/reports",
        &["What is held, added up: deposits, growth, formats, storage, and how well the house \
             does by the NDSA Levels of Digital Preservation."],
    ),
    (
        Here::Assessments,
        "Assessments",
        "/assessments",
        &[
            "What a development adds to the nitrogen and phosphorus that reach protected waters. \
         Send the boundary of a site, say what is built, and read the result with its map and how \
         it was worked out.",
            "A boundary that cannot be used is drawn with its bad places marked. A result is never \
         changed: ask again, and there is another one.",
        ],
    ),
    (
        Here::ReferenceData,
        "Reference data",
        "/reference-data",
        &[
            "The layers that sites are compared with. A new version is checked first and put to use \
         as a whole; the one before it is kept, and can be put to use again.",
        ],
    ),
    (
        Here::Research,
        "Research progress",
        "/research",
        &[
            "How much of the search for clips in episodes is done, who is at it, and what is leased.",
        ],
    ),
    (
        Here::Episodes,
        "Episodes",
        "/research/episodes",
        &[
            "Long recordings. Open one to see how it sounds and which clips occur in it where, to \
         play it from there, and to take the results with you.",
            "Add episodes by hand, from a file, or from the audio files of an object.",
        ],
    ),
    (
        Here::Clips,
        "Clips",
        "/research/clips",
        &["Short recordings. Open one to see all places in all episodes where it occurs."],
    ),
    (
        Here::Feeds,
        "Feeds",
        "/research/feeds",
        &["Addresses that list episodes or clips, such as those of podcasts. They are read from \
         time to time, and what is new in them is added."],
    ),
    (
        Here::Leases,
        "Leases",
        "/research/leases",
        &["Who searches what until when. A lease that is revoked ends at once: the rest of its \
         work is given to somebody else, and what was found stays."],
    ),
    (
        Here::Researchers,
        "Researchers",
        "/research/researchers",
        &["Which programs are at work, and how to start another one on any machine."],
    ),
    (
        Here::Alerts,
        "Alerts",
        "/alerts",
        &[
            "What you were told of: something failed, somebody asked for a deletion, a disk is nearly \
         full. Mark an alert as read when you have dealt with it.",
        ],
    ),
    (
        Here::Storage,
        "Storage",
        "/storage",
        &["Where preserved bytes lie, how much room is left, and which replicas a storage option \
         copies to. Two replicas on one disk are lost together: one disk is one place."],
    ),
    (
        Here::Schedules,
        "Schedules",
        "/schedules",
        &[
            "When the appliance looks for work by itself, and how the last look went. A look can be \
         asked for at any time.",
        ],
    ),
    (
        Here::Settings,
        "Settings",
        "/settings",
        &[
            "How the appliance is set up, and where each value came from. From here the house is closed \
         for maintenance as well.",
        ],
    ),
];

/// Words with their meaning, by the alphabet.
const WORDS: &[(&str, &str)] = &[
    ("Alert", "a message to people about something they should know."),
    ("Analyst", "the part of a researcher that compares sound; results say which version it was."),
    (
        "Assessment",
        "what building on a site does to protected waters, worked out from its boundary.",
    ),
    ("Attempt", "one try of one stage at one item."),
    (
        "Bag",
        "a folder or archive in the BagIt form: files, and lists of their digests, so that anybody \
         can see whether they arrived whole.",
    ),
    (
        "Catchment",
        "the land whose water runs to one place; a nutrient catchment is one whose waters are \
         protected.",
    ),
    ("Class", "hot replicas are read at once; cold ones must be asked for and waited for."),
    ("Clip", "a short recording that is looked for in episodes."),
    ("Coefficient", "what a hectare of land of one kind gives off in a year, in kilograms."),
    ("Copy", "the bytes of one file in one replica."),
    ("Deposit", "a bag that somebody gives to be kept."),
    (
        "Digest",
        "a short number drawn from the bytes of a file. Other bytes give another number, so it \
         shows damage.",
    ),
    ("Episode", "a long recording in which clips are looked for."),
    ("Event", "something that happened to an object or a file, written down for ever."),
    ("Fault", "something that stopped the appliance, such as a full disk."),
    ("Finding", "something that is wrong with a deposit."),
    ("Fixity", "that bytes are what they were; a fixity check reads a copy and compares."),
    ("Flow", "a kind of work and its stages in order, such as ingest, fixity, restore or assess."),
    ("Format", "what kind of file it is, told by its bytes and named by its PRONOM number."),
    ("Identifier", "the name of an object for ever: its institution, a slash, the bag's name."),
    ("Ingest", "taking in a deposit, from its arrival until all copies are verified."),
    ("Institution", "who owns what is held: a library, a museum, an archive."),
    ("Item", "a piece of work about a bag, an object or a file."),
    ("Lease", "the right to work on something until a moment; who dies loses it."),
    ("Levy", "what a developer pays so that the effect of a development is undone elsewhere."),
    ("Method", "the rules and numbers of an assessment, by name and version."),
    ("Object", "what is held under one identifier, with all its versions."),
    ("Occurrence", "a place in an episode where a clip was recognised."),
    ("Park", "stop an item and ask a person. Nothing goes on until somebody decides."),
    ("Receiving area", "the folder or bucket where an institution puts its bags."),
    ("Reference data", "the layers that sites are compared with, as one version."),
    ("Registry", "the list of everything that is held. It can be made again from any vault."),
    ("Rehearsal", "a restoration that nobody asked for, to see that it would work."),
    ("Replica", "one whole place for preserved bytes: a folder on a disk, or a bucket."),
    ("Researcher", "a program that takes leases, searches episodes for clips and tells results."),
    ("Restore", "give back an object or a file as it was received."),
    ("Set aside", "kept although it was replaced or did not belong; never thrown away unasked."),
    ("Stage", "one step of a flow, such as Validate or Store."),
    ("Storage option", "a name, and the replicas that deposits under it are copied to."),
    ("SuDS", "sustainable drainage: ponds and ditches that clean rain water."),
    ("Sweep", "a look from time to time that puts work in line."),
    ("Treatment works", "where wastewater is cleaned before it reaches a river."),
    ("Vault", "all replicas together. What is there can be read without this program."),
    ("Version", "what an object was after one of its deposits."),
    ("Work pack", "a folder with one lease and its recordings, for a machine without a network."),
];

/// The part of the help that is about a page, if there is one.
pub(crate) fn help_on(here: Here) -> Option<String> {
    let known = PAGES.iter().find(|(page, ..)| *page == here)?;
    Some(format!("/help#{}", anchor(known.1)))
}

fn anchor(name: &str) -> String {
    name.to_lowercase().replace(' ', "-")
}

/// Renders the help, with the pages that open to who looks at it.
pub fn help_page(shell: &Shell) -> Markup {
    let pages = PAGES.iter().filter(|(here, ..)| shell.entries.contains(here));
    let main = html! {
        h1 { "Help" }
        p.lead {
            "What each page is for, and what the words mean. "
            a href="#words" { "Go to the words" } ", or read about "
            a href="/help/accessibility" { "accessibility" } "."
        }
        section aria-labelledby="pages-heading" {
            h2 #pages-heading { "Pages" }
            @for (_, name, href, said) in pages {
                h3 id=(anchor(name)) { a href=(href) { (name) } }
                @for sentence in *said { p { (sentence) } }
            }
        }
        section aria-labelledby="words" {
            h2 #words { "Words" }
            dl.words {
                @for (word, meaning) in WORDS {
                    div { dt id={ "word-" (anchor(word)) } { (word) } dd { (meaning) } }
                }
            }
        }
    };
    document(shell, Frame::Still, main)
}

/// Renders how accessible these pages are meant to be, and what to do where they are not.
pub fn accessibility_page(shell: &Shell) -> Markup {
    let main = html! {
        div.sheet {
            h1 { "Accessibility" }
            p.lead {
                "These pages are made to be used by everybody. They are meant to meet the Web \
                 Content Accessibility Guidelines 2.2 at level AA."
            }
            h2 { "What you can rely on" }
            ul {
                li { "Everything can be done with the keyboard alone, in the order of the page." }
                li { "Everything can be done without script." }
                li { "No meaning rests on colour alone: every state has a word and a shape." }
                li { "Pages are readable at a width of 400 points and at twice the text size." }
                li { "Light and dark follow the setting of your system; so does reduced motion." }
                li { "Times bear their zone, and rounded sizes their exact number of bytes." }
            }
            h2 { "How that is checked" }
            p {
                "Every page is opened in a browser by the program's own tests: by keyboard, without \
                 script, at 400 points, and with the axe checker, which must find nothing."
            }
            h2 { "What is known to be wanting" }
            p {
                "Plots are drawn pictures; the same numbers stand in a table beside each of them. \
                 Names of files are shown as they were received, and may be long or in any script."
            }
            h2 { "When something keeps you out" }
            p {
                "Tell whoever looks after this appliance which page it was and what you use to read \
                 it. Whatever a page does can be done for you by command meanwhile."
            }
        }
    };
    document(shell, Frame::Still, main)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_word_is_defined_once_and_in_order() {
        let words: Vec<_> = WORDS.iter().map(|(word, _)| word.to_lowercase()).collect();
        assert!(words.is_sorted(), "{words:?}");
        let mut once = words.clone();
        once.dedup();
        assert_eq!(once, words);
        assert!(WORDS.iter().all(|(_, meaning)| meaning.ends_with('.')));
    }
}
