// What the reader can do to a job: take a savepoint, stop it, cancel it.

import { api } from "./api.js";
import { ask, notice } from "./notices.js";
import { askForToken, wantsToken } from "./token.js";

const PATIENCE = 500;
const FIELD = { label: "Directory (empty: where the job's configuration says)", placeholder: "/data/savepoints" };

export async function takeSavepoint(id) {
  const directory = await ask({ title: "Take a savepoint", text: "The job goes on meanwhile.", field: FIELD, confirm: "Take savepoint" });
  if (directory !== null) await follow(id, () => api.savepoint(id, directory), "Savepoint");
}

export async function stopJob(id) {
  const directory = await ask({
    title: "Stop with a savepoint", text: "The job ends after the savepoint, and can go on from there.", field: FIELD, confirm: "Stop job",
  });
  if (directory !== null) await follow(id, () => api.stop(id, directory), "Stopped; the savepoint");
}

export async function cancelJob(id) {
  const sure = await ask({
    title: "Cancel this job?", text: "It ends at once, without a savepoint. What the running epoch did does not count.", confirm: "Cancel job", danger: true,
  });
  if (sure === null) return;
  await told(async () => {
    await api.cancel(id);
    notice("good", "The job is being cancelled.");
  });
}

async function follow(id, start, what) {
  await told(async () => {
    const { "request-id": asked } = await start();
    const wait = notice("", `${what} is under way …`);
    try {
      for (;;) {
        const { status, operation } = await api.savepointStatus(id, asked);
        if (status.id === "COMPLETED") {
          if (operation["failure-cause"]) throw new Error(lastLine(operation["failure-cause"]["stack-trace"]));
          notice("good", `${what} is at ${operation.location}`);
          return;
        }
        await new Promise((resolve) => setTimeout(resolve, PATIENCE));
      }
    } finally {
      wait.remove();
    }
  });
}

const lastLine = (text) => String(text ?? "").trim().split("\n").at(-1);

async function withToken(action) {
  try {
    await action();
  } catch (error) {
    if (!wantsToken(error) || !(await askForToken())) throw error;
    await withToken(action);
  }
}

async function told(action) {
  try {
    await withToken(action);
  } catch (error) {
    notice("bad", error.message);
  }
  dispatchEvent(new Event("flott-refresh"));
}
