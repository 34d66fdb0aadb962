// Sends the chosen file with a bar that shows how far it is. Without this the form is sent as it
// stands, and the browser shows what it shows.

const form = document.getElementById("upload");
const bar = document.getElementById("upload-bar");
const words = bar?.parentElement.querySelector(".progress-words");
const sending = document.getElementById("sending");
const cancel = document.getElementById("upload-cancel");
const said = document.getElementById("upload-said");
const trouble = document.getElementById("upload-trouble");
const UNITS = ["kB", "MB", "GB", "TB", "PB", "EB"];

let request = null;
let spoken = 0;

// The same ladder as human_size in parts/figures.rs.
function size(bytes) {
  if (bytes < 1000) return `${bytes} ${bytes === 1 ? "byte" : "bytes"}`;
  let unit = 1000;
  for (const name of UNITS) {
    const tenths = Math.floor((bytes * 10 + unit / 2) / unit);
    if (tenths < 10000) return `${(tenths / 10).toFixed(1)} ${name}`;
    unit *= 1000;
  }
  return `${bytes} bytes`;
}

function tell(tone, text) {
  const note = document.createElement("p");
  note.className = `notice ${tone}`;
  note.textContent = text;
  trouble.replaceChildren(note);
}

const complain = (text) => tell("bad", text);

function show(done, total) {
  bar.max = Math.max(total, 1);
  bar.value = done;
  words.textContent = `${size(done)} of ${size(total)} sent`;
  // Every tenth is spoken, not every byte.
  const tenth = Math.floor((done * 10) / Math.max(total, 1));
  if (tenth === spoken) return;
  spoken = tenth;
  said.textContent = tenth < 10 ? `${tenth * 10} percent sent` : "All is sent, it is being stored";
}

function end() {
  request = null;
  sending.hidden = true;
  form.querySelectorAll("button, input, select").forEach((it) => (it.disabled = false));
}

// What a refusal says, in its own words.
function refusal(text, status) {
  try {
    const { detail, next } = JSON.parse(text);
    return `${detail} ${next}`.trim();
  } catch {
    return `That did not work: the answer was ${status}. Nothing was kept.`;
  }
}

function send(file, address) {
  request = new XMLHttpRequest();
  request.open("PUT", address);
  request.setRequestHeader("X-CSRF-Token", form.elements.csrf?.value ?? "");
  request.upload.addEventListener("progress", (event) => show(event.loaded, file.size));
  request.addEventListener("load", () => {
    const { status, responseText } = request;
    end();
    if (status === 201) location.assign(JSON.parse(responseText).page);
    else complain(refusal(responseText, status));
  });
  request.addEventListener("error", () => {
    end();
    complain("The connection was cut. Nothing was kept; send it again.");
  });
  request.addEventListener("abort", () => {
    end();
    said.textContent = "";
    tell("calm", "The upload is cancelled. Nothing was kept.");
    document.getElementById("send").focus();
  });
  request.send(file);
}

async function begin(file) {
  const institution = new FormData(form).get("institution");
  const address = `/api/v1/deposits/${encodeURIComponent(institution)}/${encodeURIComponent(file.name)}`;
  trouble.replaceChildren();
  spoken = 0;
  form.querySelectorAll("button, input, select").forEach((it) => (it.disabled = true));
  try {
    // Asked first, so that nobody sends for an hour what is then refused.
    const answer = await fetch(`${address}/check?size_bytes=${file.size}`);
    if (!answer.ok) {
      end();
      return complain(refusal(await answer.text(), answer.status));
    }
  } catch {
    end();
    return complain("The appliance does not answer. Nothing was sent; try again.");
  }
  sending.hidden = false;
  show(0, file.size);
  said.textContent = `Sending ${file.name}, ${size(file.size)}`;
  cancel.focus();
  send(file, address);
}

form?.addEventListener("submit", (event) => {
  const [file] = document.getElementById("file").files;
  if (!file) return;
  event.preventDefault();
  if (!request) begin(file);
});

cancel?.addEventListener("click", () => request?.abort());

window.addEventListener("beforeunload", (event) => {
  if (request) event.preventDefault();
});
