//! Words side by side: the arithmetic that the compression functions are written in.

use std::ops::{Add, BitAnd, BitOr, BitXor, Not};

use crate::state::Word;

/// One word of each of `LANES` streams. Sums wrap.
///
/// A vector exists only where the processor has the instructions for it: it is made from a `Cpu`,
/// which only detection gives out. That is why its operations are safe.
pub(super) trait Vector<const LANES: usize>:
    Copy
    + Add<Output = Self>
    + BitAnd<Output = Self>
    + BitOr<Output = Self>
    + BitXor<Output = Self>
    + Not<Output = Self>
{
    type Word: Word;
    /// Proof that the processor can do this.
    type Cpu: Copy;

    fn splat(cpu: Self::Cpu, word: Self::Word) -> Self;
    fn load(cpu: Self::Cpu, words: &[Self::Word; LANES]) -> Self;
    fn store(self, words: &mut [Self::Word; LANES]);

    /// The sixteen words of the block that starts `at` bytes into each lane, in the byte order of
    /// x86.
    fn block(cpu: Self::Cpu, lanes: &[&[u8]; LANES], at: usize) -> [Self; 16];

    /// The same words in the other byte order.
    fn swap_bytes(self) -> Self;

    fn rotate_left(self, bits: u32) -> Self;
    fn rotate_right(self, bits: u32) -> Self;
    fn shift_right(self, bits: u32) -> Self;

    /// Bits of `one` where this has ones, bits of `zero` where it has zeros.
    #[inline(always)]
    fn choose(self, one: Self, zero: Self) -> Self {
        zero ^ (self & (one ^ zero))
    }

    /// The bits that two of the three agree on.
    #[inline(always)]
    fn majority(self, second: Self, third: Self) -> Self {
        (self & second) | (third & (self | second))
    }
}

/// A compression function, the same for any number of streams at once.
pub(super) trait Compression {
    type Word: Word;
    const BLOCK_LEN: usize = 16 * size_of::<Self::Word>();
    const BIG_ENDIAN: bool;

    fn compress<V, const LANES: usize>(cpu: V::Cpu, state: &mut [V; 8], block: [V; 16])
    where
        V: Vector<LANES, Word = Self::Word>;
}

/// Takes `blocks` blocks from each lane into the states, which lie word by word.
///
/// Must be inlined into a function that enables the instructions `V` is made of; otherwise each
/// of its operations would be a call. For the same reason there are plain loops here instead of
/// `map`, whose closures stay outside.
#[inline(always)]
pub(super) fn compress_blocks<C, V, const LANES: usize>(
    cpu: V::Cpu,
    states: &mut [[C::Word; LANES]; 8],
    lanes: &[&[u8]; LANES],
    blocks: usize,
) where
    C: Compression,
    V: Vector<LANES, Word = C::Word>,
{
    let mut state = [V::load(cpu, &states[0]); 8];
    for (vector, words) in state.iter_mut().zip(states.iter()) {
        *vector = V::load(cpu, words);
    }
    for at in (0..blocks).map(|block| block * C::BLOCK_LEN) {
        let mut block = V::block(cpu, lanes, at);
        if C::BIG_ENDIAN {
            for words in &mut block {
                *words = words.swap_bytes();
            }
        }
        C::compress(cpu, &mut state, block);
    }
    for (words, vector) in states.iter_mut().zip(state) {
        vector.store(words);
    }
}

/// A loop that is written out: its counter is a constant in every turn, so that words are found in
/// registers and turns need no variable. The optimiser alone does not do it for bodies this long.
macro_rules! unrolled {
    ($i:ident in [$($value:literal)*] $body:block) => {
        $({
            let $i: usize = $value;
            $body
        })*
    };
}
pub(super) use unrolled;

/// The operators of a vector type, each one instruction (`Not` is one with a constant).
macro_rules! operators {
    ($vector:ident, $add:ident, $and:ident, $or:ident, $xor:ident, $splat:ident) => {
        super::vector::operators!(@binary $vector, Add::add, $add);
        super::vector::operators!(@binary $vector, BitAnd::bitand, $and);
        super::vector::operators!(@binary $vector, BitOr::bitor, $or);
        super::vector::operators!(@binary $vector, BitXor::bitxor, $xor);
        impl Not for $vector {
            type Output = $vector;
            #[inline(always)]
            fn not(self) -> $vector {
                // SAFETY: a vector exists only where its instructions were detected.
                $vector(unsafe { $xor(self.0, $splat(-1)) })
            }
        }
    };
    (@binary $vector:ident, $operator:ident::$method:ident, $instruction:ident) => {
        impl $operator for $vector {
            type Output = $vector;
            #[inline(always)]
            fn $method(self, other: $vector) -> $vector {
                // SAFETY: a vector exists only where its instructions were detected.
                $vector(unsafe { $instruction(self.0, other.0) })
            }
        }
    };
}
pub(super) use operators;
