import { Ajv2020, type ValidateFunction } from "ajv/dist/2020.js";
import addFormats from "ajv-formats";
import { invalidRequest } from "./api-error.ts";
import { readPinRequest } from "./copy/pin-request.ts";
import { writePinCopy } from "./copy/write-pin-copy.ts";
import { fillSchema } from "./fill-schema.ts";
import type { JsonObject } from "./request-check.ts";
import type { AnswerFormat, FormatParam } from "./strict-schema.ts";
import { CHARS_PER_TOKEN, estimateTokens } from "./usage.ts";

/**
 * The content of an answer to a prompt: JSON valid for the asked schema, a JSON pin, or plain text.
 * @throws ApiError 400 when the schema is no JSON Schema, or asks for something that cannot be made up here.
 */
export function writeAnswer(prompt: string, format: AnswerFormat, param: FormatParam): string {
  const request = readPinRequest(prompt);
  const copy = writePinCopy(request);
  if (format.kind === "text") return `${copy.title}\n\n${copy.description}`;
  if (format.kind === "json") {
    return JSON.stringify({ title: copy.title, description: copy.description, alt_text: copy.altText });
  }
  const validate = compile(format.schema, param);
  const value = fillSchema(format.schema, { copy, keyword: request.keyword });
  if (!validate(value)) {
    const [first] = validate.errors ?? [];
    const reason = `${first?.instancePath || "the answer"} ${first?.message ?? "does not fit"}`;
    throw invalidRequest(`The stand-in cannot make up an answer for this schema: ${reason}.`, param);
  }
  return JSON.stringify(value);
}

/** A token limit cuts the answer off, as it would there; anything but a number is no limit. */
export function cutToTokens(content: string, most: unknown): { content: string; isCut: boolean } {
  if (typeof most !== "number" || estimateTokens(content) <= most) return { content, isCut: false };
  return { content: content.slice(0, Math.max(0, most * CHARS_PER_TOKEN)), isCut: true };
}

const MOST_COMPILED = 50;
const compiled = new Map<string, ValidateFunction>();

/** Compiling takes milliseconds and callers repeat the same schema, so a few are kept. */
function compile(schema: JsonObject, param: FormatParam): ValidateFunction {
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
    throw invalidRequest(`Invalid schema for ${param}: ${reason}.`, param);
  }
}
