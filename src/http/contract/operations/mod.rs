//! What the API offers, one line for each operation, in a file for each part of the house. A test
//! compares them with the table of doors.

mod assessing;
mod coming_and_going;
mod held;
mod keeping;
mod people;
mod reports;
mod research;
mod work;

use super::operation::Operation;

/// All of them.
pub(super) fn operations() -> Vec<Operation> {
    let mut all = work::operations();
    all.extend(held::operations());
    all.extend(keeping::operations());
    all.extend(coming_and_going::operations());
    all.extend(assessing::operations());
    all.extend(people::operations());
    all.extend(reports::operations());
    all.extend(research::operations());
    all
}
