import type { Spec } from "#sandbox/kit/spec.ts";
import type { ImageFormat } from "./posters.ts";
import { assertModel, assertOfficial, assertSupported, invalidRequest, type JsonObject } from "./requests.ts";

const STANDARD = ["1024x1024", "1536x1024", "1024x1536"];
const FREE_SIZES = /^(gpt-image-2|chatgpt-image-)/;
const STEP_PX = 16;
const MAX_EDGE_PX = 3840;
const MAX_PIXELS = 3840 * 2160;

type ImageSize = { widthPx: number; heightPx: number };

/** The size of an image; without one or with `auto`, the portrait format. @throws ApiError 400 `invalid_value`. */
function readSize(size: string | null | undefined, model: string): ImageSize {
  const requested = size === undefined || size === null || size === "auto" ? "1024x1536" : size;
  const [, width = "", height = ""] = /^(\d{2,4})x(\d{2,4})$/.exec(requested) ?? [];
  const [widthPx, heightPx] = [Number(width), Number(height)];
  if (STANDARD.includes(requested)) return { widthPx, heightPx };
  if (width === "" || !FREE_SIZES.test(model)) {
    throw invalidSize(requested, `Supported values are ${STANDARD.join(", ")} and auto.`);
  }
  if (widthPx % STEP_PX !== 0 || heightPx % STEP_PX !== 0) {
    throw invalidSize(requested, "Width and height must both be divisible by 16.");
  }
  const ratio = widthPx / heightPx;
  if (ratio < 1 / 3 || ratio > 3) throw invalidSize(requested, "The aspect ratio must be between 1:3 and 3:1.");
  if (Math.max(widthPx, heightPx) > MAX_EDGE_PX || widthPx * heightPx > MAX_PIXELS) {
    throw invalidSize(requested, "The largest supported image is 3840x2160.");
  }
  return { widthPx, heightPx };
}

function invalidSize(size: string, reason: string) {
  return invalidRequest(`Invalid size '${size}'. ${reason}`, "size", "invalid_value");
}

type Effort = "low" | "medium" | "high" | "xhigh" | "max";

export type ImageRequest = ImageSize & { prompt: string; format: ImageFormat; effort: Effort };

const PROMPT_CHARS = 32_000;
const SAFETY_IDENTIFIER_CHARS = 64;
const EFFORTS: readonly Effort[] = ["low", "medium", "high"];
const NEWER_EFFORTS: readonly Effort[] = ["xhigh", "max"];
const HAS_NEWER_EFFORTS = /^gpt-image-2\.5-/;

const DEPRECATED_FIELDS = ["response_format", "style"];
/** The fields that the product uses. */
const SUPPORTED_FIELDS = ["model", "prompt", "n", "size", "quality", "output_format", "safety_identifier", "user"];

/** Validates the body of an image request. @throws ApiError as the service would. */
export function readImageRequest(spec: Spec, body: JsonObject): ImageRequest {
  const { prompt, model } = body;
  if (typeof model !== "string") {
    throw invalidRequest("Missing required parameter: 'model'.", "model", "missing_required_parameter");
  }
  assertModel(model, "image");
  for (const name of DEPRECATED_FIELDS) {
    if (name in body) throw invalidRequest(`Unknown parameter: '${name}'.`, name, "unknown_parameter");
  }
  const effort = readEffort(body.quality, model);
  assertOfficial(spec, "/images/generations", describedFields(body));
  if (typeof prompt !== "string" || prompt.trim() === "" || prompt.length > PROMPT_CHARS) {
    throw invalidRequest(`The prompt must have 1 to ${PROMPT_CHARS} characters.`, "prompt", "invalid_value");
  }
  assertSupported(body, SUPPORTED_FIELDS);
  if ((body.n ?? 1) !== 1) throw invalidRequest("This stand-in creates one image at a time.", "n");
  const { output_format, size } = body;
  const format = output_format === "jpeg" || output_format === "webp" ? output_format : "png";
  return { prompt, effort, format, ...readSize(typeof size === "string" ? size : undefined, model) };
}

/** The published description lags behind the service in two fields, which are checked here. */
function describedFields(body: JsonObject): JsonObject {
  const { safety_identifier: identifier, quality: _checkedElsewhere, ...described } = body;
  const isUsable = typeof identifier === "string" && identifier.length <= SAFETY_IDENTIFIER_CHARS;
  if (identifier !== undefined && identifier !== null && !isUsable) {
    const message = `'safety_identifier' must be a string of at most ${SAFETY_IDENTIFIER_CHARS} characters.`;
    throw invalidRequest(message, "safety_identifier", "invalid_value");
  }
  return described;
}

function readEffort(quality: unknown, model: string): Effort {
  const efforts = HAS_NEWER_EFFORTS.test(model) ? [...EFFORTS, ...NEWER_EFFORTS] : EFFORTS;
  const requested = (quality ?? "auto") === "auto" ? "high" : quality;
  const effort = efforts.find((item) => item === requested);
  if (effort !== undefined) return effort;
  const message = `Invalid value: '${String(quality)}'. Supported values are: ${efforts.join(", ")} and auto.`;
  throw invalidRequest(message, "quality", "invalid_value");
}
