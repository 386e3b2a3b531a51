import { headlineOf } from "../copy/headline.ts";
import { readPinRequest } from "../copy/pin-request.ts";
import { detectTopic } from "../copy/topics/index.ts";
import { captionOf } from "../copy/write-pin-copy.ts";
import { createRandom, hashText, pick, type Random } from "../seed.ts";
import { chooseScene } from "./choose-scene.ts";
import { type PaletteName, palettes } from "./palettes.ts";
import type { PictureFormat, PosterSpec, Scene } from "./spec.ts";

/** Palettes by scene: strata need tones that deepen evenly, which two of the palettes do not have. */
const FLAT_ONLY: readonly PaletteName[] = ["night", "brick"];

function choosePalette(random: Random, scene: Scene): PaletteName {
  const names = Object.keys(palettes).filter(isPaletteName);
  return pick(random, scene.direction === "ridgeline" ? names.filter((name) => !FLAT_ONLY.includes(name)) : names);
}

function isPaletteName(name: string): name is PaletteName {
  return Object.hasOwn(palettes, name);
}

/** A picture to make: its prompt, which of several for that prompt, and how it is encoded. */
export type Commission = {
  prompt: string;
  /** Counts from 0; each gives another picture. */
  variant: number;
  widthPx: number;
  heightPx: number;
  format: PictureFormat;
  quality: number;
};

/** Decides what a picture shows. The same commission gives the same picture, another prompt another one. */
export function composePoster({ prompt, variant, ...encoding }: Commission): PosterSpec {
  const { keyword } = readPinRequest(prompt);
  const seed = hashText(`poster ${variant} ${prompt}`);
  const random = createRandom(seed);
  const [, number, rest] = /^(\d{1,4})\s+(\S.*)$/u.exec(keyword) ?? [];
  const scene = chooseScene(random, detectTopic(keyword).name, number);
  // A broadside sets the number apart, so its title begins after it.
  const titled = scene.direction === "broadside" && rest ? rest : keyword;
  return {
    ...encoding,
    palette: choosePalette(random, scene),
    isSwapped: random() < 0.5,
    seed: hashText(`composition ${seed}`),
    scene,
    text: { lines: headlineOf(titled), caption: captionOf(keyword) },
  };
}
