import { createCanvas } from "@napi-rs/canvas";
import { drawBroadside } from "./broadside.ts";
import { drawCutOuts } from "./cut-outs.ts";
import { registerFonts } from "./lettering.ts";
import { type Palette, palettes } from "./palettes.ts";
import { drawPlate } from "./plate.ts";
import { drawRidgeline } from "./ridgeline.ts";
import { frameOf, type Sheet } from "./sheet.ts";
import type { PosterSpec } from "./spec.ts";
import { drawStillLife } from "./still-life.ts";
import { drawTilework } from "./tilework.ts";

/** Draws a poster's scene and words on a sheet whose fonts are registered. */
export function drawScene(sheet: Sheet, { scene, palette, isSwapped, text, seed }: PosterSpec): void {
  const chosen: Palette = palettes[palette];
  const colors = isSwapped ? { ...chosen, c: chosen.d, d: chosen.c } : chosen;
  if (scene.direction === "plate") drawPlate(sheet, colors, text, seed, scene.plant);
  else if (scene.direction === "ridgeline") drawRidgeline(sheet, colors, text, seed, scene.terrain);
  else if (scene.direction === "cut-outs") drawCutOuts(sheet, colors, text, seed);
  else if (scene.direction === "broadside") drawBroadside(sheet, colors, text, seed, scene);
  else if (scene.direction === "tilework") drawTilework(sheet, colors, text, seed);
  else drawStillLife(sheet, colors, text, seed, scene.arrangement);
}

/** Draws and encodes one poster; exactly the asked size, the same bytes for the same spec. */
export async function drawPoster(spec: PosterSpec): Promise<Buffer> {
  registerFonts();
  const canvas = createCanvas(spec.widthPx, spec.heightPx);
  const ctx = canvas.getContext("2d");
  const { frame, scale } = frameOf(spec.widthPx, spec.heightPx);
  ctx.setTransform(scale, 0, 0, scale, -frame.left * scale, -frame.top * scale);
  drawScene({ ctx, frame }, spec);
  if (spec.format === "png") return canvas.encode("png");
  return canvas.encode(spec.format, spec.quality);
}
