import { FIELDS, type Field, type SheetFormat } from "../constants.ts";

/** The column of each field, from 0; a field without a column is absent. */
export type Mapping = Partial<Record<Field, number>>;

const headerKey = (header: string): string =>
  header
    .normalize("NFKC")
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, " ")
    .trim();

/** Columns of Pinterest's bulk format, in its order. https://help.pinterest.com/business/article/bulk-create-pins */
export const PINTEREST_COLUMNS = [
  "Title",
  "Media URL",
  "Pinterest board",
  "Thumbnail",
  "Description",
  "Link",
  "Publish date",
  "Keywords",
] as const;

/** Columns of a complete export; those that map to no field are results, which an import ignores. */
export const OWN_COLUMNS = [
  { header: "Title", field: "title" },
  { header: "Description", field: "description" },
  { header: "Destination link", field: "link" },
  { header: "Board", field: "board" },
  { header: "Board ID", field: "boardId" },
  { header: "Board section ID", field: "boardSectionId" },
  { header: "Image", field: "image" },
  { header: "Alt text", field: "altText" },
  { header: "Keyword", field: "keyword" },
  { header: "AI image", field: "aiImage" },
  { header: "Pin format", field: "format" },
  { header: "Scheduled for", field: "publishAt" },
  { header: "Time zone", field: null },
  { header: "Status", field: null },
  { header: "Published", field: null },
  { header: "Pinterest URL", field: null },
  { header: "Impressions", field: null },
  { header: "Pin clicks", field: null },
  { header: "Outbound clicks", field: null },
  { header: "Saves", field: null },
] as const satisfies readonly { header: string; field: Field | null }[];

/**
 * Names by which a sheet is recognized: all of `needs`, and one of `either` if given. Tailwind and Canva publish no
 * description of their exports; these are likely names.
 */
const SIGNATURES: { format: SheetFormat; needs: string[]; either?: string[] }[] = [
  { format: "own", needs: ["title", "board id", "image", "alt text", "scheduled for"] },
  { format: "pinterest", needs: ["title", "media url", "pinterest board"] },
  {
    format: "tailwind",
    needs: ["image url", "description"],
    either: ["board name", "board list", "boards", "board name s", "scheduled time", "send at", "source url"],
  },
  {
    format: "canva",
    needs: ["caption"],
    either: ["design url", "design title", "scheduled date", "design name", "channel"],
  },
];

export const recognizeFormat = (headers: readonly string[]): SheetFormat => {
  const known = new Set(headers.map(headerKey));
  const found = SIGNATURES.find(
    ({ needs, either }) =>
      needs.every((name) => known.has(name)) && (!either || either.some((name) => known.has(name))),
  );
  return found?.format ?? "other";
};

/** Names of columns by field, best first. */
const NAMES: Record<Field, readonly string[]> = {
  title: ["title", "pin title", "headline", "design title", "design name", "name", "titel", "titre", "título"],
  description: ["description", "pin description", "caption", "text", "body", "beschreibung", "descripción"],
  link: [
    ...["destination link", "link", "destination url", "pin url", "source url", "website", "website url", "url"],
    ...["landing page", "destination"],
  ],
  board: ["pinterest board", "board", "board name", "boards", "board list", "board name s", "pinnwand", "tablero"],
  boardId: ["board id"],
  boardSectionId: ["board section id", "section id"],
  image: [
    ...["media url", "image", "image url", "media", "picture", "photo", "image link", "image file", "file name"],
    ...["filename", "file", "bild", "imagen"],
  ],
  altText: ["alt text", "alt", "alternative text", "image alt text", "alttext"],
  publishAt: [
    ...["scheduled for", "publish date", "publish at", "scheduled time", "scheduled at", "scheduled date", "send at"],
    ...["publish date and time", "post date", "posting date", "schedule", "date and time", "date", "datum", "fecha"],
  ],
  publishTime: ["publish time", "post time", "posting time", "time of day", "time", "uhrzeit", "hora"],
  keyword: ["keyword", "keywords", "tags", "interests"],
  aiImage: ["ai image", "ai generated", "made with ai"],
  format: ["pin format"],
};

/** Columns by what the user chose for these names before, then by their names. No column is used twice. */
export const guessMapping = (
  headers: readonly string[],
  remembered: Readonly<Record<string, Field | null>>,
): Mapping => {
  const keys = headers.map(headerKey);
  const mapping: Mapping = {};
  const used = new Set<number>();
  const take = (field: Field, column: number): void => {
    if (column < 0 || used.has(column) || mapping[field] !== undefined) return;
    mapping[field] = column;
    used.add(column);
  };
  for (const [column, key] of keys.entries()) {
    const field = Object.hasOwn(remembered, key) ? remembered[key] : undefined;
    if (field) take(field, column);
    else if (field === null) used.add(column);
  }
  for (const field of FIELDS) {
    for (const name of NAMES[field]) take(field, keys.indexOf(name));
  }
  return mapping;
};

/** Column names that are remembered per account; the oldest are forgotten. */
const REMEMBERED_MAX = 200;

/** What each column of a sheet was used for, to be used again for columns of the same name. */
export const rememberMapping = (
  before: Readonly<Record<string, Field | null>>,
  headers: readonly string[],
  mapping: Mapping,
): Record<string, Field | null> => {
  const fieldOf = new Map(Object.entries(mapping).map(([field, column]) => [column, field as Field]));
  const now = headers.map((header, column) => [headerKey(header), fieldOf.get(column) ?? null] as const);
  const names = new Set(now.map(([key]) => key));
  const kept = Object.entries(before).filter(([key]) => !names.has(key));
  return Object.fromEntries([...kept, ...now].filter(([key]) => key !== "").slice(-REMEMBERED_MAX));
};
