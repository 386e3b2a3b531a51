import "server-only";
import { eq } from "drizzle-orm";
import { orphanedImages } from "#db/schema/images.ts";
import { pins } from "#db/schema/pins.ts";
import { isAnyOf } from "#db/sql.ts";
import { type Ctx, inTransaction } from "#lib/context.ts";
import { randomToken, sha256 } from "#lib/core/crypto.ts";
import { AppError } from "#lib/core/errors.ts";
import type { FontPairing } from "#lib/core/images.ts";
import { type OwnedAccountId, requireOwnedAccount } from "#lib/features/accounts/queries.ts";
import { TEXTS as PIN_TEXTS } from "#lib/features/pins/constants.ts";
import { lockPins } from "#lib/features/pins/guards.ts";
import { markImagesForDeletion, orphanImage } from "#lib/features/pins/images.ts";
import { isAtRest } from "#lib/features/pins/policy.ts";
import { type Pin, requireOwnedPin } from "#lib/features/pins/queries.ts";
import { saveObject } from "#lib/features/pins/storage-outages.ts";
import type { ImageDescription, TemplateInput } from "#lib/integrations/images/port.ts";
import { PREVIEW_WIDTHS, TEXTS } from "./constants.ts";
import { losesCharacters, textForImage } from "./policy.ts";
import { findKit, findKits, findNewestPin, imageChanges, type Kit, readStoredImage } from "./queries.ts";
import type {
  AppliedWire,
  ApplyTemplateInput,
  PreviewsWire,
  PreviewTemplatesInput,
  PreviewWire,
  RemoveTemplateInput,
  SkippedPinWire,
  TemplateChoice,
} from "./schema.ts";

type ImageCtx = Ctx<"images" | "storage">;

interface Plan {
  pin: Pin;
  kit: Kit;
  choice: TemplateChoice;
  imageKey: string;
}

interface Rendered extends Plan {
  imageInfo: ImageDescription;
}

/** Unguessable, because anyone who knows the key can see the image (docs/decisions/0004). */
const newImageKey = (): string => `pins/${sha256(randomToken()).slice(0, 40)}.jpg`;

/** Skips videos, carousels and pins with unsupported titles. @throws AppError `invalid` for an unsupported text or signature for all pins */
const planAll = (
  ctx: ImageCtx,
  pinsOf: readonly { pin: Pin; kit: Kit }[],
  input: ApplyTemplateInput,
): { plans: Plan[]; skipped: SkippedPinWire[] } => {
  const { signature, template: id, hasLogo } = input;
  const plans: Plan[] = [];
  const skipped: SkippedPinWire[] = [];
  for (const { pin, kit } of pinsOf) {
    if (pin.format !== "image") {
      skipped.push({ id: pin.id, title: pin.title, text: TEXTS.imagesOnly });
      continue;
    }
    const chosen = checkText(ctx, { words: input.words ?? pin.title, signature, fontPairing: kit.fontPairing });
    if (chosen.kind === "written") {
      const { words, signature: cleanSignature } = chosen;
      plans.push({ pin, kit, choice: { id, words, signature: cleanSignature, hasLogo }, imageKey: newImageKey() });
    } else if (chosen.part === "words" && input.words === null) {
      skipped.push({ id: pin.id, title: pin.title, text: chosen.text });
    } else {
      const text = `${chosen.text} ${TEXTS.writeOther[chosen.part]}`;
      throw new AppError("invalid", { text, fields: { [chosen.part]: [text] } });
    }
  }
  return { plans, skipped };
};

const renderOne = async (ctx: ImageCtx, { pin, kit, choice, imageKey }: Plan): Promise<ImageDescription> => {
  const { colors, fontPairing, logoKey } = kit;
  const { jpeg } = await ctx.images.drawTemplate({
    image: await readStoredImage(ctx, pin.baseImageKey ?? pin.imageKey),
    template: choice.id,
    text: choice.words,
    signature: choice.signature,
    colors,
    fontPairing,
    logo: choice.hasLogo && logoKey !== null ? await readStoredImage(ctx, logoKey) : null,
  });
  await saveObject(ctx, imageKey, jpeg);
  return ctx.images.describeJpeg(jpeg);
};

/** One after the other, because the port already bounds concurrent work. */
const renderAll = async (ctx: ImageCtx, plans: readonly Plan[]): Promise<Rendered[]> => {
  const rendered: Rendered[] = [];
  for (const one of plans) rendered.push({ ...one, imageInfo: await renderOne(ctx, one) });
  return rendered;
};

