// Links that play from a moment seek in the player of the page. Without this script they open the
// recording by itself, at that moment.

const player = document.getElementById("player");

function play(seconds) {
  const go = () => {
    player.currentTime = seconds;
    // A browser may refuse to begin; the controls are there all the same.
    player.play().catch(() => {});
  };
  if (player.readyState >= HTMLMediaElement.HAVE_METADATA) {
    go();
    return;
  }
  player.addEventListener("loadedmetadata", go, { once: true });
  player.preload = "metadata";
  player.load();
}

if (player) {
  document.addEventListener("click", (event) => {
    const link = event.target.closest("a[data-seek]");
    // Another window or a download is the reader's own choice.
    if (!link || event.ctrlKey || event.metaKey || event.shiftKey || event.button) return;
    event.preventDefault();
    play(Number(link.dataset.seek));
  });
}
