import { z } from "zod";
import type { RowFault } from "#lib/core/errors.ts";
import { httpUrl, type ImageSource } from "#lib/core/paths.ts";
import { withoutDirections } from "#lib/core/text.ts";
import type { PageWire } from "#lib/features/pages/schema.ts";
import { DESCRIPTION_MAX, LINK_MAX } from "#lib/features/pins/constants.ts";
import { boardSectionId } from "#lib/features/pins/schema.ts";
import {
  KEYWORD_MAX,
  KEYWORDS_MAX,
  type StageCode,
  type TaskStatus,
  TEXTS,
  UNREAD_PAGE_CHOICES,
  VARIANTS,
} from "./constants.ts";

export interface KeywordRow {
  keyword: string;
  url: string | null;
  /** `page`: the pin gets the page's own image. By default one is generated. */
  imageSource?: ImageSource;
}

const toKeyword = (text: string): string =>
  withoutDirections(text.toWellFormed())
    .replace(/[\p{Cc}\p{Zl}\p{Zp}\s]+/gu, " ")
    .normalize("NFC")
    .trim();

export const isInvisible = (text: string): boolean => /^[\p{Cf}\s]*$/u.test(text);

const keywordRow = z.object({ keyword: z.string(), url: z.string().nullish(), image: z.unknown().optional() });

const sentence = (fault: string): string => `${fault[0]?.toUpperCase() ?? ""}${fault.slice(1)}.`;

type ReadRow = { row: KeywordRow | null } | (Pick<RowFault, "field"> & { fault: string });

const imageSource = z.enum(["generated", "page"]).nullish();

/** `row` is null without a keyword, which is ignored; `fault` says what is wrong. */
const readRow = (raw: unknown): ReadRow => {
  const parsed = keywordRow.safeParse(raw);
  if (!parsed.success)
    return { field: "keyword", fault: "needs a keyword that is text, and a URL that is text or left out" };
  const keyword = toKeyword(parsed.data.keyword);
  if (isInvisible(keyword)) return { row: null };
  if (keyword.length > KEYWORD_MAX)
    return { field: "keyword", fault: `the keyword can have at most ${KEYWORD_MAX} characters` };
  const image = imageSource.safeParse(parsed.data.image);
  if (!image.success) return { field: "image", fault: "the image must be generated or page" };
  const source = image.data ?? "generated";
  const typed = parsed.data.url?.trim() ?? "";
  if (typed === "" && source === "page") return { field: "image", fault: "the image of a page needs a URL" };
  if (typed === "") return { row: { keyword, url: null } };
  const url = typed.length <= LINK_MAX && !/[\s\p{Cc}]/u.test(typed) ? httpUrl(typed) : null;
  if (!url || url.length > LINK_MAX) {
    return {
      field: "url",
      fault: `the URL must start with http:// or https:// and have at most ${LINK_MAX} characters`,
    };
  }
  return { row: { keyword, url, ...(source === "page" && { imageSource: source }) } };
};

const keywordData = z
  .array(z.unknown(), TEXTS.enterKeyword)
  .max(1_000, `You can enter up to ${KEYWORDS_MAX} keywords at once`)
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
        : rows.length > KEYWORDS_MAX && `You can enter up to ${KEYWORDS_MAX} keywords at once`;
    if (message) check.addIssue({ code: "custom", message });
    return rows;
  });

export const generatePinsInput = z
  .object({
    pinterest_account: z.string(TEXTS.chooseAccount).min(1, TEXTS.chooseAccount).max(100, TEXTS.chooseAccount),
    board_id: z.string(TEXTS.chooseBoard).regex(/^\d{1,30}$/, TEXTS.chooseBoard),
    board_section_id: boardSectionId.nullish(),
    quality: z.enum(["high", "standard"], TEXTS.chooseQuality),
    unreadable_page: z
      .enum(UNREAD_PAGE_CHOICES, `unreadable_page must be one of: ${UNREAD_PAGE_CHOICES.join(", ")}.`)
      .nullish(),
    variants: z.literal(VARIANTS, TEXTS.variants).nullish(),
    keyword_data: keywordData,
  })
  .refine(({ variants, keyword_data: rows }) => rows.length * (variants ?? 1) <= KEYWORDS_MAX, {
    path: ["variants"],
    error: TEXTS.tooManyPins,
  })
  .transform((wire) => ({
    accountId: wire.pinterest_account,
    boardId: wire.board_id,
    ...(wire.board_section_id && { boardSectionId: wire.board_section_id }),
    quality: wire.quality,
    ...(wire.unreadable_page && { unreadPage: wire.unreadable_page }),
    ...(wire.variants && { variants: wire.variants }),
    rows: wire.keyword_data,
  }));
export type GeneratePinsInput = z.output<typeof generatePinsInput>;

export const trackGenerationInput = z
  .object({
    group_id: z.string("group_id is required").min(1, "group_id is required").max(100, "group_id is too long"),
  })
  .transform(({ group_id }) => ({ groupId: group_id }));
export type TrackGenerationInput = z.output<typeof trackGenerationInput>;

export const cancelGenerationInput = z.object({ groupId: z.string().min(1).max(100) });
export type CancelGenerationInput = z.output<typeof cancelGenerationInput>;

export const regenerationInput = z.object({ pinId: z.string().min(1).max(100) });
export type RegenerationInput = z.output<typeof regenerationInput>;

export const regenerateImageInput = regenerationInput.extend({
  quality: z.enum(["high", "standard"], TEXTS.chooseQuality),
});
export type RegenerateImageInput = z.output<typeof regenerateImageInput>;

/** `instead` is the current text in the form. */
export const suggestTextInput = regenerationInput.extend({
  part: z.enum(["title", "description"]),
  instead: z.string().max(DESCRIPTION_MAX),
});
export type SuggestTextInput = z.output<typeof suggestTextInput>;

export const previewTextInput = z
  .object({ accountId: z.string().min(1).max(100), keyword: z.string().max(1_000), url: z.string().max(10_000) })
  .transform(({ accountId, keyword, url }, check) => {
    const read = readRow({ keyword, url });
    if (!("fault" in read) && read.row) return { accountId, ...read.row };
    check.addIssue({ code: "custom", message: "fault" in read ? sentence(read.fault) : TEXTS.enterKeyword });
    return z.NEVER;
  });
export type PreviewTextInput = z.output<typeof previewTextInput>;

/** `problem`: why the page wasn't used; null without a page or when it was. */
export interface TextPreview {
  title: string;
  description: string;
  problem: string | null;
}

export const generateRequested = z.object({ taskId: z.string().min(1) });

/** `group_id` is null and `total_tasks` 0 when no pin was affordable. */
export interface StartWire {
  total_tasks: number;
  group_id: string | null;
  warning: string | null;
}

export interface RegenerationWire {
  group_id: string;
  task: TaskWire;
  /** The pin still shows the new image. */
  can_undo: boolean;
}

/** `reason` is shown to the user; `replaces_pin_id`: that pin gets only a new image; `page`: once it was read. */
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
  page?: PageWire;
}

/** `estimated_time_remaining` is in seconds. */
export interface TrackingWire {
  total_tasks: number;
  completed_tasks: number;
  progress_percentage: number;
  tasks: TaskWire[];
  stage_counts: Record<Lowercase<StageCode> | "failed", number>;
  estimated_time_remaining: number | null;
}
