import "server-only";
import type { Ctx } from "#lib/context.ts";
import { toIsoOrNull } from "#lib/core/time.ts";
import { warningOf } from "#lib/features/links/policy.ts";
import type { KnownLink } from "#lib/features/links/schema.ts";
import { signedImageUrl } from "#lib/features/pins/image-urls.ts";
import { thumbnailKeys } from "#lib/features/pins/policy.ts";
import { REVIEW_PAGE, type ReviewFilter } from "./constants.ts";
import { boardKey, type PlannedRow } from "./planning.ts";
import type { Import, ImportedRow } from "./queries.ts";
import type { PlannedImport } from "./review.ts";
import { boardName, type ImportWire, type ReviewRowWire, type StagedWire } from "./schema.ts";

const SAMPLE_ROWS = 3;
const SAMPLE_CHARS = 80;

const isImageWaiting = (row: ImportedRow): boolean => row.imageRef !== null && row.imageRef !== row.imageDone;

type Checks = ReadonlyMap<string, KnownLink>;

/** Also before its check was requested, which the import's run does. */
export const isBeingChecked = (link: string | null, checks: Checks, { wakeAt }: Pick<Import, "wakeAt">): boolean =>
  link !== null && (checks.get(link)?.isBeingChecked ?? wakeAt !== null);

const toRowWire = (
  ctx: Ctx,
  row: ImportedRow,
  plan: PlannedRow,
  { checks, open, paceTexts }: Pick<Review, "checks" | "open" | "paceTexts">,
): ReviewRowWire => {
  const check = plan.link === null ? undefined : checks.get(plan.link);
  const hasImage = row.imageKey !== null && row.imageRef === row.imageDone;
  return {
    number: row.number,
    is_chosen: row.isChosen,
    is_changed: Object.keys(row.fixes).length > 0,
    values: plan.values,
    board: plan.board?.name ?? null,
    board_id: plan.board?.id ?? null,
    scheduled_at: toIsoOrNull(plan.scheduledAt),
    image_url: hasImage && row.imageKey ? (thumbnailKeys(signedImageUrl(ctx, row.imageKey))[0] ?? null) : null,
    image_state: hasImage ? "ready" : isImageWaiting(row) && row.isChosen ? "waiting" : "none",
    link_state: check?.state ?? null,
    link_warning: warningOf(plan.link, check ?? null),
    pace_warning: paceTexts.get(row.number) ?? null,
    link_checking: row.isChosen && isBeingChecked(plan.link, checks, open),
    problems: plan.problems,
    notes: plan.notes,
  };
};

export interface ReviewPage {
  /** From 0. */
  page: number;
  pages: number;
  rows: { row: ImportedRow; plan: PlannedRow }[];
}

const isShown = (row: ImportedRow, plan: PlannedRow | undefined, filter: ReviewFilter): boolean => {
  if (filter === "left_out") return !row.isChosen;
  return filter === "all" || (row.isChosen && plan?.pin === null);
};

/** The last page when there are fewer. */
export const pageOf = ({ rows, plans }: PlannedImport, filter: ReviewFilter, page: number): ReviewPage => {
  const shown = rows.flatMap((row, at) => {
    const plan = plans[at];
    return plan && isShown(row, plan, filter) ? [{ row, plan }] : [];
  });
  const pages = Math.max(1, Math.ceil(shown.length / REVIEW_PAGE));
  const at = Math.min(page, pages - 1);
  return { page: at, pages, rows: shown.slice(at * REVIEW_PAGE, (at + 1) * REVIEW_PAGE) };
};

interface Review {
  open: Import;
  planned: PlannedImport;
  username: string;
  shown: ReviewPage;
  checks: Checks;
  /** By row number. */
  paceTexts: ReadonlyMap<number, string>;
}

const countsOf = ({ rows, plans }: PlannedImport, paceTexts: Review["paceTexts"]): ImportWire["counts"] => {
  const chosen = rows.flatMap((row, at) => (row.isChosen ? [{ row, plan: plans[at] }] : []));
  const valid = chosen.filter(({ plan }) => plan?.pin);
  const scheduled = valid.filter(({ plan }) => plan?.scheduledAt).length;
  return {
    rows: rows.length,
    chosen: chosen.length,
    problems: chosen.length - valid.length,
    left_out: rows.length - chosen.length,
    images_waiting: chosen.filter(({ row }) => isImageWaiting(row)).length,
    images_failed: chosen.filter(({ row }) => !isImageWaiting(row) && row.imageProblem !== null).length,
    drafts: valid.length - scheduled,
    scheduled,
    too_fast: paceTexts.size,
  };
};

/** Each is a banner on the screen. */
const MISSING_BOARDS_MAX = 10;

const missingBoards = ({ frame, rows, plans }: PlannedImport): ImportWire["missing_boards"] => {
  if (frame.boards === null) return { names: [], more: 0 };
  const known = new Set(frame.boards.map(({ name }) => boardKey(name)));
  const missing = new Map<string, string>();
  for (const [at, { isChosen }] of rows.entries()) {
    const plan = plans[at];
    if (!isChosen || !plan || plan.board !== null) continue;
    const key = boardKey(plan.values.board);
    const creatable = boardName.safeParse(plan.values.board);
    if (creatable.success && !known.has(key) && !missing.has(key)) missing.set(key, creatable.data);
  }
  const names = [...missing.values()];
  return { names: names.slice(0, MISSING_BOARDS_MAX), more: Math.max(0, names.length - MISSING_BOARDS_MAX) };
};

export const toImportWire = (review: Review, ctx: Ctx): ImportWire => {
  const { open, planned, username, shown } = review;
  const { rows, frame } = planned;
  return {
    ...{ id: open.id, status: open.status, version: open.runs, account_id: open.accountId, username },
    file_name: open.fileName,
    ...{ format: open.format, headers: open.headers, mapping: open.mapping, is_scheduled: open.isScheduled },
    samples: rows.slice(0, SAMPLE_ROWS).map(({ cells }) => cells.map((cell) => cell.slice(0, SAMPLE_CHARS))),
    time_zone: frame.timeZone,
    reason: open.reason,
    counts: countsOf(planned, review.paceTexts),
    missing_boards: missingBoards(planned),
    boards: (frame.boards ?? []).map(({ id, name }) => ({ id, name })),
    page: shown.page,
    pages: shown.pages,
    rows: shown.rows.map(({ row, plan }) => toRowWire(ctx, row, plan, review)),
    created: open.status === "done" ? { drafts: open.drafts, scheduled: open.scheduled } : null,
  };
};

export const toStagedWire = (staged: { importId: string; rows: number }): StagedWire => ({
  import_id: staged.importId,
  rows: staged.rows,
});
