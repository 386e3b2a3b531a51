import "server-only";
import type { z } from "zod";
import { AppError } from "#lib/core/errors.ts";
import { httpUrl } from "#lib/core/paths.ts";
import { firstChars, visible } from "#lib/core/text.ts";
import { instantOf } from "#lib/core/zoned-time.ts";
import { TEXTS as PIN_TEXTS } from "#lib/features/pins/constants.ts";
import { altText, boardSectionId, description, link, title } from "#lib/features/pins/schema.ts";
import { planStart } from "#lib/features/publishing/free-times.ts";
import { type Field, KEYWORD_MAX, TEXTS } from "./constants.ts";
import type { Mapping } from "./engine/formats.ts";
import { type DateOrder, readTime } from "./engine/times.ts";
import { boardName } from "./schema.ts";

/** A row of the sheet with what the user changed. */
export interface StagedRow {
  cells: readonly string[];
  fixes: Readonly<Partial<Record<Field, string>>>;
  imageRef: string | null;
  imageDone: string | null;
  imageKey: string | null;
  imageProblem: string | null;
}

export interface NamedBoard {
  id: string;
  name: string;
}

/** What all rows of an import share. */
export interface PlanFrame {
  mapping: Mapping;
  /** Null while Pinterest doesn't respond. */
  boards: readonly NamedBoard[] | null;
  /** IDs of the sections of each board whose section a row names; without boards that couldn't be read. */
  sections: ReadonlyMap<string, ReadonlySet<string>>;
  /** Names of images in the ZIP file, as in {@link imageRefOf}. */
  files: ReadonlySet<string>;
  timeZone: string;
  isScheduled: boolean;
  dateOrder: DateOrder;
  now: Date;
}

/** A pin that the user confirmed. `scheduledAt`: ISO; null for a draft. */
export interface PlannedPin {
  title: string;
  description: string;
  altText: string;
  link: string | null;
  boardId: string;
  /** Absent in imports confirmed before there were sections. */
  boardSectionId?: string | null;
  keyword: string | null;
  source: "ai" | "manual";
  scheduledAt: string | null;
}

interface FieldText {
  field: Field;
  text: string;
}

/** A row as it would become. `pin` is null with problems; the parts that are valid are shown all the same. */
export interface PlannedRow {
  values: Record<Field, string>;
  pin: PlannedPin | null;
  board: NamedBoard | null;
  link: string | null;
  scheduledAt: Date | null;
  problems: FieldText[];
  notes: FieldText[];
}

export const textIn = (
  { cells, fixes }: Pick<StagedRow, "cells" | "fixes">,
  mapping: Mapping,
  field: Field,
): string => {
  const column = mapping[field];
  return (fixes[field] ?? (column === undefined ? "" : (cells[column] ?? ""))).trim();
};

export const linkOf = (row: Pick<StagedRow, "cells" | "fixes">, mapping: Mapping): string | null =>
  link.safeParse(textIn(row, mapping, "link")).data ?? null;

export const isImageUrl = (ref: string): boolean => /^https?:\/\//i.test(ref);

/** What an image's cell names: its URL, or the name of a file in lower case and without folders; null when empty. */
export const imageRefOf = (text: string): string | null => {
  const value = text.trim();
  if (value === "") return null;
  return isImageUrl(value) ? value : (value.split(/[/\\]/).at(-1) ?? value).normalize("NFC").toLowerCase();
};

/** Names with the same key are the same board's. */
export const boardKey = (name: string): string => visible(name).replaceAll(/\s+/g, " ").toLowerCase();

/** By ID, then by name. Two boards of the same name can only be told apart by ID. */
export const findBoard = (boards: readonly NamedBoard[], id: string, name: string): NamedBoard | "several" | null => {
  const byId = boards.find((board) => board.id === id);
  if (byId) return byId;
  const named = boards.filter((board) => boardKey(board.name) === boardKey(name));
  return named.length > 1 ? "several" : (named[0] ?? null);
};

interface Draft {
  frame: PlanFrame;
  values: Record<Field, string>;
  problems: FieldText[];
  notes: FieldText[];
}

const FIELDS_READ: readonly Field[] = [
  ...(["title", "description", "link", "board", "boardId", "boardSectionId"] as const),
  ...(["image", "altText", "publishAt", "publishTime", "keyword", "aiImage", "format"] as const),
];

const readField = <S extends z.ZodType>(draft: Draft, field: Field, schema: S): z.output<S> | null => {
  const parsed = schema.safeParse(draft.values[field]);
  if (parsed.success) return parsed.data;
  draft.problems.push({ field, text: parsed.error.issues[0]?.message ?? "" });
  return null;
};

