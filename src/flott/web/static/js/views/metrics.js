// All metrics of the job, or of a vertex, those of user functions too; found by a part of their name.

import { api } from "../api.js";
import { el } from "../dom.js";
import { card, table } from "../parts.js";

const MOST = 150;
const ID = /\b([0-9a-f]{6})[0-9a-f]{26}\b/g; // of operators; whole in the tooltip
const again = () => dispatchEvent(new Event("flott-refresh"));

const COLUMNS = [
  { title: "Metric", wide: true, value: (one) => el("span", { class: "mono", title: one.id }, one.id.replace(ID, "$1…")) },
  { title: "Value", n: true, value: (one) => el("span", { class: "mono", title: one.value }, short(one.value)) },
];

// 123.456789 is 123.46; what is no such number stays as it is.
const short = (text) => (/^-?\d+\.\d{3,}$/.test(text) ? Number(text).toFixed(2) : text);

export function metricsTab(id) {
  let vertex = null;
  let part = "";
  return async (job) => {
    const names = (await api.metricNames(id, vertex)).map((one) => one.id).filter((name) => name.toLowerCase().includes(part.toLowerCase()));
    const shown = names.slice(0, MOST);
    const values = shown.length === 0 ? [] : await api.metrics(id, vertex, shown);
    const choose = (value) => {
      vertex = value === "" ? null : value;
      again();
    };
    const option = (value, text) => el("button", {
      type: "button", class: "quiet", "aria-pressed": String((vertex ?? "") === value), onclick: () => choose(value) }, text);
    return el("div", { class: "tab" },
      el("div", { class: "choices", role: "group", "aria-label": "Whose metrics" },
        option("", "Job"), job.vertices.map((one) => option(one.id, one.name))),
      card(`${names.length} metrics`, el("input", { class: "find", id: "find", type: "search", placeholder: "find by name", "aria-label": "Find metrics by name", value: part, oninput: (event) => {
        part = event.target.value;
        again();
      } }), table(COLUMNS, values)));
  };
}
