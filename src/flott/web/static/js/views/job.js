// One job: what stands above all its tabs, and the tab.

import { api } from "../api.js";
import { el } from "../dom.js";
import { bytes, count, duration, lag, rate, time, watermark } from "../format.js";
import { facts, pill } from "../parts.js";
import { cancelJob, stopJob, takeSavepoint } from "../steer.js";
import { checkpointsTab } from "./checkpoints.js";
import { configTab } from "./config.js";
import { epochsTab } from "./epochs.js";
import { exceptionsTab } from "./exceptions.js";
import { metricsTab } from "./metrics.js";
import { overviewTab } from "./overview.js";
import { subtasksTab } from "./subtasks.js";

const TABS = [
  ["overview", "Overview", overviewTab],
  ["epochs", "Epochs", epochsTab],
  ["subtasks", "Subtasks", subtasksTab],
  ["checkpoints", "Checkpoints", checkpointsTab],
  ["exceptions", "Exceptions", exceptionsTab],
  ["metrics", "Metrics", metricsTab],
  ["configuration", "Configuration", configTab],
];
const LONG = 5_000; // milliseconds: then the running epoch is shown
const OVER = new Set(["FINISHED", "CANCELED", "FAILED"]);

export function jobView(id, tab) {
  const make = (TABS.find(([name]) => name === tab) ?? TABS[0])[2];
  const part = make(id);
  return {
    async load() {
      const [job, exceptions] = await Promise.all([api.job(id), api.exceptions(id)]);
      const failures = exceptions.exceptionHistory.entries;
      const body = await part(job, failures);
      return { title: `${job.name} · Flott`, body: [head(job), headline(job), tabs(id, tab, failures.length), body] };
    },
  };
}

function head(job) {
  const over = OVER.has(job.state) || job.state === "CANCELLING";
  const button = (text, kind, action, allowed = true) =>
    el("button", { type: "button", id: `do-${kind}`, class: kind === "cancel" ? "danger" : null, disabled: over || !allowed, onclick: () => action(job.jid) }, text);
  return el("div", { class: "head" },
    el("div", {},
      el("nav", { class: "crumbs", "aria-label": "Breadcrumb" }, el("a", { href: "#/" }, "Jobs")),
      el("div", { class: "title" }, el("h1", {}, job.name), pill(job.state)),
      el("div", { class: "sub" }, el("span", { class: "mono" }, job.jid))),
    el("div", { class: "actions" },
      button("Savepoint", "savepoint", takeSavepoint), button("Stop", "stop", stopJob, job.isStoppable), button("Cancel", "cancel", cancelJob)));
}

function headline(job) {
  const behind = lag(job.flott.watermark, job.now);
  return facts(
    ["Running for", duration(job.duration), `since ${time(job["start-time"])}`],
    ["Records read", rate(job.flott["read-records-per-second"]), input(job)],
    ["Epoch", count(job.flott.epoch), running(job)],
    ["Watermark", watermark(job.flott.watermark), behind === null ? null : `${duration(Math.max(0, behind))} behind`],
    ["State", bytes(job.vertices.reduce((sum, vertex) => sum + vertex.flott["state-bytes"], 0))],
    ["Restarts", count(job.flott.restarts)]);
}

// Whether a job keeps up is only known of one that works.
function input(job) {
  if (job.flott.backlog) return "more waiting";
  return job.state === "RUNNING" && job.flott.condition.mood === "good" && job.flott.epoch > 0 ? "keeps up" : null;
}

function running(job) {
  const current = job.flott["current-epoch"];
  const millis = current === null ? 0 : job.now - current["start-time"];
  return millis < LONG ? null : `${count(current.epoch)} for ${duration(millis)}`;
}

function tabs(id, current, failures) {
  return el("nav", { class: "tabs", "aria-label": "Parts of the job" }, TABS.map(([name, title]) =>
    el("a", { href: `#/jobs/${encodeURIComponent(id)}/${name}`, "aria-current": name === current ? "page" : null },
      title, name === "exceptions" && failures > 0 ? el("span", { class: "count" }, String(failures)) : null)));
}
