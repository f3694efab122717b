// Calls the API of the service. An error response is thrown as an ApiError, whose message is written for people.

export class ApiError extends Error {
  constructor(status, { code, message, field }) {
    super(message);
    Object.assign(this, { status, code, field });
  }
}

const TOKEN = "tersely-token";

export const saveToken = (token) => sessionStorage.setItem(TOKEN, token);

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
    throw new ApiError(0, { code: "no_response", message: "The service does not respond. Is it still running?" });
  }
  if (response.ok) return response;
  let detail = { code: "unknown", message: `The service responded with status ${response.status}.` };
  try {
    detail = (await response.json()).error;
  } catch { /* a response of a proxy: there is only its status */ }
  throw new ApiError(response.status, detail);
}

export const fetchJson = async (path, body, options) => (await request(path, body, options)).json();

// The objects of a response in lines, each as soon as it arrives.
export async function* fetchLines(path, body, options) {
  const response = await request(path, body, { ...options, accept: "application/x-ndjson" });
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  let rest = "";
  for (;;) {
    const { value, done } = await reader.read();
    const lines = (rest + (value ?? "")).split("\n");
    rest = lines.pop();
    for (const line of lines) {
      const object = JSON.parse(line);
      if (object.error) throw new ApiError(200, object.error);
      yield object;
    }
    if (done) return;
  }
}
