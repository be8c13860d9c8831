// The timeline of epochs, and one of them in detail.

import { api } from "../api.js";
import { el } from "../dom.js";
import { count, duration, time, watermark } from "../format.js";
import { card, table } from "../parts.js";
import { phaseKeys, PHASES, timeline } from "../timeline.js";

const again = () => dispatchEvent(new Event("flott-refresh"));

const EPOCHS = [
  { title: "Epoch", n: true, value: (epoch) => count(epoch.epoch) },
  { title: "Started", value: (epoch) => time(epoch["start-time"]) },
  { title: "Duration", n: true, value: (epoch) => duration(epoch.duration) },
  ...PHASES.map(([phase, label]) => ({ title: label, n: true, value: (epoch) => duration(epoch.phases[phase]) })),
  { title: "Records in", n: true, value: (epoch) => count(epoch["read-records"]) },
  { title: "Try", n: true, value: (epoch) => count(epoch.attempt) },
  { title: "Checkpoint", n: true, value: (epoch) => (epoch.checkpoint === null ? "" : count(epoch.checkpoint)) },
  { title: "Backlog", value: (epoch) => (epoch.backlog ? "yes" : "") },
];

export function epochsTab(id) {
  let selected = null;
  const select = (epoch) => {
    selected = selected === epoch ? null : epoch;
    again();
  };
  return async (job) => {
    const told = await api.epochs(id);
    if (told.epochs.length === 0) return card("Epochs", null, el("p", { class: "empty" }, "No epoch has run yet."));
    const names = new Map(job.vertices.map((vertex) => [vertex.id, vertex.name]));
    const picked = told.epochs.find((epoch) => epoch.epoch === selected);
    return el("div", { class: "tab" },
      el("div", { class: told.bottleneck === null ? "hint" : "hint warn", role: "status" }, el("b", {}, "Hint"), el("span", {}, told.hint)),
      card("Timeline", phaseKeys(), el("div", { class: "body" }, timeline(told, { selected, select }))),
      picked ? card(`Epoch ${picked.epoch}`, "times are of the slowest subtask", table(vertexColumns(names), picked.vertices)) : null,
      card("Epochs", current(told), table(EPOCHS, told.epochs.slice(0, 20), (epoch) => ({
        class: "pick", "aria-selected": String(epoch.epoch === selected), tabindex: "0", onclick: () => select(epoch.epoch),
        onkeydown: (event) => event.key === "Enter" && select(epoch.epoch) }))));
  };
}

function current({ current: now, target, "buffer-timeout": timeout }) {
  return `${now === null ? "waiting for input" : `epoch ${now.epoch} runs${now.attempt > 1 ? `, try ${now.attempt}` : ""}`} · target ${duration(target)} · latency target ${duration(timeout)}`;
}

const vertexColumns = (names) => [
  { title: "Vertex", wide: true, value: (vertex) => names.get(vertex.id) ?? vertex.id },
  { title: "Records in", n: true, value: (vertex) => count(vertex["read-records"]) },
  { title: "Records out", n: true, value: (vertex) => count(vertex["write-records"]) },
  { title: "Read", n: true, value: (vertex) => duration(vertex.read) },
  { title: "Compute", n: true, value: (vertex) => duration(vertex.compute) },
  { title: "State", n: true, value: (vertex) => duration(vertex.state) },
  { title: "Slowest", n: true, hint: "the subtask that took longest", value: (vertex) => count(vertex.busiest) },
  { title: "Watermark", n: true, value: (vertex) => watermark(vertex.watermark) },
];
