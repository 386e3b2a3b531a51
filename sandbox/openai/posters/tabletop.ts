import type { Random } from "../seed.ts";
import type { Palette } from "./palettes.ts";
import type { Sheet } from "./sheet.ts";

/** What an arrangement draws with: the sheet, the colours, the colour of shadows, and chance. */
export type Tabletop = { sheet: Sheet; palette: Palette; shade: string; random: Random };