const readBoard = ({ frame, values, problems }: Draft): NamedBoard | null => {
  const { board: name, boardId } = values;
  const report = (text: string): null => {
    problems.push({ field: "board", text });
    return null;
  };
  if (frame.boards === null) return report(TEXTS.boardsUnknown);
  if (name === "" && boardId === "") return report(TEXTS.boardMissing);
  const found = findBoard(frame.boards, boardId, name);
  if (found === "several") return report(TEXTS.boardTwice(name));
  if (found) return found;
  if (name === "") return report(TEXTS.boardIdUnknown);
  return report(boardName.safeParse(name).success ? TEXTS.boardUnknown(name) : TEXTS.boardNotCreatable);
};

const readSection = (draft: Draft, board: NamedBoard | null): string | null => {
  if (draft.values.boardSectionId === "") return null;
  const section = readField(draft, "boardSectionId", boardSectionId);
  const known = board && draft.frame.sections.get(board.id);
  if (section !== null && known && !known.has(section)) {
    draft.problems.push({ field: "boardSectionId", text: PIN_TEXTS.sectionForeign });
  }
  return section;
};

const imageProblemOf = ({ frame, values }: Draft, row: StagedRow): string | null => {
  if (/^(video|carousel)$/i.test(values.format)) return TEXTS.formatNotImported;
  const ref = imageRefOf(values.image);
  if (ref === null) return TEXTS.imageMissing;
  if (isImageUrl(ref)) {
    if (httpUrl(ref) === null) return TEXTS.imageUrlInvalid;
  } else if (!frame.files.has(ref)) return TEXTS.imageNotInZip(ref);
  return row.imageDone === ref && row.imageKey === null ? (row.imageProblem ?? TEXTS.imageUnreadable) : null;
};

const CLOCK_NOTES = { skipped: "clockSkipped", repeated: "clockRepeated" } as const;

const readScheduled = ({ frame, values, problems, notes }: Draft): Date | null => {
  const field = "publishAt";
  const note = (text: string): void => void notes.push({ field, text });
  if (values.publishAt === "") {
    note(TEXTS.noTime);
    return null;
  }
  const read = readTime(values.publishAt, values.publishTime, frame.dateOrder);
  const resolved = read?.kind === "local" ? instantOf(read.localTime, frame.timeZone) : null;
  const at = read?.kind === "instant" ? read.at : resolved?.at;
  if (!at) {
    problems.push({ field, text: TEXTS.timeUnreadable });
    return null;
  }
  if (read?.kind === "local" && !read.hasTime) note(TEXTS.dateOnly);
  if (resolved && resolved.clock !== "plain") note(TEXTS[CLOCK_NOTES[resolved.clock]]);
  try {
    return planStart(at, frame.now);
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    problems.push({ field, text: error.message });
    return null;
  }
};

const keywordOf = (text: string): string | null =>
  firstChars(visible(text).replace(/\s*\n\s*/g, " "), KEYWORD_MAX) || null;

/** Changes nothing and asks nobody: the same row, frame, and time give the same plan. */
export const planRow = (row: StagedRow, frame: PlanFrame): PlannedRow => {
  const values = Object.fromEntries(FIELDS_READ.map((field) => [field, textIn(row, frame.mapping, field)])) as Record<
    Field,
    string
  >;
  const draft: Draft = { frame, values, problems: [], notes: [] };
  const texts = {
    title: readField(draft, "title", title),
    description: readField(draft, "description", description),
    link: readField(draft, "link", link),
    altText: readField(draft, "altText", altText),
  };
  const board = readBoard(draft);
  const section = readSection(draft, board);
  const imageProblem = imageProblemOf(draft, row);
  if (imageProblem !== null) draft.problems.push({ field: "image", text: imageProblem });
  const scheduledAt = frame.isScheduled ? readScheduled(draft) : null;
  const { problems, notes } = draft;
  const pin: PlannedPin | null =
    problems.length > 0 || !board
      ? null
      : {
          title: texts.title ?? "",
          description: texts.description ?? "",
          altText: texts.altText ?? "",
          link: texts.link,
          boardId: board.id,
          boardSectionId: section,
          keyword: keywordOf(values.keyword),
          source: /^(yes|y|true|1|ai)$/i.test(values.aiImage) ? "ai" : "manual",
          scheduledAt: scheduledAt?.toISOString() ?? null,
        };
  return { values, pin, board, link: texts.link, scheduledAt, problems, notes };
};
