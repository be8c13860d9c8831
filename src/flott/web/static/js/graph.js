// The job graph, drawn: each vertex with what it reads and writes, where its event time is and how busy it is.

import { press, svg } from "./dom.js";
import { compact, factor, percent, rate, watermark } from "./format.js";
import { BOX, layOut } from "./layout.js";
import { mood } from "./parts.js";

const PAD = 14;
const SIGN = 7.1; // the width of a letter of a name, a little more than most are
const SKEWED = 1.2;

export function graph(job, { bottleneck, selected, select }) {
  const vertices = new Map(job.vertices.map((vertex) => [vertex.id, vertex]));
  const nodes = job.plan.nodes
    .filter((node) => vertices.has(node.id))
    .map((node) => ({ id: node.id, level: vertices.get(node.id).flott.level, inputs: node.inputs ?? [] }));
  const { places, width, height } = layOut(nodes);
  return svg("svg", { class: "graph", width, height, viewBox: `0 0 ${width} ${height}`, role: "group", "aria-label": "Job graph" },
    svg("defs", {}, svg("marker", { id: "tip", viewBox: "0 0 8 8", refX: 7, refY: 4, markerWidth: 7, markerHeight: 7, orient: "auto" },
      svg("path", { class: "tip", d: "M0 0 8 4 0 8z" }))),
    nodes.flatMap((node) => node.inputs.map((input) => edge(places.get(input.id), places.get(node.id), input.ship_strategy))),
    nodes.map((node) => box(vertices.get(node.id), places.get(node.id), {
      bottleneck: node.id === bottleneck, selected: node.id === selected, select })));
}

function edge(from, to, ship) {
  if (!from || !to) return null;
  const [x1, y1, x2, y2] = [from.x + BOX.width, from.y + BOX.height / 2, to.x - 2, to.y + BOX.height / 2];
  const bend = (x1 + x2) / 2;
  const label = (ship ?? "").toLowerCase();
  const wide = label.length * 6 + 8;
  return svg("g", {},
    svg("path", { class: "edge", d: `M${x1} ${y1}C${bend} ${y1} ${bend} ${y2} ${x2} ${y2}`, "marker-end": "url(#tip)" }),
    svg("rect", { class: "ship-ground", x: bend - wide / 2, y: (y1 + y2) / 2 - 8, width: wide, height: 16, rx: 4 }),
    svg("text", { class: "ship", x: bend, y: (y1 + y2) / 2 + 3.5 }, label));
}

// The operators of a chain, one a line, as many as there is room for.
export function lines(name, most, letters) {
  const members = name.split(" -> ");
  const kept = members.length > most ? [...members.slice(0, most - 1), `+ ${members.length - most + 1} more`] : members;
  return kept.map((text) => (text.length > letters ? `${text.slice(0, letters - 1)}…` : text));
}

function box(vertex, { x, y }, { bottleneck, selected, select }) {
  const { flott, metrics } = vertex;
  const inside = BOX.width - 2 * PAD;
  const summary = `${vertex.name}, parallelism ${vertex.parallelism}, busy ${percent(flott["busy-ratio"])}`;
  const classes = ["vertex", bottleneck && "bottleneck", selected && "selected"].filter(Boolean).join(" ");
  const row = (place, label, value) => [
    svg("text", { class: "faint", x: PAD, y: place }, label), svg("text", { class: "number", x: BOX.width - PAD, y: place }, value)];
  const busy = inside * Math.min(1, flott["busy-ratio"]);
  const waiting = inside * Math.min(1 - flott["busy-ratio"], flott["backpressured-ratio"]);
  const notes = [`busy ${percent(flott["busy-ratio"])}`];
  if (flott["backpressured-ratio"] >= 0.005) notes.push(`back-pressured ${percent(flott["backpressured-ratio"])}`);
  return svg("g", { class: classes, id: `vertex-${vertex.id}`, transform: `translate(${x} ${y})`, "aria-label": summary, "aria-pressed": String(selected), ...press(() => select(vertex.id)) },
    svg("title", {}, vertex.name),
    svg("rect", { class: "box", width: BOX.width, height: BOX.height, rx: 10 }),
    svg("circle", { class: `dot ${mood(vertex.status)}`, cx: BOX.width - PAD - 4, cy: 20, r: 4.5 }),
    svg("text", { class: "faint number", x: BOX.width - PAD - 14, y: 24 }, `×${vertex.parallelism}`),
    lines(vertex.name, 3, Math.floor((inside - 44) / SIGN)).map((text, place) => svg("text", { class: "name", x: PAD, y: 24 + place * 17 }, text)),
    svg("line", { class: "rule", x1: PAD, x2: BOX.width - PAD, y1: 71, y2: 71 }),
    row(89, "in", `${compact(metrics["read-records"])}  ·  ${rate(flott["read-records-per-second"])}`),
    row(106, "out", `${compact(metrics["write-records"])}  ·  ${rate(flott["write-records-per-second"])}`),
    row(123, "watermark", watermark(flott.watermark)),
    svg("rect", { class: "idle", x: PAD, y: 133, width: inside, height: 7, rx: 3.5 }),
    svg("rect", { class: "busy", x: PAD, y: 133, width: busy, height: 7, rx: Math.min(3.5, busy / 2) }),
    svg("rect", { class: "waiting", x: PAD + busy, y: 133, width: waiting, height: 7 }),
    svg("text", { class: "faint", x: PAD, y: 156 }, notes.join(", ")),
    badges([bottleneck && "bottleneck", flott.skew >= SKEWED && vertex.parallelism > 1 && `skew ${factor(flott.skew)}`].filter(Boolean)));
}

// Words that sit on the upper edge of a box, from the right.
function badges(words) {
  let right = BOX.width - PAD;
  return words.map((text) => {
    const wide = text.length * 6.8 + 14;
    right -= wide + 6;
    return svg("g", { transform: `translate(${right + 6} -9)` },
      svg("rect", { class: "badge", width: wide, height: 18, rx: 9 }), svg("text", { class: "badge-text", x: wide / 2, y: 12.5 }, text));
  });
}
