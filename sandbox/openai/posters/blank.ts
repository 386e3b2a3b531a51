import { createCanvas } from "@napi-rs/canvas";
import type { PosterSpec } from "./spec.ts";

type BlankSpec = Pick<PosterSpec, "widthPx" | "heightPx" | "format" | "quality">;

const GROUND = "#e4dfd4";
const MOST_KEPT = 20;
const kept = new Map<string, Promise<string>>();

/** One plain picture of the asked size and format as base64, encoded once and kept. */
export function drawBlank(spec: BlankSpec): Promise<string> {
  const key = `${spec.widthPx}x${spec.heightPx} ${spec.format} ${spec.quality}`;
  const known = kept.get(key);
  if (known) return known;
  if (kept.size >= MOST_KEPT) kept.clear();
  const drawn = encodeBlank(spec);
  kept.set(key, drawn);
  return drawn;
}

async function encodeBlank({ widthPx, heightPx, format, quality }: BlankSpec): Promise<string> {
  const canvas = createCanvas(widthPx, heightPx);
  const ctx = canvas.getContext("2d");
  ctx.fillStyle = GROUND;
  ctx.fillRect(0, 0, widthPx, heightPx);
  const bytes = format === "png" ? await canvas.encode("png") : await canvas.encode(format, quality);
  return bytes.toString("base64");
}
