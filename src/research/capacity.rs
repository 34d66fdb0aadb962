//! Whether more work is to be put on offer.

/// Whether one more piece of work may be made: while there are fewer unfinished ones, on offer or
/// in the hands of researchers who are present, than researchers and some to spare.
///
/// The design note counts a position, researchers less pending work, and adds while it is not below
/// zero: that is one to spare. With nobody there, one is made and waits for the first to come.
pub fn has_room(researchers: usize, unfinished: usize, spare: u32) -> bool {
    let spare = usize::try_from(spare).unwrap_or(usize::MAX);
    unfinished < researchers.saturating_add(spare)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_examples_of_the_note() {
        let one_spare = |researchers, pending| has_room(researchers, pending, 1);
        assert!(!one_spare(3, 4), "three researchers, four items: position -1");
        assert!(one_spare(1, 1), "one and one: position 0");
        assert!(one_spare(5, 2), "five and two: position 3");
        assert!(one_spare(0, 0), "nobody and nothing: one is made");
        assert!(!one_spare(0, 1) && !one_spare(0, 7), "nobody, and work waits");
    }

    #[test]
    fn it_comes_to_rest_one_beyond_the_researchers() {
        for (researchers, spare, rest) in [(0, 1, 1), (4, 1, 5), (4, 0, 4), (4, 3, 7), (0, 0, 0)] {
            let made = (0..100).find(|made| !has_room(researchers, *made, spare));
            assert_eq!(made, Some(rest), "{researchers} researchers, {spare} to spare");
        }
    }
}
