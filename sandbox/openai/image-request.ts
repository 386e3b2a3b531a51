import type { Spec } from "#sandbox/kit/spec.ts";
import type { PictureFormat } from "./posters.ts";
import { assertModel, assertOfficial, invalidRequest, type JsonObject } from "./requests.ts";

const STANDARD = ["1024x1024", "1536x1024", "1024x1536"];
const FREE_SIZES = /^(gpt-image-2|chatgpt-image-)/;
const STEP_PX = 16;
const LONGEST_PX = 3840;
const MOST_PX = 3840 * 2160;

type PictureSize = { widthPx: number; heightPx: number };

/**
 * Reads `size`: the three standard sizes for every model; from gpt-image-2 on any WxH divisible by 16 between
 * 1:3 and 3:1. `auto` and nothing give the portrait format.
 * @throws ApiError 400 `invalid_value`.
 */
function readSize(size: string | null | undefined, model: string): PictureSize {
  const wanted = size === undefined || size === null || size === "auto" ? "1024x1536" : size;
  const [, width = "", height = ""] = /^(\d{2,4})x(\d{2,4})$/.exec(wanted) ?? [];
  const [widthPx, heightPx] = [Number(width), Number(height)];
  if (STANDARD.includes(wanted)) return { widthPx, heightPx };
  if (width === "" || !FREE_SIZES.test(model)) {
    throw invalidSize(wanted, `Supported values are ${STANDARD.join(", ")} and auto.`);
  }
  if (widthPx % STEP_PX !== 0 || heightPx % STEP_PX !== 0) {
    throw invalidSize(wanted, "Width and height must both be divisible by 16.");
  }
  const ratio = widthPx / heightPx;
  if (ratio < 1 / 3 || ratio > 3) throw invalidSize(wanted, "The aspect ratio must lie between 1:3 and 3:1.");
  if (Math.max(widthPx, heightPx) > LONGEST_PX || widthPx * heightPx > MOST_PX) {
    throw invalidSize(wanted, "The largest supported picture is 3840x2160.");
  }
  return { widthPx, heightPx };
}

function invalidSize(size: string, reason: string) {
  return invalidRequest(`Invalid size '${size}'. ${reason}`, "size", "invalid_value");
}

type Effort = "low" | "medium" | "high" | "xhigh" | "max";

/** A checked order for pictures. `quality` is the encoder's, `effort` the model's. */
export type ImageRequest = PictureSize & {
  prompt: string;
  model: string;
  count: number;
  format: PictureFormat;
  quality: number;
  effort: Effort;
};

const PROMPT_CHARS = 32_000;
const USUAL_ENCODING_QUALITY = 88;
const SAFETY_IDENTIFIER_CHARS = 64;
const EFFORTS: readonly string[] = ["low", "medium", "high", "auto"];
const NEWER_EFFORTS: readonly string[] = ["xhigh", "max"];
const HAS_NEWER_EFFORTS = /^gpt-image-2\.5-/;

/** Parameters of retired models, and features that are refused rather than ignored. */
const NOT_ACCEPTED = ["response_format", "style"] as const;
const NOT_PLAYED = ["stream", "partial_images"] as const;

/** Checks the body of an image generation. @throws ApiError as the service would refuse it. */
export function readImageRequest(spec: Spec, body: JsonObject): ImageRequest {
  const { prompt, model } = body;
  if (typeof model !== "string") {
    throw invalidRequest("Missing required parameter: 'model'.", "model", "missing_required_parameter");
  }
  assertModel(model, "image");
  for (const name of NOT_ACCEPTED) {
    if (name in body) throw invalidRequest(`Unknown parameter: '${name}'.`, name, "unknown_parameter");
  }
  const effort = readEffort(body.quality, model);
  assertOfficial(spec, "/images/generations", describedPart(body));
  if (typeof prompt !== "string" || prompt.trim() === "" || prompt.length > PROMPT_CHARS) {
    throw invalidRequest(`The prompt must have 1 to ${PROMPT_CHARS} characters.`, "prompt", "invalid_value");
  }
  assertPlayed(body);
  const format = readFormat(body);
  return {
    prompt,
    model,
    effort,
    format,
    count: typeof body.n === "number" ? body.n : 1,
    quality: readCompression(body, format),
    ...readSize(typeof body.size === "string" ? body.size : undefined, model),
  };
}

/** The published description lags behind the service in two fields, which are checked here instead. */
function describedPart(body: JsonObject): JsonObject {
  const { safety_identifier: identifier, quality: _checkedElsewhere, ...described } = body;
  const isUsable = typeof identifier === "string" && identifier.length <= SAFETY_IDENTIFIER_CHARS;
  if (identifier !== undefined && identifier !== null && !isUsable) {
    const message = `'safety_identifier' must be text of at most ${SAFETY_IDENTIFIER_CHARS} characters.`;
    throw invalidRequest(message, "safety_identifier", "invalid_value");
  }
  return described;
}

function readEffort(quality: unknown, model: string): Effort {
  const wanted = quality ?? "auto";
  if (wanted === "auto" || wanted === "high") return "high";
  if (wanted === "low" || wanted === "medium") return wanted;
  if (HAS_NEWER_EFFORTS.test(model) && (wanted === "xhigh" || wanted === "max")) return wanted;
  const supported = HAS_NEWER_EFFORTS.test(model) ? [...EFFORTS, ...NEWER_EFFORTS] : EFFORTS;
  const message = `Invalid value: '${String(quality)}'. Supported values are: ${supported.join(", ")}.`;
  throw invalidRequest(message, "quality", "invalid_value");
}

function assertPlayed(body: JsonObject): void {
  const asked = NOT_PLAYED.find((name) => body[name] !== undefined && body[name] !== null && body[name] !== false);
  if (asked) throw invalidRequest(`The OpenAI stand-in does not play '${asked}'.`, asked, "unsupported_parameter");
  if (body.background === "transparent") {
    throw invalidRequest("The OpenAI stand-in draws opaque pictures only.", "background", "unsupported_value");
  }
}

function readFormat({ output_format: format }: JsonObject): PictureFormat {
  return format === "jpeg" || format === "webp" ? format : "png";
}

function readCompression({ output_compression: compression }: JsonObject, format: PictureFormat): number {
  if (compression === undefined || compression === null) return USUAL_ENCODING_QUALITY;
  if (typeof compression !== "number" || compression < 0 || compression > 100) {
    throw invalidRequest("'output_compression' must lie between 0 and 100.", "output_compression", "invalid_value");
  }
  if (format === "png" && compression !== 100) {
    throw invalidRequest("'output_compression' needs jpeg or webp.", "output_compression", "invalid_value");
  }
  return Math.round(compression);
}
