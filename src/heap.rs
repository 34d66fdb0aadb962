//! Keeps the heap in one piece, and gives back what is free.
//!
//! The C library gives each thread that allocates an arena of its own and returns none of them to
//! the system while a single block in it lives. Ingest has dozens of threads that allocate in turn:
//! a bag of 300,000 files held 690 MiB in arenas, and holds under 200 in one. Waiting for one lock
//! is not measurable beside that.
//!
//! It also keeps what was freed in the middle of the heap. After a load, that is most of it, and the
//! system gets it back only when it is asked to take it.

/// Asks for one arena. Called before there is a second thread.
#[cfg(all(target_os = "linux", target_env = "gnu"))]
pub fn keep_together() {
    // SAFETY: it takes two numbers, and changes how memory is handed out from now on.
    #[expect(unsafe_code, reason = "the C library has no other way to be asked")]
    unsafe {
        libc::mallopt(libc::M_ARENA_MAX, 1);
    }
}

/// Gives free pages back to the system, those in the middle of the heap as well. Takes some
/// milliseconds when there are many.
#[cfg(all(target_os = "linux", target_env = "gnu"))]
pub fn give_back() {
    // SAFETY: it takes a number, and only free memory is touched.
    #[expect(unsafe_code, reason = "the C library has no other way to be asked")]
    unsafe {
        libc::malloc_trim(0);
    }
}

/// Other C libraries do so by themselves, or not at all.
#[cfg(not(all(target_os = "linux", target_env = "gnu")))]
pub fn give_back() {}

/// Other C libraries have no arenas of this kind.
#[cfg(not(all(target_os = "linux", target_env = "gnu")))]
pub fn keep_together() {}
