// Where the reader is, and what is asked of the driver for it, again and again.

import { api, ApiError, token } from "./api.js";
import { el, show } from "./dom.js";
import { askForToken, wantsToken } from "./token.js";
import { jobsView } from "./views/jobs.js";
import { jobView } from "./views/job.js";

const POLL = 1_000;
const content = document.getElementById("content");
const live = document.getElementById("live");
let timer = null;
let round = 0;
let config = null;
let answered = null; // when the driver did last
let declined = false; // the reader has no token: do not ask again each second

function route() {
  const [, kind, id, tab] = location.hash.replace(/^#/, "").split("/").map(decoded);
  return kind === "jobs" && id ? jobView(id, tab || "overview") : jobsView();
}

function decoded(text) {
  try {
    return decodeURIComponent(text);
  } catch {
    return text; // a mistyped address
  }
}

let view = null;

async function refresh() {
  clearTimeout(timer);
  const mine = ++round;
  try {
    config ??= await api.config();
    document.getElementById("version").textContent = config["flott-version"] ?? "";
    const page = await view.load();
    if (mine !== round) return;
    document.title = page.title;
    show(content, page.body);
    answered = new Date();
    said("live", "live");
  } catch (error) {
    if (mine !== round) return;
    await failed(error);
  }
  if (mine !== round) return; // somebody was faster, and asks again by itself
  timer = setTimeout(refresh, document.hidden ? 10 * POLL : POLL);
}

function said(state, text) {
  live.dataset.state = state;
  if (live.textContent !== text) live.textContent = text;
}

async function failed(error) {
  if (wantsToken(error) && !declined) {
    declined = !(await askForToken());
    if (!declined) return;
  }
  if (error instanceof ApiError) {
    said("live", "live");
    show(content, el("div", { class: "hint bad", role: "alert" }, error.message), el("p", {}, el("a", { href: "#/" }, "All jobs")));
    return;
  }
  said("lost", "no answer from the driver");
  if (content.childElementCount === 0) {
    show(content, el("div", { class: "hint warn", role: "alert" }, "The driver does not answer. A job that is over takes its page with it."));
  } else if (document.getElementById("lost") === null) {
    // What is shown may be over: it can be read, but steers nothing any more.
    for (const button of content.querySelectorAll(".actions button")) button.disabled = true;
    content.prepend(el("div", { id: "lost", class: "hint warn", role: "alert" }, el("b", {}, "No answer"),
      el("span", {}, `The driver has not answered since ${answered.toLocaleTimeString()}; what follows is from then. If the job has ended, flott list --all shows how.`)));
  }
}

// Exchanges the code of a link for a token. A link that was used already may still lead to a page that has one.
async function logIn(code, id) {
  try {
    token.set((await api.login(code)).token);
  } catch (error) {
    if (!(error instanceof ApiError)) return failed(error);
  }
  location.replace(id ? `#/jobs/${encodeURIComponent(id)}` : "#/");
}

function go() {
  const [, kind, code, id] = location.hash.split("/").map(decoded);
  if (kind === "login") return logIn(code, id);
  view = route();
  refresh();
}

addEventListener("hashchange", () => {
  content.focus({ preventScroll: true });
  go();
});
addEventListener("flott-refresh", refresh);
document.querySelector(".skip").onclick = (event) => {
  event.preventDefault(); // what follows the # says which job is shown
  content.focus();
};
document.addEventListener("visibilitychange", () => document.hidden || refresh());
go();
