import type { PaletteName } from "./palettes.ts";

/** The words on a poster: one or two lines of headline, and a caption. */
export type PosterText = { lines: string[]; caption: string };

/** What rolls below the disc of "Ridgeline". */
export type Terrain = "hills" | "peaks" | "water" | "dunes";

/** What stands on the table of "Still life". */
export type Arrangement = "branches" | "figs" | "bread" | "pots" | "fruit" | "candles" | "tea";

/** The pressed specimen of "Plate". */
export type Plant = "herb" | "eucalyptus" | "fir" | "olive" | "umbel" | "wreath";

/** A line of the list on "Broadside": name and value. */
export type BroadsideRow = readonly [name: string, value: string];

/** The huge numeral or word of "Broadside", and its list. */
export type BroadsideContent = { big: string; rows: readonly BroadsideRow[] };

/** The scene: one of the poster directions of the look, with what it shows. */
export type Scene =
  | { direction: "plate"; plant: Plant }
  | { direction: "ridgeline"; terrain: Terrain }
  | { direction: "still-life"; arrangement: Arrangement }
  | { direction: "cut-outs" }
  | { direction: "tilework" }
  | ({ direction: "broadside" } & BroadsideContent);

/** Encodings of a picture. */
export type PictureFormat = "png" | "jpeg" | "webp";

/** Everything a picture depends on; plain data, so that it can cross to a drawing thread. */
export type PosterSpec = {
  widthPx: number;
  heightPx: number;
  format: PictureFormat;
  /** 0 to 100; ignored for png. */
  quality: number;
  palette: PaletteName;
  /** Whether the two accent colours of the palette change places. */
  isSwapped: boolean;
  seed: number;
  scene: Scene;
  text: PosterText;
};
