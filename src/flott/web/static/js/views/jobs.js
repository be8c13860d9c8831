// All jobs of this driver.

import { api } from "../api.js";
import { el } from "../dom.js";
import { count, duration, time } from "../format.js";
import { card, pill, table } from "../parts.js";

const COLUMNS = [
  { title: "Job", wide: true, value: (job) => el("a", { href: `#/jobs/${encodeURIComponent(job.jid)}` }, job.name) },
  { title: "State", value: (job) => pill(job.state) },
  { title: "How it is", wide: true, value: (job) => job.flott.condition.text },
  { title: "Started", value: (job) => time(job["start-time"]) },
  { title: "Duration", n: true, value: (job) => duration(job.duration) },
  { title: "Subtasks", n: true, value: (job) => count(job.tasks.total) },
  { title: "Running", n: true, value: (job) => count(job.tasks.running) },
  { title: "Id", value: (job) => el("span", { class: "mono faint" }, job.jid) },
];

export function jobsView() {
  return {
    async load() {
      const { jobs } = await api.jobs();
      const body = jobs.length === 0 ? el("p", { class: "empty" }, "No job runs in this driver.") : table(COLUMNS, jobs);
      return { title: "Flott", body: [el("h1", {}, "Jobs"), card(jobs.length === 1 ? "1 job" : `${jobs.length} jobs`, null, body)] };
    },
  };
}
