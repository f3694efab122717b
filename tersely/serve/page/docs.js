// The OpenAPI description as a page: what each address takes and gives. Nothing is loaded from anywhere else.
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
  section.append(...fields("Answer", responses[200]?.content?.["application/json"]?.schema));
  const statuses = Object.entries(responses).filter(([status]) => status !== "200")
    .map(([status, response]) => make("tr", {}, make("th", { scope: "row" }, status), make("td", {}, response.description)));
  if (statuses.length) section.append(make("h3", {}, "Refusals"), make("table", {}, make("tbody", {}, ...statuses)));
  if (path === "/v1/summarize") {
    const call = `curl ${location.origin}${path} -H 'content-type: application/json' -d '${EXAMPLE}'`;
    section.append(make("h3", {}, "Example"), make("pre", { tabindex: 0 }, call));
  }
  return section;
}

function shape(name) {
  const section = make("section", {}, make("h2", { id: name }, name));
  section.append(...fields("", { $ref: `#/components/schemas/${name}` }).slice(1));
  return section;
}

const nested = ["Summary", "Candidate", "Shortened", "ClimbStep", "First", "Refusal", "Fault"];

try {
  const api = await (await fetch("/openapi.json")).json();
  schemas = api.components.schemas;
  find("about").textContent = `${api.info.description} Version ${api.info.version}.`;
  for (const [path, methods] of Object.entries(api.paths)) {
    for (const [method, described] of Object.entries(methods)) find("operations").append(operation(path, method, described));
  }
  find("operations").append(...nested.filter((name) => name in schemas).map(shape));
} catch {
  find("error").textContent = "The description cannot be loaded. Is the service still running?";
  find("error").hidden = false;
}