const saveImages = async (tx: Ctx, rendered: readonly Rendered[]): Promise<void> => {
  const seen = rendered.map(({ pin }) => pin);
  await lockEditablePins(tx, { pinIds: seen.map(({ id }) => id), seen });
  for (const { pin, choice, imageKey, imageInfo } of rendered) {
    const baseImageKey = pin.baseImageKey ?? pin.imageKey;
    const changes = { imageKey, baseImageKey, template: choice, ...imageChanges(imageInfo), updatedAt: tx.now() };
    await tx.db.update(pins).set(changes).where(eq(pins.id, pin.id));
    if (pin.baseImageKey !== null) await orphanImage(tx, pin);
  }
  const keys = rendered.map(({ imageKey }) => imageKey);
  await tx.db.delete(orphanedImages).where(isAnyOf(orphanedImages.key, keys));
};

const drawAndSave = async (ctx: ImageCtx, plans: readonly Plan[]): Promise<void> => {
  const imageKeys = plans.map(({ imageKey }) => imageKey);
  const since = ctx.now();
  await ctx.db.insert(orphanedImages).values(imageKeys.map((key) => ({ key, since })));
  try {
    const rendered = await renderAll(ctx, plans);
    await inTransaction(ctx, (tx) => saveImages(tx, rendered));
  } catch (error) {
    await markImagesForDeletion(ctx, { imageKeys });
    throw error;
  }
};

/**
 * All in one transaction; new images are orphans until pins refer to them, so that a crash changes nothing.
 * @throws AppError `not_found`; `wrong_state` when a pin is not editable or changed meanwhile; `invalid` text
 */
export const applyTemplate = async (ctx: ImageCtx, input: ApplyTemplateInput): Promise<AppliedWire> => {
  const seen = await inTransaction(ctx, (tx) => lockEditablePins(tx, input));
  const kitOf = await findKits(ctx, [...new Set(seen.map(({ accountId }) => accountId))]);
  const { plans, skipped } = planAll(
    ctx,
    seen.map((pin) => ({ pin, kit: kitOf(pin.accountId) })),
    input,
  );
  if (plans.length > 0) await drawAndSave(ctx, plans);
  ctx.log.set({ pins_touched: plans.length });
  return { skipped };
};

interface Restored {
  pin: Pin;
  baseImageKey: string;
  imageInfo: ImageDescription;
}

const restoreBase = async (tx: Ctx, { pin, baseImageKey, imageInfo }: Restored): Promise<void> => {
  const changes = { imageKey: baseImageKey, baseImageKey: null, template: null, ...imageChanges(imageInfo) };
  await tx.db
    .update(pins)
    .set({ ...changes, updatedAt: tx.now() })
    .where(eq(pins.id, pin.id));
  await orphanImage(tx, pin);
};

/** One transaction. @throws AppError `not_found`; `wrong_state` when a pin is not editable or changed meanwhile */
export const removeTemplate = async (
  ctx: Ctx<"images" | "storage">,
  { pinIds }: RemoveTemplateInput,
): Promise<void> => {
  const seen = await inTransaction(ctx, (tx) => lockEditablePins(tx, { pinIds }));
  const restored: Restored[] = [];
  for (const pin of seen) {
    const { baseImageKey } = pin;
    if (baseImageKey === null) continue;
    restored.push({
      pin,
      baseImageKey,
      imageInfo: await ctx.images.describeJpeg(await readStoredImage(ctx, baseImageKey)),
    });
  }
  await inTransaction(ctx, async (tx) => {
    await lockEditablePins(tx, { pinIds, seen });
    for (const one of restored) await restoreBase(tx, one);
  });
  ctx.log.set({ pins_touched: restored.length });
};

type PreviewCtx = Ctx<"images" | "storage">;

const SAMPLE_TEXT = "Slow mornings, good bread";

/** `image` is null for the sample image. */
const findSubject = async (ctx: PreviewCtx, accountId: OwnedAccountId, pinId: string | null) => {
  const own = pinId === null ? await findNewestPin(ctx, accountId) : (await requireOwnedPin(ctx, pinId)).pin;
  if (!own) return { image: null, title: SAMPLE_TEXT };
  return { image: await readStoredImage(ctx, own.baseImageKey ?? own.imageKey), title: own.title };
};

