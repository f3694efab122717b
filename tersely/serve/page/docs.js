// The OpenAPI description as a page: the request and the response of each path. It loads nothing from other hosts.
import { fetchJson } from "./api.js";
import { find, make } from "./dom.js";

const EXAMPLE = '{"text": "A container ship ran aground early on Tuesday, but there were no casualties.", "words": 6}';
let schemas = {};

const resolve = (schema) => (schema?.$ref ? schemas[schema.$ref.split("/").at(-1)] : schema ?? {});

// A schema as a few words: "integer | null", "list of string", "Summary".
function typeOf(schema) {
  if (schema.$ref) return schema.$ref.split("/").at(-1);
  if (schema.anyOf) return schema.anyOf.map(typeOf).join(" | ");
  if (schema.enum) return schema.enum.map((value) => JSON.stringify(value)).join(" | ");
  if (schema.prefixItems) return `[${schema.prefixItems.map(typeOf).join(", ")}]`;
  if (schema.type === "array") return `list of ${typeOf(schema.items ?? {})}`;
  if (schema.additionalProperties?.type) return `object of ${schema.additionalProperties.type}`;
  return schema.type ?? "anything";
}

function fieldRow([name, schema], required) {
  const preset = schema.default === undefined || schema.default === null ? "" : ` = ${JSON.stringify(schema.default)}`;
  const type = typeOf(schema) + preset;
  return make("tr", {}, make("th", { scope: "row" }, required.includes(name) ? `${name} *` : name),
    make("td", { class: "type" }, type), make("td", {}, schema.description ?? resolve(schema).description ?? ""));
}

function fields(title, schema) {
  const resolved = resolve(schema);
  const rows = Object.entries(resolved.properties ?? {}).map((entry) => fieldRow(entry, title === "Request" ? resolved.required ?? [] : []));
  if (!rows.length) return [];
  const table = make("div", { class: "scroll" }, make("table", {}, make("tbody", {}, ...rows)));
  return [make("h3", {}, title), make("p", {}, resolved.description ?? ""), table];
}

function operation(path, method, { description, summary, requestBody, responses }) {
  const section = make("section", {}, make("h2", {}, `${method.toUpperCase()} ${path}`), make("p", {}, description ?? summary ?? ""));
  section.append(...fields("Request", requestBody?.content["application/json"].schema));
  section.append(...fields("Response", responses[200]?.content?.["application/json"]?.schema));
  if (path === "/v1/summarize") {
    const call = `curl ${location.origin}${path} -H 'content-type: application/json' -d '${EXAMPLE}'`;
    section.append(make("h3", {}, "Example"), make("pre", { tabindex: 0 }, call));
  }
  if (requestBody) section.append(...trial(path, resolve(requestBody.content["application/json"].schema).examples?.[0]));
  return section;
}

// A request to edit and send, and its response. A token is the one that the page was given in the same tab.
function trial(path, example) {
  const body = make("textarea", { rows: 3, "aria-label": `Request to ${path}`, spellcheck: "false" }, example ? JSON.stringify(example) : EXAMPLE);
  const shown = make("pre", { tabindex: 0, "aria-live": "polite", hidden: true });
  const send = async () => {
    shown.hidden = false;
    shown.textContent = "…";
    try {
      shown.textContent = JSON.stringify(await fetchJson(path, JSON.parse(body.value)), null, 2);
    } catch (error) {
      shown.textContent = error.message;
    }
  };
  return [make("h3", {}, "Try it"), body, make("button", { type: "button", onclick: send }, "Send"), shown];
}

// The error responses, once for all paths.
function errors(operations) {
  const described = new Map(operations.flatMap(({ responses }) => Object.entries(responses).filter(([status]) => status >= 400)
    .map(([status, { description }]) => [status, description])));
  const rows = [...described].sort().map(([status, codes]) => make("tr", {}, make("th", { scope: "row" }, status), make("td", {}, codes)));
  return make("section", {}, make("h2", {}, "Errors"), make("p", {}, "All have the shape of ErrorResponse, below: a code, and a message."), make("table", {}, make("tbody", {}, ...rows)));
}

function schemaSection(name) {
  const section = make("section", {}, make("h2", { id: name }, name));
  const schema = schemas[name];
  if (schema.prefixItems) section.append(make("p", {}, `[${schema.prefixItems.map((item) => `${item.title.toLowerCase()}: ${typeOf(item)}`).join(", ")}]`));
  else section.append(...fields("", schema).slice(1));
  return section;
}

// The schemas inside those of requests and responses.
function nested(operations) {
  const shown = operations.flatMap(({ requestBody, responses }) => [requestBody, responses[200]])
    .map((body) => body?.content?.["application/json"]?.schema?.$ref?.split("/").at(-1));
  return Object.keys(schemas).filter((name) => !shown.includes(name));
}

try {
  const api = await (await fetch("/openapi.json")).json();
  schemas = api.components.schemas;
  find("about").textContent = `${api.info.description} Version ${api.info.version}.`;
  const all = Object.entries(api.paths).flatMap(([path, methods]) => Object.entries(methods).map(([method, described]) => [path, method, described]));
  const operations = all.map((one) => one[2]);
  find("operations").append(...all.map((one) => operation(...one)), errors(operations), ...nested(operations).map(schemaSection));
} catch {
  find("error").textContent = "The API description cannot be loaded. Is the service still running?";
  find("error").hidden = false;
}
