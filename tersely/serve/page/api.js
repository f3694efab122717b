// Talks to the service. What it refuses is thrown as a Refused, whose message was written for people.

export class Refused extends Error {
  constructor(status, { code, message, field }) {
    super(message);
    Object.assign(this, { status, code, field });
  }
}

const TOKEN = "tersely-token";

export const keepToken = (token) => sessionStorage.setItem(TOKEN, token);

async function request(path, body, { signal, accept = "application/json" } = {}) {
  const headers = { Accept: accept };
  const token = sessionStorage.getItem(TOKEN);
  if (token) headers.Authorization = `Bearer ${token}`;
  if (body) headers["Content-Type"] = "application/json";
  let response;
  try {
    response = await fetch(path, { method: body ? "POST" : "GET", headers, body: body && JSON.stringify(body), signal });
  } catch (error) {
    if (error.name === "AbortError") throw error;
    throw new Refused(0, { code: "no_answer", message: "The service does not answer. Is it still running?" });
  }
  if (response.ok) return response;
  let fault = { code: "unknown", message: `The service answered with status ${response.status}.` };
  try {
    fault = (await response.json()).error;
  } catch { /* an answer of somebody in between: the status has to do */ }
  throw new Refused(response.status, fault);
}

export const ask = async (path, body, options) => (await request(path, body, options)).json();

// The objects of an answer in lines, each as soon as it is there.
export async function* askLines(path, body, options) {
  const response = await request(path, body, { ...options, accept: "application/x-ndjson" });
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  let rest = "";
  for (;;) {
    const { value, done } = await reader.read();
    const lines = (rest + (value ?? "")).split("\n");
    rest = lines.pop();
    for (const line of lines) {
      const object = JSON.parse(line);
      if (object.error) throw new Refused(200, object.error);
      yield object;
    }
    if (done) return;
  }
}
