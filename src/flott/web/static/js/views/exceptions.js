// What went wrong, newest first.

import { el } from "../dom.js";
import { time } from "../format.js";
import { card } from "../parts.js";

export function exceptionsTab() {
  return async (job, failures) => {
    if (failures.length === 0) return card("Exceptions", null, el("p", { class: "empty" }, "Nothing has gone wrong."));
    return card("Exceptions", "newest first", failures.map(failure));
  };
}

const failure = (one) =>
  el("article", { class: "failure", id: `failure-${one.timestamp}` },
    el("div", { class: "cause" }, one.rootCause ?? one.exceptionName),
    el("div", { class: "faint" }, [time(one.timestamp), one.exceptionName, one.taskName, one.endpoint].filter(Boolean).join(" · ")),
    el("details", {}, el("summary", {}, "Stack trace"), el("pre", { tabindex: "0" }, one.stacktrace)));
