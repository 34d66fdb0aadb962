//! `strongroom bag`: judge bags and make them.

use clap::Subcommand;

use super::{Outcome, bag_create, bag_validate};

#[derive(Subcommand)]
#[command(after_help = "Examples:\n  strongroom bag validate deposits/*.tar\n  \
    strongroom bag validate letters --profile aptrust --json\n  \
    strongroom bag create letters --output letters.tar --tag Source-Organization='County Archive'")]
pub(super) enum Bag {
    /// Say whether bags are valid, and everything that is wrong with them
    Validate(bag_validate::Validate),
    /// Make a bag from a folder
    Create(bag_create::Create),
}

impl Bag {
    pub(super) fn run(self) -> Outcome {
        match self {
            Bag::Validate(validate) => validate.run(),
            Bag::Create(create) => create.run(),
        }
    }
}
