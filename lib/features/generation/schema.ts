import { z } from "zod";
import type { RowFault } from "#lib/core/errors.ts";
import { httpUrl } from "#lib/core/paths.ts";
import { DESCRIPTION_MAX, LINK_MAX } from "#lib/features/pins/constants.ts";
import { KEYWORD_MAX, KEYWORDS_MAX, type StageCode, type TaskStatus, TEXTS } from "./constants.ts";

/** One keyword of a request, cleaned (R-ENT-06). */
export interface KeywordRow {
  keyword: string;
  url: string | null;
}

/** One visible line: control characters and runs of spaces become one space, letters are composed. */
const toKeyword = (text: string): string =>
  text
    .toWellFormed()
    .replace(/[\p{Cc}\p{Zl}\p{Zp}\s]+/gu, " ")
    .normalize("NFC")
    .trim();

const isInvisible = (text: string): boolean => /^[\p{Cf}\s]*$/u.test(text);

const keywordRow = z.object({ keyword: z.string(), url: z.string().nullish() });

type ReadRow = { row: KeywordRow | null } | (Pick<RowFault, "field"> & { fault: string });

/** A row as sent: null when it has no keyword and is ignored (R-AIC-05); a fault in words when it is wrong. */
const readRow = (raw: unknown): ReadRow => {
  const parsed = keywordRow.safeParse(raw);
  if (!parsed.success) return { field: "keyword", fault: "needs a keyword as text and an optional url as text" };
  const keyword = toKeyword(parsed.data.keyword);
  if (isInvisible(keyword)) return { row: null };
  if (keyword.length > KEYWORD_MAX)
    return { field: "keyword", fault: `the keyword may have at most ${KEYWORD_MAX} characters` };
  const typed = parsed.data.url?.trim() ?? "";
  if (typed === "") return { row: { keyword, url: null } };
  const url = typed.length <= LINK_MAX && !/[\s\p{Cc}]/u.test(typed) ? httpUrl(typed) : null;
  if (!url || url.length > LINK_MAX) {
    return { field: "url", fault: `the URL must be a full http or https address of at most ${LINK_MAX} characters` };
  }
  return { row: { keyword, url } };
};

const keywordData = z
  .array(z.unknown(), TEXTS.enterKeyword)
  .max(1_000, `At most ${KEYWORDS_MAX} keywords can be generated at once`)
  .transform((raw, check): KeywordRow[] => {
    const rows: KeywordRow[] = [];
    for (const [index, one] of raw.entries()) {
      const read = readRow(one);
      if ("fault" in read) {
        const row: RowFault = { number: index + 1, field: read.field, text: read.fault };
        check.addIssue({ code: "custom", path: [index], message: `Row ${row.number}: ${row.text}`, params: { row } });
      } else if (read.row) rows.push(read.row);
    }
    if (check.issues.length > 0) return z.NEVER;
    const message =
      rows.length === 0
        ? TEXTS.enterKeyword
        : rows.length > KEYWORDS_MAX && `At most ${KEYWORDS_MAX} keywords can be generated at once`;
    if (message) check.addIssue({ code: "custom", message });
    return rows;
  });

/** POST /api/users/pinterest/generate-pins/ (R-AIC-08, A-92, A-93). */
export const generatePinsInput = z
  .object({
    pinterest_account: z.string(TEXTS.chooseAccount).min(1, TEXTS.chooseAccount).max(100, TEXTS.chooseAccount),
    board_id: z.string(TEXTS.chooseBoard).regex(/^\d{1,30}$/, TEXTS.chooseBoard),
    quality: z.enum(["high", "standard"], TEXTS.chooseQuality),
    keyword_data: keywordData,
  })
  .transform((wire) => ({
    accountId: wire.pinterest_account,
    boardId: wire.board_id,
    quality: wire.quality,
    rows: wire.keyword_data,
  }));
export type GeneratePinsInput = z.output<typeof generatePinsInput>;

/** GET /api/users/pinterest/track-pin-generation/?group_id= (R-TRK-03). */
export const trackGenerationInput = z
  .object({ group_id: z.string("group_id is needed").min(1, "group_id is needed").max(100, "group_id is too long") })
  .transform(({ group_id }) => ({ groupId: group_id }));
export type TrackGenerationInput = z.output<typeof trackGenerationInput>;

/** Input of the action that cancels a group. */
export const cancelGenerationInput = z.object({ groupId: z.string().min(1).max(100) });
export type CancelGenerationInput = z.output<typeof cancelGenerationInput>;

/** Input of the actions about a pin's newest picture. */
export const remakeInput = z.object({ pinId: z.string().min(1).max(100) });
export type RemakeInput = z.output<typeof remakeInput>;

/** Input of the action that starts a new picture for a pin. */
export const remakePictureInput = remakeInput.extend({ quality: z.enum(["high", "standard"], TEXTS.chooseQuality) });
export type RemakePictureInput = z.output<typeof remakePictureInput>;

/** Input of the action that suggests other words; `instead` is what stands in the form now. */
export const suggestWordsInput = remakeInput.extend({
  part: z.enum(["title", "description"]),
  instead: z.string().max(DESCRIPTION_MAX),
});
export type SuggestWordsInput = z.output<typeof suggestWordsInput>;

/** Data of the event `pins/generate.requested`. */
export const generateRequested = z.object({ taskId: z.string().min(1) });

/** R-ENT-08. `group_id` is null and `total_tasks` 0 when no pin was affordable (R-AIC-11). */
export interface StartWire {
  total_tasks: number;
  group_id: string | null;
  warning: string | null;
}

/** A new picture for a pin, made or in the making. */
export interface RemakeWire {
  group_id: string;
  task: TaskWire;
  /** Whether the pin shows it, and the one before can still be brought back. */
  can_undo: boolean;
}

/**
 * R-TRK-14. Two extras: `reason` of failed tasks, why, in words for the user; and the pin for which a task makes only a
 * new picture.
 */
export interface TaskWire {
  task_id: string;
  id: string;
  status: TaskStatus;
  stage: StageCode;
  keyword: string;
  title: string | null;
  description: string | null;
  image_url: string | null;
  url: string | null;
  progress_percentage: number;
  hasTitle: boolean;
  hasDescription: boolean;
  hasImage: boolean;
  replaces_pin_id?: string;
  reason?: string;
}

/** R-TRK-13. `estimated_time_remaining` is in seconds. */
export interface TrackingWire {
  total_tasks: number;
  completed_tasks: number;
  progress_percentage: number;
  tasks: TaskWire[];
  /** One count per stage code in lower case, plus `failed`. */
  stage_counts: Record<Lowercase<StageCode> | "failed", number>;
  estimated_time_remaining: number | null;
}