type Rendering = Omit<TemplateInput, "image" | "template"> & { image: Uint8Array | null };

const drawPreviews = async (ctx: PreviewCtx, rendering: Rendering, input: PreviewTemplatesInput) => {
  const widthPx = input.isLarge ? PREVIEW_WIDTHS.large : PREVIEW_WIDTHS.small;
  const image = rendering.image ?? (await ctx.images.sampleImage());
  const previews: PreviewWire[] = [];
  for (const template of new Set(input.templates)) {
    const size = { widthPx, isExact: input.isLarge };
    const { webp, contrast } = await ctx.images.previewTemplate({ ...rendering, image, template }, size);
    const dataUrl = `data:image/webp;base64,${Buffer.from(webp).toString("base64")}`;
    previews.push({ template, image: dataUrl, contrast: Math.floor(contrast * 10) / 10 });
  }
  return previews;
};

/** Stores nothing. @throws AppError `not_found`; `invalid` when no text is left */
export const previewTemplates = async (ctx: PreviewCtx, input: PreviewTemplatesInput): Promise<PreviewsWire> => {
  const { id } = await requireOwnedAccount(ctx, input.accountId);
  const kit = await findKit(ctx, id);
  const { image, title } = await findSubject(ctx, id, input.pinId);
  const requested = input.words ?? title;
  const words = textForImage(requested);
  const signature = textForImage(input.signature);
  if (words === "") throw new AppError("invalid", { text: TEXTS.nothingToWrite });
  const fontPairing = input.fontPairing ?? kit.fontPairing;
  const missing = ctx.images.missingCharacters({ fontPairing, text: words, signature });
  const details = { words, missing, is_shortened: losesCharacters(requested) || losesCharacters(input.signature) };
  if (missing.length > 0) return { previews: [], ...details };
  const logo = input.hasLogo && kit.logoKey !== null ? await readStoredImage(ctx, kit.logoKey) : null;
  const rendering = { image, text: words, signature, colors: input.colors ?? kit.colors, fontPairing, logo };
  return { previews: await drawPreviews(ctx, rendering, input), ...details };
};

interface TextInput {
  words: string;
  signature: string;
  fontPairing: FontPairing;
}

/** `part`: which of the two texts is unsupported. */
type CheckedText =
  | { kind: "written"; words: string; signature: string }
  | { kind: "unwritable"; part: "words" | "signature"; text: string };

const missingText = (missing: readonly string[]): string => {
  const shown = missing.slice(0, 8).join(" ");
  const more = missing.length > 8 ? " and more" : "";
  return `The fonts don't support these characters: ${shown}${more}.`;
};

/** Unsupported characters are an error, so that no image ever shows empty boxes. */
const checkText = (ctx: Ctx<"images">, requested: TextInput): CheckedText => {
  const { fontPairing } = requested;
  const [words, signature] = [textForImage(requested.words), textForImage(requested.signature)];
  const ofSignature = ctx.images.missingCharacters({ fontPairing, text: "", signature });
  if (ofSignature.length > 0) return { kind: "unwritable", part: "signature", text: missingText(ofSignature) };
  if (words === "") return { kind: "unwritable", part: "words", text: TEXTS.nothingToWrite };
  const missing = ctx.images.missingCharacters({ fontPairing, text: words, signature: "" });
  if (missing.length > 0) return { kind: "unwritable", part: "words", text: missingText(missing) };
  return { kind: "written", words, signature };
};

/**
 * A pin that may be on Pinterest must stay recognizable. Call it in a transaction.
 * @throws AppError `not_found`; `wrong_state`, also when an image has changed since `seen`
 */
const lockEditablePins = async (
  tx: Ctx,
  { pinIds, seen }: { pinIds: readonly string[]; seen?: readonly Pin[] },
): Promise<Pin[]> => {
  const locked = await lockPins(tx, { pinIds });
  if (!locked.every(isAtRest)) throw new AppError("wrong_state", { text: TEXTS.notChangeable });
  if (locked.some(({ mayBePublished }) => mayBePublished)) {
    throw new AppError("wrong_state", { text: PIN_TEXTS.mayBePublished });
  }
  const isSame = locked.every((pin, index) => {
    const before = seen?.[index];
    return !before || (before.imageKey === pin.imageKey && before.baseImageKey === pin.baseImageKey);
  });
  if (!isSame) throw new AppError("wrong_state", { text: TEXTS.changedMeanwhile });
  return locked;
};
