// The last epochs as bars, each divided into what the time went for.

import { el, press, svg } from "./dom.js";
import { duration } from "./format.js";

export const PHASES = [
  ["plan", "plan", "the driver decides what is read"],
  ["schedule", "schedule", "Spark plans, starts and connects tasks"],
  ["read", "read", "tasks fetch and unpack their input"],
  ["compute", "compute", "operators and your functions work"],
  ["state", "state", "state is brought up and written down"],
  ["commit", "commit", "the driver makes the epoch count"],
];

const WIDTH = 1200;
const HEIGHT = 240;
const LEFT = 56;
const BOTTOM = 24;
const TOP = 12;
const BARS = 60;

export const phaseKeys = () => PHASES.map(([phase, label, hint]) => el("span", { class: `key ${phase}`, title: hint }, label));

// epochs come newest first and are drawn oldest first
export function timeline({ epochs, target }, { selected, select }) {
  const shown = epochs.slice(0, BARS).reverse();
  const [step, top] = scale(tallest(shown.map((epoch) => epoch.duration)));
  const y = (millis) => TOP + (HEIGHT - TOP - BOTTOM) * (1 - Math.min(millis, top) / top);
  const wide = (WIDTH - LEFT) / BARS;
  const ticks = Array.from({ length: Math.round(top / step) + 1 }, (_, place) => place * step);
  return svg("svg", { class: "timeline", viewBox: `0 0 ${WIDTH} ${HEIGHT}`, role: "group", "aria-label": "Timeline of epochs" },
    ticks.map((tick) => [
      svg("line", { class: "grid", x1: LEFT, x2: WIDTH, y1: y(tick), y2: y(tick) }),
      svg("text", { x: LEFT - 8, y: y(tick) + 4, "text-anchor": "end" }, tick === 0 ? "0" : duration(tick))]),
    shown.map((epoch, place) => bar(epoch, LEFT + place * wide, wide, y, top, { selected: epoch.epoch === selected, select, named: epoch.epoch % 10 === 0 })),
    target <= top ? [svg("line", { class: "target", x1: LEFT, x2: WIDTH, y1: y(target), y2: y(target) }),
      svg("text", { x: WIDTH - 4, y: y(target) - 5, "text-anchor": "end" }, "target")] : null);
}

function bar(epoch, x, wide, y, top, { selected, select, named }) {
  let done = 0;
  const parts = PHASES.map(([phase]) => {
    const from = done;
    done += epoch.phases[phase] ?? 0;
    const height = Math.max(0, y(from) - y(done));
    return svg("rect", { class: phase, x: x + 2, y: y(done), width: Math.max(1, wide - 4), height });
  });
  const said = `epoch ${epoch.epoch}, ${duration(epoch.duration)}: ${PHASES.map(([phase, label]) => `${label} ${duration(epoch.phases[phase])}`).join(", ")}`;
  return svg("g", { class: selected ? "epoch selected" : "epoch", "aria-label": said, ...press(() => select(epoch.epoch)) },
    svg("title", {}, said),
    svg("rect", { class: "hit", x, y: TOP, width: wide, height: HEIGHT - TOP - BOTTOM }),
    parts,
    done > top ? svg("text", { class: "cut", x: x + wide / 2, y: TOP + 12, "text-anchor": "middle" }, "↑") : null,
    epoch.checkpoint === null ? null : svg("circle", { class: "checkpoint", cx: x + wide / 2, cy: HEIGHT - BOTTOM + 7, r: 2.5 }),
    named ? svg("text", { x: x + wide / 2, y: HEIGHT - 3, "text-anchor": "middle" }, String(epoch.epoch)) : null);
}

// How high the bars go: one that is far longer than the others, such as the first, is cut off.
function tallest(durations) {
  const ordered = [...durations].sort((a, b) => a - b);
  const middle = ordered[Math.floor(ordered.length / 2)] ?? 1;
  const within = ordered.filter((one) => one <= 6 * middle);
  return Math.max(1, within.at(-1) ?? 1);
}

// A round step, and a round end above the longest.
function scale(longest) {
  const rough = longest / 4;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 2.5, 5, 10].map((times) => times * power).find((one) => one >= rough);
  return [step, step * Math.ceil(longest / step)];
}
