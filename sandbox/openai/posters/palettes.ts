import { luminance, mix } from "./color.ts";

/** Six roles: the ground, the ink of the title, and four flat colours from main (a) to accent (d). */
export type Palette = { ground: string; ink: string; a: string; b: string; c: string; d: string };

/** All palettes by name. Titles in ink on the ground keep a contrast of at least 4.5. */
export const palettes = {
  moss: { ground: "#EFECDF", ink: "#1E3A2C", a: "#2E5B45", b: "#93AA8C", c: "#D9A546", d: "#C7664B" },
  clay: { ground: "#F2E4D5", ink: "#47231A", a: "#B2543A", b: "#E2A783", c: "#37584D", d: "#E8BE62" },
  dusk: { ground: "#E4E7E8", ink: "#1C2A44", a: "#3A557E", b: "#9DB1C8", c: "#E5A98D", d: "#F3DFC1" },
  citrus: { ground: "#FAF1D3", ink: "#2F3A1B", a: "#E3A11C", b: "#F2CB66", c: "#61803D", d: "#DA6E3D" },
  plum: { ground: "#F1E5E2", ink: "#3B2034", a: "#713E5F", b: "#CB91A6", c: "#E6C7A2", d: "#60775A" },
  night: { ground: "#173429", ink: "#F2ECDB", a: "#E6C268", b: "#7DA386", c: "#CB785C", d: "#2C5543" },
  brick: { ground: "#AC4E36", ink: "#FBEFDF", a: "#F2C49B", b: "#7C2F20", c: "#F0D9B5", d: "#2F4B40" },
  sea: { ground: "#DDE8E3", ink: "#12383B", a: "#1F6266", b: "#86B3AC", c: "#F0C9A0", d: "#E07F5B" },
  nightfall: { ground: "#14302A", ink: "#F2ECDB", a: "#3B6A63", b: "#6E9A8C", c: "#E9C877", d: "#CB785C" },
  butter: { ground: "#F4DE9B", ink: "#3A2B12", a: "#C96F3B", b: "#EBC66A", c: "#456349", d: "#FBF3DC" },
  heather: { ground: "#ECE6EA", ink: "#2B2440", a: "#5B4C7D", b: "#B3A5C6", c: "#E8B98F", d: "#7C9A84" },
  olive: { ground: "#EDEBD8", ink: "#2C3016", a: "#6B7237", b: "#B4B686", c: "#D9824A", d: "#8C4A34" },
  rosewood: { ground: "#F6E6DF", ink: "#4A1F26", a: "#A34654", b: "#DFA39B", c: "#F0C86E", d: "#56706A" },
  midnight: { ground: "#18233F", ink: "#F3EBDD", a: "#4B6590", b: "#7F96B8", c: "#F0C987", d: "#D98468" },
  tide: { ground: "#EAF0EA", ink: "#16324A", a: "#2F6E8E", b: "#8FBBC4", c: "#F2B279", d: "#D9604C" },
} as const satisfies Record<string, Palette>;

export type PaletteName = keyof typeof palettes;

/** Whether a palette's ground is dark, so that its ink is light. */
export function isNight(palette: Palette): boolean {
  return luminance(palette.ground) < 0.18;
}

/** The darkest tone of a palette: its ink by day, below its ground by night. Shadows are made of it. */
export function deepest(palette: Palette): string {
  return isNight(palette) ? mix(palette.ground, "#000000", 0.42) : palette.ink;
}
