import { captionOf, type PinCopy, writePinCopy } from "./copy.ts";
import { readPinRequest } from "./keyword.ts";
import { invalidRequest, isJsonObject, type JsonObject } from "./requests.ts";

const NAME = /^[A-Za-z0-9_-]{1,64}$/;
const PARAM = "response_format";

/** The property names of a JSON schema. @throws ApiError 400 as the service would, or if one is not a string. */
export function readResponseFormat(format: unknown): readonly string[] {
  if (!isJsonObject(format) || format.type !== "json_schema") {
    throw invalidRequest("This stand-in only supports responses with a JSON schema.", PARAM, "unsupported_parameter");
  }
  const requested = isJsonObject(format.json_schema) ? format.json_schema : {};
  if (typeof requested.name !== "string" || !NAME.test(requested.name)) {
    const message = "'json_schema.name' must be 1 to 64 letters, digits, _ or -.";
    throw invalidRequest(message, `${PARAM}.json_schema.name`, "invalid_value");
  }
  const { schema } = requested;
  if (!isJsonObject(schema)) {
    const missing = `${PARAM}.json_schema.schema`;
    throw invalidRequest(`Missing required parameter: '${missing}'.`, missing, "missing_required_parameter");
  }
  const properties = isJsonObject(schema.properties) ? schema.properties : {};
  const names = Object.keys(properties);
  const wrong = requested.strict === true ? strictProblem(schema, names) : undefined;
  if (wrong) throw invalidRequest(`Invalid schema for ${PARAM} '${requested.name}': ${wrong}.`, PARAM);
  const other = names.find((name) => !isJsonObject(properties[name]) || properties[name].type !== "string");
  if (other)
    throw invalidRequest(
      `This stand-in only supports string properties, unlike '${other}'.`,
      PARAM,
      "unsupported_parameter",
    );
  return names;
}

function strictProblem(schema: JsonObject, names: readonly string[]): string | undefined {
  if (schema.type !== "object") return "the root must be an object";
  if (schema.additionalProperties !== false) return "'additionalProperties' must be false";
  const required = Array.isArray(schema.required) ? schema.required : [];
  const missing = names.find((name) => !required.includes(name));
  return missing === undefined ? undefined : `'required' must name every property; '${missing}' is missing`;
}

/** Begins the description of a pin whose numbers a model made up. */
const INVENTED = "Only $1,947.35 today, which is 87% less.";

/** The content of a response: JSON with a text for each of these names. `invents`: with numbers that it made up. */
export function writeCompletion(prompt: string, names: readonly string[], { invents = false } = {}): string {
  const request = readPinRequest(prompt);
  const written = writePinCopy(request);
  const copy = invents ? { ...written, description: INVENTED } : written;
  return JSON.stringify(Object.fromEntries(names.map((name) => [name, textFor(name, copy, request.keyword)])));
}

function textFor(name: string, copy: PinCopy, keyword: string): string {
  if (name.includes("alt")) return copy.altText;
  if (name.includes("title")) return copy.title;
  return name.includes("description") ? copy.description : captionOf(keyword);
}

const CHARS_PER_TOKEN = 4;

/** A rough estimate: four characters per token, at least one. */
export function estimateTokens(text: string): number {
  return Math.max(1, Math.ceil(text.length / CHARS_PER_TOKEN));
}

/** Truncates at the token limit; anything but a number means no limit. */
export function truncateToTokens(content: string, limit: unknown): { content: string; isCut: boolean } {
  if (typeof limit !== "number" || estimateTokens(content) <= limit) return { content, isCut: false };
  return { content: content.slice(0, Math.max(0, limit * CHARS_PER_TOKEN)), isCut: true };
}
