// What the job was set up with.

import { api } from "../api.js";
import { el } from "../dom.js";
import { card, table } from "../parts.js";

const COLUMNS = [
  { title: "Key", value: ([key]) => el("span", { class: "mono" }, key) },
  { title: "Value", wide: true, value: ([, value]) => el("span", { class: "mono" }, String(value)) },
];

export function configTab(id) {
  let told = null; // it does not change while the job runs
  return async () => {
    told ??= await api.jobConfig(id);
    const execution = told["execution-config"];
    const { "user-config": user, ...rest } = execution;
    const set = told.configuration.map(({ key, value }) => [key, value]);
    const none = (text) => el("p", { class: "empty" }, text);
    return el("div", { class: "tab" },
      card("Set for this job", null, set.length === 0 ? none("Nothing: all settings have their defaults.") : table(COLUMNS, set)),
      card("Execution", null, table(COLUMNS, Object.entries(rest))),
      Object.keys(user ?? {}).length > 0 ? card("Job parameters", null, table(COLUMNS, Object.entries(user))) : null);
  };
}
