// The graph, the vertices in figures, and the subtasks of the one that was picked.

import { api } from "../api.js";
import { el } from "../dom.js";
import { bytes, count, factor, rate, watermark } from "../format.js";
import { graph } from "../graph.js";
import { card, pill, shareKeys, shares, table } from "../parts.js";
import { subtaskTable } from "./subtasks.js";

const again = () => dispatchEvent(new Event("flott-refresh"));

const COLUMNS = [
  { title: "Vertex", wide: true, value: (vertex) => vertex.name },
  { title: "State", value: (vertex) => pill(vertex.status) },
  { title: "Parallelism", n: true, value: (vertex) => count(vertex.parallelism) },
  { title: "Records in", n: true, value: (vertex) => count(vertex.metrics["read-records"]) },
  { title: "in/s", n: true, value: (vertex) => rate(vertex.flott["read-records-per-second"]) },
  { title: "Records out", n: true, value: (vertex) => count(vertex.metrics["write-records"]) },
  { title: "out/s", n: true, value: (vertex) => rate(vertex.flott["write-records-per-second"]) },
  { title: "Late", n: true, hint: "records dropped because they came too late", value: (vertex) => count(vertex.flott["late-records"]) },
  { title: "Watermark", n: true, value: (vertex) => watermark(vertex.flott.watermark) },
  { title: "Busy", value: (vertex) => shares(vertex.flott) },
  { title: "Skew", n: true, hint: "what the busiest subtask reads over the average", value: (vertex) => factor(vertex.flott.skew) },
  { title: "State", n: true, value: (vertex) => bytes(vertex.flott["state-bytes"]) },
];

export function overviewTab(id) {
  let selected = null;
  const select = (vertex) => {
    selected = selected === vertex ? null : vertex;
    again();
  };
  return async (job) => {
    const picked = job.vertices.find((vertex) => vertex.id === selected);
    const [epochs, details] = await Promise.all([api.epochs(id), picked ? api.vertex(id, picked.id) : null]);
    return el("div", { class: "tab" },
      banner(job),
      el("section", { class: "card" },
        el("header", {}, el("h2", {}, "Job graph"), el("div", { class: "more" }, shareKeys())),
        el("div", { class: "graph-ground" }, graph(job, { bottleneck: epochs.bottleneck, selected, select }))),
      details ? card(`Subtasks of ${picked.name}`, null, subtaskTable(details)) : null,
      card("Vertices", null, table(COLUMNS, job.vertices, (vertex) => ({
        class: "pick", "aria-selected": String(vertex.id === selected), tabindex: "0", onclick: () => select(vertex.id),
        onkeydown: (event) => event.key === "Enter" && select(vertex.id) }))));
  };
}

const KINDS = { good: "hint", warn: "hint warn", bad: "hint bad" };

function banner({ state, flott: { condition } }) {
  const title = state === "RUNNING" ? "Hint" : state.charAt(0) + state.slice(1).toLowerCase();
  return el("div", { class: KINDS[condition.mood], role: condition.mood === "bad" ? "alert" : "status" },
    el("b", {}, title), el("span", {}, condition.text));
}
