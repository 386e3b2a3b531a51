import { invalidRequest } from "./api-error.ts";

const STANDARD = ["1024x1024", "1536x1024", "1024x1536"];
const FREE_SIZES = /^(gpt-image-2|chatgpt-image-)/;
const STEP_PX = 16;
const LONGEST_PX = 3840;
const MOST_PX = 3840 * 2160;

export type PictureSize = { widthPx: number; heightPx: number };

/**
 * Reads `size`: the three standard sizes for every model; from gpt-image-2 on any WxH divisible by 16 between
 * 1:3 and 3:1. `auto` and nothing give the portrait format.
 * @throws ApiError 400 `invalid_value`.
 */
export function readSize(size: string | null | undefined, model: string): PictureSize {
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
