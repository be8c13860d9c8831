// Where the vertices of a job graph stand: levels from left to right, each beside those it reads from.

export const BOX = { width: 250, height: 168, across: 86, down: 28, margin: 16 };

// nodes: [{id, level, inputs: [{id}]}] → {places: Map of id → {x, y}, width, height}
export function layOut(nodes) {
  const levels = [];
  for (const node of nodes) (levels[node.level] ??= []).push(node);
  const filled = levels.filter(Boolean);
  const rank = new Map();
  for (const level of filled) {
    const wish = (node, own) => {
      const before = node.inputs.map((input) => rank.get(input.id)).filter((place) => place !== undefined);
      return before.length === 0 ? own : before.reduce((sum, place) => sum + place, 0) / before.length;
    };
    const ordered = level.map((node, own) => [wish(node, own), own, node]).sort((a, b) => a[0] - b[0] || a[1] - b[1]);
    ordered.forEach(([, , node], place) => rank.set(node.id, place - (ordered.length - 1) / 2));
  }
  const most = Math.max(1, ...filled.map((level) => level.length));
  const height = most * BOX.height + (most - 1) * BOX.down;
  const places = new Map();
  filled.forEach((level, column) => {
    for (const node of level) {
      places.set(node.id, {
        x: BOX.margin + column * (BOX.width + BOX.across),
        y: BOX.margin + height / 2 - BOX.height / 2 + rank.get(node.id) * (BOX.height + BOX.down),
      });
    }
  });
  return { places, width: 2 * BOX.margin + filled.length * BOX.width + (filled.length - 1) * BOX.across, height: height + 2 * BOX.margin };
}
