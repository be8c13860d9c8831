// Every subtask: its state, its watermark, what it did, and how large its state is.

import { api } from "../api.js";
import { el } from "../dom.js";
import { bytes, count, duration, lag, rate, watermark } from "../format.js";
import { against, card, pill, shares, table } from "../parts.js";

export function subtaskTable(vertex) {
  const { subtasks, now } = vertex;
  const largest = Math.max(1, ...subtasks.map((one) => one.flott["state-bytes"]));
  const most = Math.max(1, ...subtasks.map((one) => one.metrics["read-records"]));
  return table([
    { title: "Subtask", n: true, value: (one) => count(one.subtask) },
    { title: "State", value: (one) => pill(one.status) },
    { title: "Attempt", n: true, value: (one) => count(one.attempt) },
    { title: "Records in", value: (one) => against(one.metrics["read-records"], count(one.metrics["read-records"]), most) },
    { title: "in/s", n: true, value: (one) => rate(one.flott["read-records-per-second"]) },
    { title: "Records out", n: true, value: (one) => count(one.metrics["write-records"]) },
    { title: "Late", n: true, value: (one) => count(one.flott["late-records"]) },
    { title: "Watermark", n: true, value: (one) => watermark(one.flott.watermark) },
    { title: "Behind", n: true, hint: "how far event time is behind the clock", value: (one) => behind(one.flott.watermark, now) },
    { title: "Busy", value: (one) => shares(one.flott) },
    { title: "State size", value: (one) => against(one.flott["state-bytes"], bytes(one.flott["state-bytes"]), largest) },
    { title: "Where", hint: "machine, and Spark's stage and task, of the last epoch", value: place },
  ], subtasks);
}

function behind(value, now) {
  const late = lag(value, now);
  return late === null ? "–" : duration(Math.max(0, late));
}

function place(one) {
  const { spark } = one.flott;
  return [one.endpoint, spark ? `${spark.stage}/${spark.task}` : null].filter(Boolean).join(" · ") || "–";
}

export function subtasksTab(id) {
  return async (job) => {
    const vertices = await Promise.all(job.vertices.map((vertex) => api.vertex(id, vertex.id)));
    return el("div", { class: "tab" }, vertices.map((vertex) =>
      card(vertex.name, `max parallelism ${count(vertex.maxParallelism)}`, subtaskTable(vertex))));
  };
}
