// Talks to the driver's REST API. Shapes are in docs/rest.md.

const TOKEN = "flott-token";

export class ApiError extends Error {
  constructor(status, message) {
    super(message);
    this.status = status;
  }
}

export const token = {
  get: () => sessionStorage.getItem(TOKEN) ?? "",
  set: (value) => sessionStorage.setItem(TOKEN, value),
};

async function request(method, path, body) {
  const headers = { Accept: "application/json" };
  if (token.get() !== "") headers.Authorization = `Bearer ${token.get()}`;
  if (body !== undefined) headers["Content-Type"] = "application/json";
  const answer = await fetch(path, {
    method,
    headers,
    body: body === undefined ? undefined : JSON.stringify(body),
    cache: "no-store",
    signal: AbortSignal.timeout(20_000),
  });
  const text = await answer.text();
  let data = {};
  try {
    data = text === "" ? {} : JSON.parse(text);
  } catch {
    throw new ApiError(answer.status, `the driver answered something that is no JSON (${answer.status})`);
  }
  if (!answer.ok) throw new ApiError(answer.status, (data.errors ?? [answer.statusText]).join("; "));
  return data;
}

const job = (id, ...rest) => ["/jobs", encodeURIComponent(id), ...rest.map(encodeURIComponent)].join("/");

export const api = {
  login: (code) => request("POST", "/page/login", { code }),
  config: () => request("GET", "/config"),
  jobs: () => request("GET", "/jobs/overview"),
  job: (id) => request("GET", job(id)),
  epochs: (id) => request("GET", `${job(id, "epochs")}?limit=100`),
  vertex: (id, vertex) => request("GET", job(id, "vertices", vertex)),
  checkpoints: (id) => request("GET", job(id, "checkpoints")),
  checkpointConfig: (id) => request("GET", job(id, "checkpoints", "config")),
  checkpoint: (id, number) => request("GET", job(id, "checkpoints", "details", String(number))),
  exceptions: (id) => request("GET", job(id, "exceptions")),
  jobConfig: (id) => request("GET", job(id, "config")),
  metricNames: (id, vertex) => request("GET", metricsPath(id, vertex)),
  metrics: (id, vertex, names) => request("GET", `${metricsPath(id, vertex)}?get=${names.map(encodeURIComponent).join(",")}`),
  savepoint: (id, directory) =>
    request("POST", job(id, "savepoints"), directory === "" ? {} : { "target-directory": directory }),
  stop: (id, directory) => request("POST", job(id, "stop"), directory === "" ? {} : { targetDirectory: directory }),
  savepointStatus: (id, asked) => request("GET", job(id, "savepoints", asked)),
  cancel: (id) => request("PATCH", `${job(id)}?mode=cancel`),
};

function metricsPath(id, vertex) {
  return vertex === null ? job(id, "metrics") : job(id, "vertices", vertex, "metrics");
}
