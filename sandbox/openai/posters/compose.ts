import { headlineOf } from "../copy/headline.ts";
import { readPinRequest } from "../copy/pin-request.ts";
import { detectTopic } from "../copy/topics/index.ts";
import { captionOf } from "../copy/write-pin-copy.ts";
import { createRandom, hashText, pick, type Random } from "../seed.ts";
import { type PaletteName, palettes } from "./palettes.ts";
import type { Arrangement, PictureFormat, PosterSpec, Scene, Terrain } from "./spec.ts";

const on = (arrangement: Arrangement): Scene => ({ direction: "still-life", arrangement });
const below = (terrain: Terrain): Scene => ({ direction: "ridgeline", terrain });
const cutOuts: Scene = { direction: "cut-outs" };

const ARRANGEMENTS: readonly Arrangement[] = ["branches", "figs", "bread", "pots", "fruit", "candles", "tea"];
const TERRAINS: readonly Terrain[] = ["hills", "peaks", "water", "dunes"];
const ALL_SCENES: readonly Scene[] = [...ARRANGEMENTS.map(on), ...TERRAINS.map(below), cutOuts, cutOuts, cutOuts];

/** What suits a topic; other topics take any scene. */
const SUITED: Record<string, readonly Scene[]> = {
  food: [on("fruit"), on("bread"), on("tea"), on("branches"), cutOuts],
  baking: [on("bread"), on("bread"), on("tea"), on("fruit"), cutOuts],
  interiors: [on("candles"), on("branches"), on("figs"), on("pots"), on("tea"), cutOuts],
  gardening: [on("pots"), on("figs"), on("branches"), cutOuts, cutOuts, below("hills")],
  travel: [below("water"), below("hills"), below("peaks"), below("dunes"), cutOuts],
  outdoors: [below("peaks"), below("hills"), below("water"), below("dunes")],
  weddings: [on("branches"), on("candles"), on("figs"), cutOuts],
  crafts: [cutOuts, cutOuts, on("pots"), on("candles")],
  books: [on("candles"), on("tea"), cutOuts, below("hills")],
  study: [on("candles"), on("tea"), cutOuts, below("peaks")],
  wellbeing: [below("dunes"), below("water"), on("tea"), on("candles"), cutOuts],
  fitness: [below("hills"), below("dunes"), below("water"), cutOuts],
  seasonal: [below("peaks"), on("candles"), on("branches"), cutOuts],
};

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
  const suited = SUITED[detectTopic(keyword).name] ?? ALL_SCENES;
  const scene = pick(random, random() < 0.85 ? suited : ALL_SCENES);
  return {
    ...encoding,
    palette: choosePalette(random, scene),
    isSwapped: random() < 0.5,
    seed: hashText(`composition ${seed}`),
    scene,
    text: { lines: headlineOf(keyword), caption: captionOf(keyword) },
  };
}
