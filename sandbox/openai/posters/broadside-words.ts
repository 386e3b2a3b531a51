import type { BroadsideRow } from "./spec.ts";

/** What a broadside shouts about a topic, and the short lists of which one stands below. */
export type BroadsideWords = { words: readonly string[]; lists: readonly (readonly BroadsideRow[])[] };

/** Lists are written `name: value; name: value`. */
const entry = (words: readonly string[], ...lists: string[]): BroadsideWords => ({ words, lists: lists.map(readList) });

function readList(list: string): BroadsideRow[] {
  return list.split("; ").map((row): BroadsideRow => {
    const [name = "", value = ""] = row.split(": ");
    return [name, value];
  });
}

/** For topics without words of their own. */
export const USUAL_WORDS = entry(
  ["Begin", "Keep", "Try"],
  "look: first; choose: one thing; begin: today",
  "on Monday: I; midweek: II; by Sunday: III",
);

/** By topic name. Words are short, so that they can be set very large. */
export const broadsideWords: Record<string, BroadsideWords> = {
  food: entry(
    ["Eat", "Cook", "Supper"],
    "chop: 5 min; simmer: 20 min; serve: warm",
    "Monday: soup; Wednesday: greens; Friday: pasta",
  ),
  baking: entry(
    ["Bake", "Bread", "Rise"],
    "mix: 10 min; rest: 1 hour; bake: 35 min",
    "flour: 500 g; water: 350 g; salt: 10 g",
  ),
  gardening: entry(
    ["Grow", "Sow", "Bloom"],
    "sow: in March; plant out: in May; pick: in July",
    "sun: six hours; water: at dusk; feed: monthly",
  ),
  interiors: entry(
    ["Home", "Room", "Light"],
    "walls: chalk; floor: oak; curtains: linen",
    "lamp: low; sofa: deep; shelf: half full",
  ),
  travel: entry(
    ["Go", "Roam", "Away"],
    "morning: market; noon: shade; evening: harbour",
    "one bag: 7 kg; one book: thin; one map: paper",
  ),
  outdoors: entry(
    ["Walk", "Hike", "Out"],
    "map: dry; flask: hot; boots: waxed",
    "to the ford: 2 km; to the hut: 5 km; home: 9 km",
  ),
  weddings: entry(
    ["Yes", "Two", "Vows"],
    "ceremony: at two; toasts: at five; dancing: till late",
    "flowers: local; table: long; lights: warm",
  ),
  crafts: entry(
    ["Make", "Stitch", "Fold"],
    "scissors: sharp; paper: heavy; evening: free",
    "cast on: 60; knit: twelve rows; rest: with tea",
  ),
  books: entry(
    ["Read", "Pages"],
    "before bed: I–IV; on the train: V–IX; by the fire: X–XII",
    "one novel: long; one essay: short; one poem: by heart",
  ),
  study: entry(
    ["Learn", "Notes", "Focus"],
    "read: 25 min; write: 20 min; rest: 5 min",
    "Monday: outline; Wednesday: draft; Friday: repeat",
  ),
  wellbeing: entry(
    ["Rest", "Slow", "Calm"],
    "breathe: 4 counts; stretch: 5 min; sleep: by ten",
    "tea: at four; walk: at six; lamp: low",
  ),
  fitness: entry(
    ["Move", "Run", "Strong"],
    "warm up: 5 min; work: 12 min; cool down: 3 min",
    "Monday: legs; Wednesday: core; Friday: arms",
  ),
  seasonal: entry(
    ["Feast", "Glow", "Joy"],
    "garland: green; candles: twelve; table: full",
    "wrap: early; bake: twice; rest: often",
  ),
  money: entry(
    ["Save", "Spend", "Plan"],
    "needs: 50 %; wants: 30 %; savings: 20 %",
    "rent: first; food: weekly; treats: counted",
  ),
  organising: entry(
    ["Tidy", "Sort", "Less"],
    "keep: a third; give: a third; mend: a third",
    "drawers: Monday; shelves: Tuesday; papers: Friday",
  ),
  fashion: entry(
    ["Wear", "Linen", "Layer"],
    "knits: 6; shirts: 7; trousers: 5",
    "navy: daily; cream: often; rust: a little",
  ),
  beauty: entry(
    ["Glow", "Fresh", "Soft"],
    "cleanse: evening; moisturise: twice; protect: always",
    "brush: soft; oil: two drops; sleep: eight hours",
  ),
  parenting: entry(
    ["Play", "Small", "Grow"],
    "paper: lots; paint: washable; time: an hour",
    "puddles: jump; stories: two; nap: please",
  ),
  pets: entry(
    ["Sit", "Walk", "Paws"],
    "walk: at seven; brush: weekly; treats: small",
    "sit: day one; stay: day four; come: day nine",
  ),
  art: entry(
    ["Draw", "Paint", "Line"],
    "pencil: 2B; paper: rough; light: north",
    "sketch: 5 min; wash: 20 min; dry: overnight",
  ),
  handiwork: entry(
    ["Build", "Mend", "Wood"],
    "measure: twice; cut: once; sand: always",
    "oak: 18 mm; screws: 24; oil: two coats",
  ),
};
