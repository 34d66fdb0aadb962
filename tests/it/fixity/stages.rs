//! The stage stands the conformance exercise, with a damaged copy before it and wherever the
//! replicas lie.

use std::fs;
use std::path::PathBuf;
use std::sync::Arc;

use strongroom::app::App;
use strongroom::fixity::{FIXITY, FixityDue};
use strongroom::flows::FLOWS;
use strongroom::work::Sweep;

use super::{DAY, pass, write};
use crate::exercise::{Case, exercise};
use crate::harness::Rig;
use crate::ingest::site::{FOLDERS, MIXED, Place, rig_at};
use crate::ingest::{deposit_letters, tree, tree_of_server};
use crate::s3::Door;

/// What lies in the replicas, but for our corner: what is set aside is named after the moment.
fn lying(rig: &Rig<App>) -> Vec<String> {
    let mut told = tree(&rig.app().config.data.join("vault"));
    told.extend(tree_of_server(&rig.dir().join("s3")));
    told.retain(|it| !it.contains("extensions/"));
    told
}

/// Every place of the file that is to be damaged, the last replica's last.
fn places(rig: &Rig<App>) -> Vec<PathBuf> {
    let of = |root: PathBuf| {
        let found = tree(&root).into_iter().filter(|it| it.contains("v1/content/data/a.txt"));
        found.map(move |it| root.join(it.split(' ').next().unwrap())).collect::<Vec<_>>()
    };
    let mut places = of(rig.app().config.data.join("vault"));
    places.extend(of(rig.dir().join("s3")));
    places
}

fn stands(places_of: [Place; 2], harms: &[Option<&[u8]>]) {
    let topic = FIXITY.stages[0].about().topic;
    for harm in harms {
        let prepare = |flows| {
            let rig = rig_at(flows, places_of, &Arc::new(Door::default()));
            deposit_letters(&rig);
            rig.drain_all();
            let place = places(&rig).pop().unwrap();
            match harm {
                None => fs::remove_file(&place).unwrap(),
                Some(harm) => write(&place, harm),
            }
            pass(&rig, 91 * DAY);
            FixityDue.sweep(rig.app(), 10).unwrap();
            let id = rig.items().iter().find(|it| it.topic == topic).unwrap().id;
            (rig, id)
        };
        exercise(&Case {
            flows: FLOWS,
            topic,
            prepare: &prepare,
            end: &|rig, _| {
                let unsound = rig.app().registry.unsound_copies(None, 10).unwrap();
                format!("{:#?} {unsound:?}", lying(rig))
            },
        });
    }
}

#[test]
fn the_check_stands_the_exercise() {
    stands(FOLDERS, &[None, Some(b"alphA\n")]);
}

#[test]
fn the_check_stands_the_exercise_with_a_folder_and_a_bucket() {
    stands(MIXED, &[Some(b"alphA\n")]);
}
