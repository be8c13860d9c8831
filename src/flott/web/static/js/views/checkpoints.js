// Checkpoints: counts, the latest, a history with what each operator wrote, and a summary.

import { api } from "../api.js";
import { el } from "../dom.js";
import { bytes, count, duration, time } from "../format.js";
import { card, facts, pill, table } from "../parts.js";

const NEVER = 9e18;
const again = () => dispatchEvent(new Event("flott-refresh"));

const HISTORY = [
  { title: "Id", n: true, value: (one) => count(one.id) },
  { title: "State", value: (one) => pill(one.status) },
  { title: "Kind", value: (one) => (one.is_savepoint ? "savepoint" : "checkpoint") },
  { title: "Triggered", value: (one) => time(one.trigger_timestamp) },
  { title: "Duration", n: true, value: (one) => duration(one.end_to_end_duration) },
  { title: "Written", n: true, hint: "bytes written for it", value: (one) => bytes(one.checkpointed_size) },
  { title: "Full size", n: true, hint: "bytes that it stands on", value: (one) => bytes(one.state_size) },
  { title: "Acknowledged", n: true, value: (one) => `${count(one.num_acknowledged_subtasks)}/${count(one.num_subtasks)}` },
  { title: "Where, or why not", wide: true, value: (one) => el("span", { class: "mono" }, one.external_path ?? one.failure_message ?? "") },
];

const SUMMARY = [
  { title: "", value: ([title]) => title },
  ...["min", "avg", "p50", "p90", "p99", "max"].map((what) => ({ title: what, n: true, value: ([, values, write]) => write(values[what]) })),
];

export function checkpointsTab(id) {
  let selected = null;
  const select = (number) => {
    selected = selected === number ? null : number;
    again();
  };
  return async (job) => {
    const [told, config] = await Promise.all([api.checkpoints(id), api.checkpointConfig(id)]);
    const picked = told.history.find((one) => one.id === selected);
    const details = picked ? await api.checkpoint(id, picked.id) : null;
    const { counts, latest, summary } = told;
    return el("div", { class: "tab" },
      facts(["Completed", count(counts.completed)], ["In progress", count(counts.in_progress)], ["Failed", count(counts.failed)],
        ["Restored", count(counts.restored), latest.restored ? `from ${latest.restored.id}` : null],
        ["Last took", duration(latest.completed?.end_to_end_duration)], ["Last size", bytes(latest.completed?.state_size)],
        ["Interval", config.interval >= NEVER ? "off" : duration(config.interval)]),
      card("History", "pick one to see its operators", told.history.length === 0
        ? el("p", { class: "empty" }, config.interval >= NEVER ? "Checkpoints are off: set execution.checkpointing.interval." : "None so far.")
        : table(HISTORY, told.history, (one) => ({
          class: "pick", "aria-selected": String(one.id === selected), tabindex: "0", onclick: () => select(one.id),
          onkeydown: (event) => event.key === "Enter" && select(one.id) }))),
      details ? card(`${details.is_savepoint ? "Savepoint" : "Checkpoint"} ${details.id} by operator`, null, table(operators(job), Object.entries(details.tasks))) : null,
      summary?.end_to_end_duration ? card("Summary of the completed", null, table(SUMMARY, [
        ["Duration", summary.end_to_end_duration, duration], ["Written", summary.checkpointed_size, bytes], ["Full size", summary.state_size, bytes]])) : null,
      card("Settings", null, table([{ title: "Setting", value: ([key]) => key }, { title: "Value", wide: true, value: ([, value]) => el("span", { class: "mono" }, value) }], settings(config))));
  };
}

function operators(job) {
  const names = new Map(job.vertices.map((vertex) => [vertex.id, vertex.name]));
  return [
    { title: "Vertex", wide: true, value: ([vertex]) => names.get(vertex) ?? vertex },
    { title: "Acknowledged", n: true, value: ([, one]) => `${count(one.num_acknowledged_subtasks)}/${count(one.num_subtasks)}` },
    { title: "Latest at", value: ([, one]) => time(one.latest_ack_timestamp) },
    { title: "Duration", n: true, value: ([, one]) => duration(one.end_to_end_duration) },
    { title: "Written", n: true, value: ([, one]) => bytes(one.checkpointed_size) },
    { title: "Full size", n: true, value: ([, one]) => bytes(one.state_size) },
  ];
}

function settings(config) {
  const kept = config.externalization?.enabled ? (config.externalization.delete_on_cancellation ? "until the job is cancelled" : "always") : "no";
  return [
    ["Mode", config.mode], ["Timeout", duration(config.timeout)], ["Pause between two", duration(config.min_pause)],
    ["At the same time", count(config.max_concurrent)], ["Failures that are tolerated", count(config.tolerable_failed_checkpoints)],
    ["Kept after the job", kept], ["Directory", config.directory ?? "–"], ["Savepoints go to", config.savepoint_directory ?? "–"],
  ];
}
