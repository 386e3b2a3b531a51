import "server-only";
import type { Ctx } from "#lib/context.ts";
import { AppError } from "#lib/core/errors.ts";
import { unreadText } from "#lib/features/pages/policy.ts";
import { IMAGE_BYTES_MAX } from "#lib/features/pins/constants.ts";
import { withImageFile } from "#lib/features/pins/images.ts";
import type { AiProblem } from "#lib/integrations/ai/port.ts";
import type { ImageAnswer } from "#lib/integrations/links/port.ts";
import { PAGE_IMAGES_TRIED, TEXTS } from "./constants.ts";
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

/**
 * The page's own image, cropped or fitted to the shape of a pin, and not marked as made with AI. Of the images that can be
 * used, each pin of a link gets the next one, also within a generation; if there is none, the reason of the first is told.
 * `stopped`: the task has failed.
 */
export const takePageImage = async (ctx: Ctx<"images" | "links">, task: Task): Promise<PageImage> => {
  const reading = await findTaskReading(ctx, task);
  if (reading === "stopped") return { kind: "stopped" };
  if (reading?.kind !== "read") {
    const why = reading ? ` ${unreadText(reading)}` : "";
    return problemOf({ text: `${TEXTS.pageImageUnread}${why}`, isFinal: true });
  }
  // Counts make a repeated step choose the same image. Which ones can be used is stored nowhere, so all before it are tried.
  const { pins: earlier } = await findEarlierPins(ctx, task);
  const place = earlier + (await countTakenImages(ctx, task));
  const usable: Uint8Array[] = [];
  const refusals: Refusal[] = [];
  for (const url of reading.facts.images.slice(0, PAGE_IMAGES_TRIED)) {
    const found = await fetchOne(ctx, url);
    if (found instanceof Uint8Array) usable.push(found);
    else refusals.push(found);
    if (usable.length > place) break;
  }
  const jpeg = usable[place % usable.length];
  if (jpeg) return { kind: "image", jpeg };
  const [first = { text: TEXTS.pageImageMissing, isFinal: true }] = refusals;
  return problemOf({ text: first.text, isFinal: refusals.every(({ isFinal }) => isFinal) });
};
