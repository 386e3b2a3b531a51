import { pick, type Random } from "../seed.ts";
import { broadsideWords, USUAL_WORDS } from "./broadside-words.ts";
import type { Arrangement, Plant, Scene, Terrain } from "./spec.ts";

/** A scene before its words are known. */
type Sketch = Exclude<Scene, { direction: "broadside" }> | { direction: "broadside" };

const on = (arrangement: Arrangement): Sketch => ({ direction: "still-life", arrangement });
const below = (terrain: Terrain): Sketch => ({ direction: "ridgeline", terrain });
const pressed = (plant: Plant): Sketch => ({ direction: "plate", plant });
const cutOuts: Sketch = { direction: "cut-outs" };
const tiles: Sketch = { direction: "tilework" };
const broadside: Sketch = { direction: "broadside" };

const ARRANGEMENTS: readonly Arrangement[] = ["branches", "figs", "bread", "pots", "fruit", "candles", "tea"];
const TERRAINS: readonly Terrain[] = ["hills", "peaks", "water", "dunes"];
const PLANTS: readonly Plant[] = ["herb", "eucalyptus", "fir", "olive", "umbel", "wreath"];

/** By direction, so that each is as likely as the others whatever it can show. */
const ALL: readonly (readonly Sketch[])[] = [
  ARRANGEMENTS.map(on),
  TERRAINS.map(below),
  PLANTS.map(pressed),
  [cutOuts],
  [tiles],
  [broadside],
];

/** What suits a topic, again by direction; other topics take any scene. */
const SUITED: Record<string, readonly (readonly Sketch[])[]> = {
  food: [[on("fruit"), on("bread"), on("tea")], [pressed("herb"), pressed("olive")], [cutOuts], [broadside], [tiles]],
  baking: [[on("bread"), on("bread"), on("tea"), on("fruit")], [cutOuts], [broadside], [tiles]],
  interiors: [
    [on("candles"), on("branches"), on("figs"), on("pots")],
    [tiles],
    [cutOuts],
    [pressed("eucalyptus")],
    [broadside],
  ],
  gardening: [
    [on("pots"), on("figs")],
    [pressed("herb"), pressed("umbel"), pressed("eucalyptus")],
    [cutOuts],
    [below("hills")],
    [broadside],
  ],
  travel: [[below("water"), below("hills"), below("peaks"), below("dunes")], [tiles], [broadside], [cutOuts]],
  outdoors: [
    [below("peaks"), below("hills"), below("water"), below("dunes")],
    [pressed("fir"), pressed("umbel")],
    [broadside],
  ],
  weddings: [
    [on("branches"), on("candles"), on("figs")],
    [pressed("olive"), pressed("eucalyptus"), pressed("wreath")],
    [cutOuts],
    [broadside],
  ],
  crafts: [[cutOuts], [tiles], [on("pots"), on("candles")], [pressed("wreath")], [broadside]],
  books: [[broadside], [on("candles"), on("tea")], [cutOuts], [below("hills")], [tiles]],
  study: [[broadside], [on("candles"), on("tea")], [tiles], [cutOuts], [below("peaks")]],
  wellbeing: [
    [below("dunes"), below("water")],
    [on("tea"), on("candles")],
    [pressed("eucalyptus"), pressed("olive")],
    [broadside],
  ],
  fitness: [[below("hills"), below("dunes"), below("water")], [broadside], [cutOuts], [tiles]],
  seasonal: [
    [pressed("wreath"), pressed("fir")],
    [on("candles"), on("branches")],
    [below("peaks")],
    [cutOuts],
    [broadside],
  ],
  money: [[broadside], [tiles], [cutOuts], [on("pots"), on("tea")]],
  organising: [[tiles], [broadside], [on("pots"), on("candles")], [cutOuts]],
  fashion: [[broadside], [cutOuts], [tiles], [on("branches"), on("figs")]],
  beauty: [[pressed("olive"), pressed("eucalyptus")], [on("branches"), on("tea")], [cutOuts], [broadside]],
  art: [[tiles], [cutOuts], [on("branches"), on("fruit")], [below("dunes")], [broadside]],
  pets: [[cutOuts], [broadside], [below("hills"), below("dunes")], [tiles]],
  parenting: [[cutOuts], [tiles], [broadside], [below("hills")]],
  handiwork: [[tiles], [broadside], [on("pots"), on("candles")], [cutOuts]],
};

const ODD_ONES = 0.12;

/** What a picture about this topic shows; `number` is the figure its keyword begins with, if any. */
export function chooseScene(random: Random, topic: string, number: string | undefined): Scene {
  const isOdd = random() < ODD_ONES;
  const sketch = pick(random, pick(random, isOdd ? ALL : (SUITED[topic] ?? ALL)));
  if (sketch.direction !== "broadside") return sketch;
  const { words, lists } = broadsideWords[topic] ?? USUAL_WORDS;
  return { direction: "broadside", big: number ?? pick(random, words), rows: pick(random, lists) };
}
