import { Ajv2020, type ValidateFunction } from "ajv/dist/2020.js";
import addFormats from "ajv-formats";
import { invalidRequest } from "./api-error.ts";
import { readPinRequest } from "./copy/pin-request.ts";
import { writePinCopy } from "./copy/write-pin-copy.ts";
import { fillSchema } from "./fill-schema.ts";
import type { JsonObject } from "./request-check.ts";
import type { AnswerFormat } from "./strict-schema.ts";

/**
 * The content of an answer to a prompt: JSON valid for the asked schema, a JSON pin, or plain text.
 * @throws ApiError 400 when the schema is no JSON Schema, or asks for something that cannot be made up here.
 */
export function writeAnswer(prompt: string, format: AnswerFormat): string {
  const request = readPinRequest(prompt);
  const copy = writePinCopy(request);
  if (format.kind === "text") return `${copy.title}\n\n${copy.description}`;
  if (format.kind === "json") {
    return JSON.stringify({ title: copy.title, description: copy.description, alt_text: copy.altText });
  }
  const validate = compile(format.schema);
  const value = fillSchema(format.schema, { copy, keyword: request.keyword });
  if (!validate(value)) {
    const [first] = validate.errors ?? [];
    const reason = `${first?.instancePath || "the answer"} ${first?.message ?? "does not fit"}`;
    throw invalidRequest(`The stand-in cannot make up an answer for this schema: ${reason}.`, "response_format");
  }
  return JSON.stringify(value);
}

const MOST_COMPILED = 50;
const compiled = new Map<string, ValidateFunction>();

/** Compiling takes milliseconds and callers repeat the same schema, so a few are kept. */
function compile(schema: JsonObject): ValidateFunction {
  const key = JSON.stringify(schema);
  const known = compiled.get(key);
  if (known) return known;
  if (compiled.size >= MOST_COMPILED) compiled.clear();
  const ajv = new Ajv2020({ strict: false, logger: false });
  addFormats.default(ajv);
  try {
    const validate = ajv.compile(schema);
    compiled.set(key, validate);
    return validate;
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw invalidRequest(`Invalid schema for response_format: ${reason}.`, "response_format");
  }
}
