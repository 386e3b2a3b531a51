import "server-only";
import type { Ctx } from "#lib/context.ts";
import { AppError } from "#lib/core/errors.ts";
import { type OwnedAccountId, requireOwnedAccount } from "#lib/features/accounts/queries.ts";
import { requireOwnedPin } from "#lib/features/pins/queries.ts";
import type { TemplateDrawing } from "#lib/integrations/pictures/port.ts";
import { PREVIEW_WIDTHS, TEXTS } from "./constants.ts";
import { leavesOut, wordsForPicture } from "./policy.ts";
import { findKit, findNewestPin } from "./queries.ts";
import { readStored } from "./read-stored.ts";
import type { PreviewsWire, PreviewTemplatesInput, PreviewWire } from "./schema.ts";

type PreviewCtx = Ctx<"pictures" | "storage">;

/** Said on our own picture, where an account has no pin yet. */
const SAMPLE_WORDS = "Slow mornings, good bread";

/** The picture to write on, and its title; `picture` is null where one of ours is taken. */
const findSubject = async (ctx: PreviewCtx, accountId: OwnedAccountId, pinId: string | null) => {
  const own = pinId === null ? await findNewestPin(ctx, accountId) : (await requireOwnedPin(ctx, pinId)).pin;
  if (!own) return { picture: null, title: SAMPLE_WORDS };
  return { picture: await readStored(ctx, own.baseImageKey ?? own.imageKey), title: own.title };
};

type Drawing = Omit<TemplateDrawing, "picture" | "template"> & { picture: Uint8Array | null };

const drawPreviews = async (ctx: PreviewCtx, drawing: Drawing, input: PreviewTemplatesInput) => {
  const widthPx = input.isLarge ? PREVIEW_WIDTHS.large : PREVIEW_WIDTHS.small;
  const picture = drawing.picture ?? (await ctx.pictures.samplePicture());
  const previews: PreviewWire[] = [];
  for (const template of new Set(input.templates)) {
    const size = { widthPx, isExact: input.isLarge };
    const { webp, contrast } = await ctx.pictures.previewTemplate({ ...drawing, picture, template }, size);
    const image = `data:image/webp;base64,${Buffer.from(webp).toString("base64")}`;
    previews.push({ template, image, contrast: Math.floor(contrast * 10) / 10 });
  }
  return previews;
};

/**
 * Templates on a pin's picture, in small, with a kit that may not be kept yet; nothing is stored. Letters that the faces lack
 * are named instead of drawn. @throws AppError `not_found`; `invalid` when no words are left.
 */
export const previewTemplates = async (ctx: PreviewCtx, input: PreviewTemplatesInput): Promise<PreviewsWire> => {
  const { id } = await requireOwnedAccount(ctx, input.accountId);
  const kit = await findKit(ctx, id);
  const { picture, title } = await findSubject(ctx, id, input.pinId);
  const asked = input.words ?? title;
  const words = wordsForPicture(asked);
  const signature = wordsForPicture(input.signature);
  if (words === "") throw new AppError("invalid", { text: TEXTS.nothingToWrite });
  const fontPairing = input.fontPairing ?? kit.fontPairing;
  const missing = ctx.pictures.missingLetters({ fontPairing, words, signature });
  const told = { words, missing, is_shortened: leavesOut(asked) || leavesOut(input.signature) };
  if (missing.length > 0) return { previews: [], ...told };
  const logo = input.hasLogo && kit.logoKey !== null ? await readStored(ctx, kit.logoKey) : null;
  const drawing = { picture, words, signature, colours: input.colours ?? kit.colours, fontPairing, logo };
  return { previews: await drawPreviews(ctx, drawing, input), ...told };
};
