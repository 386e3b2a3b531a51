import type { Dimension } from "#lib/features/analytics/constants.ts";
import type { ResultRowWire } from "#lib/features/analytics/schema.ts";

/** What pins are grouped by, as tabs and heads of columns name it. */
export const DIMENSION_NAMES: Record<Dimension, string> = {
  keyword: "Keyword",
  board: "Board",
  weekday: "Weekday",
  hour: "Hour",
  style: "Picture",
  template: "Template",
  link: "Link",
};

/** The same in the middle of a sentence, one and several. */
export const DIMENSION_WORDS: Record<Dimension, { one: string; many: string }> = {
  keyword: { one: "keyword", many: "keywords" },
  board: { one: "board", many: "boards" },
  weekday: { one: "weekday", many: "weekdays" },
  hour: { one: "hour", many: "hours" },
  style: { one: "kind of picture", many: "kinds of pictures" },
  template: { one: "template", many: "templates" },
  link: { one: "link", many: "links" },
};

/** Names that only the browser can look up: of boards, which are read live and never kept. */
export type BoardNames = ReadonlyMap<string, string>;

/**
 * What a row of a report is called: as the server says; a board by its name, or by its id where Pinterest tells none.
 * @param boards null while they are on their way
 */
export const rowLabel = ({ key, label }: Pick<ResultRowWire, "key" | "label">, boards: BoardNames | null): string =>
  label ?? (boards ? (boards.get(key) ?? `Board ${key}`) : "Board …");
