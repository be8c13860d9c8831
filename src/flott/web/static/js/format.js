// Numbers, sizes and times as people read them. What is not known is a dash.

const NONE = "–";
const whole = new Intl.NumberFormat("en", { maximumFractionDigits: 0 });
const END_OF_TIME = 9e18;

const missing = (value) => value === null || value === undefined || Number.isNaN(value);

export const count = (value) => (missing(value) ? NONE : whole.format(value));

export function compact(value) {
  if (missing(value)) return NONE;
  const units = [[1e9, " G"], [1e6, " M"], [1e4, " k", 1e3]];
  for (const [limit, unit, by = limit] of units) {
    if (Math.abs(value) >= limit) {
      const scaled = value / by;
      return `${scaled.toFixed(scaled >= 100 ? 0 : scaled >= 10 ? 1 : 2)}${unit}`;
    }
  }
  return whole.format(value);
}

export const rate = (value) => (missing(value) ? NONE : `${compact(value)}/s`);

export function bytes(value) {
  if (missing(value) || value < 0) return NONE;
  const units = ["B", "kB", "MB", "GB", "TB"];
  let unit = 0;
  while (value >= 1000 && unit < units.length - 1) {
    value /= 1000;
    unit += 1;
  }
  return `${unit === 0 || value >= 100 ? Math.round(value) : value.toFixed(1)} ${units[unit]}`;
}

export function duration(millis) {
  if (missing(millis) || millis < 0) return NONE;
  if (millis > 0 && millis < 9.95) return `${millis.toFixed(1)} ms`;
  if (millis < 1000) return `${Math.round(millis)} ms`;
  if (millis < 60_000) return `${(millis / 1000).toFixed(1)} s`;
  const seconds = Math.floor(millis / 1000);
  const parts = [[86_400, "d"], [3_600, "h"], [60, "min"], [1, "s"]];
  const first = parts.findIndex(([size]) => seconds >= size);
  const [size, unit] = parts[first];
  const [next, small] = parts[first + 1] ?? [1, "s"];
  return `${Math.floor(seconds / size)} ${unit} ${Math.floor((seconds % size) / next)} ${small}`;
}

const pad = (value, length = 2) => String(value).padStart(length, "0");

export function time(millis) {
  if (missing(millis) || millis <= 0) return NONE;
  const date = new Date(millis);
  const clock = `${pad(date.getHours())}:${pad(date.getMinutes())}:${pad(date.getSeconds())}`;
  const day = `${date.getFullYear()}-${pad(date.getMonth() + 1)}-${pad(date.getDate())}`;
  const now = new Date();
  const today = `${now.getFullYear()}-${pad(now.getMonth() + 1)}-${pad(now.getDate())}`;
  return day === today ? clock : `${day} ${clock}`;
}

// A moment of event time. Programs with plain counters as timestamps get them as numbers.
export function watermark(value) {
  if (missing(value) || value <= -END_OF_TIME) return NONE;
  if (value >= END_OF_TIME) return "end of input";
  return value < 1e11 ? whole.format(value) : time(value);
}

// How far event time is behind the clock; null where that means nothing.
export function lag(value, now) {
  if (missing(value) || Math.abs(value) >= END_OF_TIME || value < 1e11) return null;
  return now - value;
}

export const percent = (share) => (missing(share) ? NONE : `${Math.round(share * 100)} %`);

export const factor = (value) => (missing(value) ? NONE : `${value.toFixed(1)}×`);
