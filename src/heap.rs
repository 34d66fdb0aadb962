//! Keeps the heap in one piece.
//!
//! The C library gives each thread that allocates an arena of its own and returns none of them to
//! the system while a single block in it lives. Ingest has dozens of threads that allocate in turn:
//! a bag of 300,000 files held 690 MiB in arenas, and holds under 200 in one. Waiting for one lock
//! is not measurable beside that.

/// Asks for one arena. Called before there is a second thread.
#[cfg(all(target_os = "linux", target_env = "gnu"))]
pub fn keep_together() {
    // SAFETY: it takes two numbers, and changes how memory is handed out from now on.
    #[expect(unsafe_code, reason = "the C library has no other way to be asked")]
    unsafe {
        libc::mallopt(libc::M_ARENA_MAX, 1);
    }
}

/// Other C libraries have no arenas of this kind.
#[cfg(not(all(target_os = "linux", target_env = "gnu")))]
pub fn keep_together() {}
