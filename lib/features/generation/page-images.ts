import "server-only";
import type { Ctx } from "#lib/context.ts";
import { AppError } from "#lib/core/errors.ts";
import { unreadText } from "#lib/features/pages/policy.ts";
import { IMAGE_BYTES_MAX } from "#lib/features/pins/constants.ts";
import { withImageFile } from "#lib/features/pins/images.ts";
import type { AiProblem } from "#lib/integrations/ai/port.ts";
import type { ImageAnswer, LinksPort } from "#lib/integrations/links/port.ts";
import { PAGE_IMAGES_JUDGED_MAX, PAGE_IMAGES_JUDGED_MS, PAGE_IMAGES_TRIED, TEXTS } from "./constants.ts";
import { countTakenImages, findEarlierPins, type Task } from "./queries.ts";
import { findTaskReading } from "./task-pages.ts";

type PageImage = { kind: "image"; jpeg: Uint8Array } | { kind: "problem"; problem: AiProblem } | { kind: "stopped" };

/** `isFinal`: trying again changes nothing. */
interface Refusal {
  text: string;
  isFinal: boolean;
}

const problemOf = ({ text, isFinal }: Refusal): PageImage => ({
  kind: "problem",
  problem: { kind: isFinal ? "refused" : "unusable", text },
});

const toRefusal = (answer: Exclude<ImageAnswer, { kind: "fetched" }>): Refusal => {
  if (answer.kind === "too_large") return { text: TEXTS.pageImageLarge, isFinal: true };
  const isTemporary =
    answer.kind === "no_answer" || (answer.kind === "status" && (answer.status >= 500 || answer.status === 429));
  return { text: TEXTS.pageImageGone, isFinal: !isTemporary };
};

/** @throws AppError `provider_unavailable` while we are offline, so that the engine tries again */
const fetchOne = (ctx: Ctx<"images" | "links">, url: string): Promise<Uint8Array | Refusal> =>
  withImageFile(async (path) => {
    const answer = await ctx.links.fetchImage(url, { path, bytesMax: IMAGE_BYTES_MAX });
    if (answer.kind === "offline") throw new AppError("provider_unavailable", { cause: new Error("We are offline.") });
    if (answer.kind !== "fetched") return toRefusal(answer);
    const fitted = await ctx.images.fitToCanvas(path, ctx.settings.pinCanvas);
    if (fitted.kind === "too_small") return { text: TEXTS.pageImageSmall, isFinal: true };
    return fitted.kind === "fitted" ? fitted.jpeg : { text: TEXTS.pageImageBroken, isFinal: true };
  });

interface Judged {
  /** Null when the image can be used. */
  refusal: Promise<Refusal | null>;
  untilMs: number;
}

/** By client, so that those of several containers stay apart. Per process: others find out on their own. */
const judged = new WeakMap<LinksPort, Map<string, Judged>>();

const judgedOf = ({ links }: Ctx<"links">): Map<string, Judged> => {
  const byUrl = judged.get(links) ?? new Map<string, Judged>();
  judged.set(links, byUrl);
  return byUrl;
};

const judge = (ctx: Ctx<"links">, url: string, refusal: Promise<Refusal | null>): void => {
  const byUrl = judgedOf(ctx);
  // The first one of the map is the oldest.
  byUrl.delete(url);
  byUrl.set(url, { refusal, untilMs: ctx.now().getTime() + PAGE_IMAGES_JUDGED_MS });
  const [oldest] = byUrl.keys();
  if (byUrl.size > PAGE_IMAGES_JUDGED_MAX && oldest !== undefined) byUrl.delete(oldest);
};

/** Why an image can't be used, as its last download said. Tasks at the same time share one. */
const refusalOf = (ctx: Ctx<"links">, url: string, load: () => Promise<Refusal | null>): Promise<Refusal | null> => {
  const byUrl = judgedOf(ctx);
  const nowMs = ctx.now().getTime();
  const known = byUrl.get(url);
  if (known && known.untilMs > nowMs) return known.refusal;
  const refusal = load();
  judge(ctx, url, refusal);
  refusal.catch(() => byUrl.delete(url));
  return refusal;
};

/** The usable image for a place in the row of a link's pins, or why there is none. */
const takeFrom = async (
  ctx: Ctx<"images" | "links">,
  urls: readonly string[],
  place: number,
): Promise<Uint8Array | Refusal[]> => {
  const own = new Map<string, Uint8Array>();
  const load = async (url: string): Promise<Refusal | null> => {
    const found = await fetchOne(ctx, url);
    if (!(found instanceof Uint8Array)) return found;
    own.set(url, found);
    return null;
  };
  const usable: string[] = [];
  const refusals: Refusal[] = [];
  for (const url of urls) {
    const refusal = await refusalOf(ctx, url, () => load(url));
    if (refusal) refusals.push(refusal);
    else usable.push(url);
    if (usable.length > place) break;
  }
  const chosen = usable[place % usable.length];
  if (chosen === undefined) {
    // Another try is a new one.
    for (const url of urls) judgedOf(ctx).delete(url);
    return refusals;
  }
  const refusal = own.has(chosen) ? null : await load(chosen);
  const jpeg = own.get(chosen);
  if (jpeg) return jpeg;
  // It could be used before, so the next usable one takes its turn.
  judge(ctx, chosen, Promise.resolve(refusal));
  return takeFrom(ctx, urls, place);
};

/**
 * The page's own image, cropped or fitted to the shape of a pin, and not marked as made with AI. Of the images that can be
 * used, each pin of a link gets the next one, also within a generation; if none can be, the first one's problem is reported.
 * `stopped`: the task has failed.
 */
export const takePageImage = async (ctx: Ctx<"images" | "links">, task: Task): Promise<PageImage> => {
  const reading = await findTaskReading(ctx, task);
  if (reading === "stopped") return { kind: "stopped" };
  if (reading?.kind !== "read") {
    const why = reading ? ` ${unreadText(reading)}` : "";
    return problemOf({ text: `${TEXTS.pageImageUnread}${why}`, isFinal: true });
  }
  // Counts make a repeated step choose the same image.
  const { pins: earlier } = await findEarlierPins(ctx, task);
  const place = earlier + (await countTakenImages(ctx, task));
  const found = await takeFrom(ctx, reading.facts.images.slice(0, PAGE_IMAGES_TRIED), place);
  if (found instanceof Uint8Array) return { kind: "image", jpeg: found };
  const [first = { text: TEXTS.pageImageMissing, isFinal: true }] = found;
  return problemOf({ text: first.text, isFinal: found.every(({ isFinal }) => isFinal) });
};
