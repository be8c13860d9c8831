// Pieces that several views are made of.

import { el } from "./dom.js";
import { percent } from "./format.js";

const MOODS = {
  RUNNING: "good", COMPLETED: "good", FINISHED: "calm", CREATED: "calm", SCHEDULED: "calm", DEPLOYING: "warn", INITIALIZING: "warn",
  RESTARTING: "warn", CANCELLING: "warn", CANCELING: "warn", IN_PROGRESS: "warn", FAILING: "bad", FAILED: "bad", CANCELED: "calm",
};

export const mood = (state) => MOODS[state] ?? "calm";

export const pill = (state) => el("span", { class: `pill ${mood(state)}` }, state.replaceAll("_", " ").toLowerCase());

// A row of figures: [label, value, small print].
export const facts = (...rows) =>
  el("dl", { class: "facts" }, rows.filter(Boolean).map(([label, value, small]) =>
    el("div", {}, el("dt", {}, label), el("dd", { title: String(value) }, value, small ? el("small", {}, small) : null))));

export const card = (title, more, ...body) =>
  el("section", { class: "card" }, el("header", {}, el("h2", {}, title), more ? el("div", { class: "more" }, more) : null), body);

// columns: {title, value: row => child, n: numbers to the right, wide: text that wraps}
export function table(columns, rows, attributes = () => ({})) {
  const kind = (column) => (column.n ? "n" : column.wide ? "wide" : null);
  return el("div", { class: "scroll" }, el("table", {},
    el("thead", {}, el("tr", {}, columns.map((column) => el("th", { class: kind(column), scope: "col", title: column.hint }, column.title)))),
    el("tbody", {}, rows.map((row) => el("tr", attributes(row), columns.map((column) => el("td", { class: kind(column) }, column.value(row))))))));
}

const width = (share) => ({ style: { width: `${Math.max(0, Math.min(1, share ?? 0)) * 100}%` } });

// How a subtask's time is divided.
export const shares = (flott) =>
  el("div", { class: "share", title: `busy ${percent(flott["busy-ratio"])}, back-pressured ${percent(flott["backpressured-ratio"])}` },
    el("span", { class: "text" }, percent(flott["busy-ratio"])),
    el("span", { class: "meter" },
      el("i", { class: "busy", ...width(flott["busy-ratio"]) }), el("i", { class: "waiting", ...width(flott["backpressured-ratio"]) })));

// A value with a bar beside it, against the largest of its kind.
export const against = (value, text, largest) =>
  el("div", { class: "share" }, el("span", { class: "meter" }, el("i", { class: "plain", ...width(largest > 0 ? value / largest : 0) })),
    el("span", {}, text));

export const shareKeys = () => [
  el("span", { class: "key busy" }, "busy"), el("span", { class: "key waiting" }, "back-pressured"), el("span", { class: "key" }, "idle")];
