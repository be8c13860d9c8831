// Asks the reader for the driver's token, when a call was refused for the want of it.

import { ApiError, token } from "./api.js";
import { ask } from "./notices.js";

let asking = null; // one question at a time, however many calls wait for the answer

async function question() {
  const answer = await ask({
    title: "This page needs a token",
    text: "`flott info JOB` prints a link that opens it. Or enter the token; `flott list --json` says which file it is in.",
    field: { label: "Token" }, confirm: "Go on", secret: true,
  });
  if (answer) token.set(answer);
  return Boolean(answer);
}

export const wantsToken = (error) => error instanceof ApiError && error.status === 401;

// Answers with whether the reader gave one.
export function askForToken() {
  asking ??= question().finally(() => {
    asking = null;
  });
  return asking;
}
