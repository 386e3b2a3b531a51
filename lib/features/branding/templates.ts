import "server-only";
import { eq, inArray } from "drizzle-orm";
import { orphanedImages } from "#db/schema/images.ts";
import { pins } from "#db/schema/pins.ts";
import { type Ctx, inTransaction } from "#lib/context.ts";
import { randomToken, sha256 } from "#lib/core/crypto.ts";
import { AppError } from "#lib/core/errors.ts";
import type { FontPairing } from "#lib/core/images.ts";
import { type OwnedAccountId, requireOwnedAccount } from "#lib/features/accounts/queries.ts";
import { TEXTS as PIN_TEXTS } from "#lib/features/pins/constants.ts";
import { lockPins } from "#lib/features/pins/guards.ts";
import { condemnImages, orphanImage } from "#lib/features/pins/images.ts";
import { isAtRest } from "#lib/features/pins/policy.ts";
import { type Pin, requireOwnedPin } from "#lib/features/pins/queries.ts";
import type { PictureDescription, TemplateDrawing } from "#lib/integrations/images/port.ts";
import { PREVIEW_WIDTHS, TEXTS } from "./constants.ts";
import { leavesOut, wordsForPicture } from "./policy.ts";
import { findKit, findKits, findNewestPin, type Kit, looksAnew, readStored } from "./queries.ts";
import type {
  AppliedWire,
  ApplyTemplateInput,
  LeftPinWire,
  PreviewsWire,
  PreviewTemplatesInput,
  PreviewWire,
  RemoveTemplateInput,
  TemplateChoice,
} from "./schema.ts";

type DrawCtx = Ctx<"pictures" | "storage">;

/** What becomes of one pin. */
interface Plan {
  pin: Pin;
  kit: Kit;
  choice: TemplateChoice;
  imageKey: string;
}

interface Drawn extends Plan {
  looks: PictureDescription;
}

/** A place that nobody can guess: whoever knows it may see the picture (decision 0004). */
const newImageKey = (): string => `pins/${sha256(randomToken()).slice(0, 40)}.jpg`;

/**
 * What becomes of the pins. Where each is to bear its own title, one whose title cannot be written is left, and named.
 * @throws AppError `invalid` when words or a small line that all are to bear cannot be written
 */
const planAll = (
  ctx: DrawCtx,
  pinsOf: readonly { pin: Pin; kit: Kit }[],
  input: ApplyTemplateInput,
): { plans: Plan[]; left: LeftPinWire[] } => {
  const { signature, template: id, hasLogo } = input;
  const plans: Plan[] = [];
  const left: LeftPinWire[] = [];
  for (const { pin, kit } of pinsOf) {
    const chosen = chooseWords(ctx, { words: input.words ?? pin.title, signature, fontPairing: kit.fontPairing });
    if (chosen.kind === "written") {
      const { words, signature: small } = chosen;
      plans.push({ pin, kit, choice: { id, words, signature: small, hasLogo }, imageKey: newImageKey() });
    } else if (chosen.part === "words" && input.words === null) {
      left.push({ id: pin.id, title: pin.title, text: chosen.text });
    } else {
      const text = `${chosen.text} ${TEXTS.writeOther[chosen.part]}`;
      throw new AppError("invalid", { text, fields: { [chosen.part]: [text] } });
    }
  }
  return { plans, left };
};

const drawOne = async (ctx: DrawCtx, { pin, kit, choice, imageKey }: Plan): Promise<PictureDescription> => {
  const { colours, fontPairing, logoKey } = kit;
  const { jpeg } = await ctx.pictures.drawTemplate({
    picture: await readStored(ctx, pin.baseImageKey ?? pin.imageKey),
    template: choice.id,
    words: choice.words,
    signature: choice.signature,
    colours,
    fontPairing,
    logo: choice.hasLogo && logoKey !== null ? await readStored(ctx, logoKey) : null,
  });
  await ctx.storage.put(imageKey, jpeg);
  return ctx.pictures.describePicture(jpeg);
};

/** One after the other: what many calls may draw at a time is the port's to say. */
const drawAll = async (ctx: DrawCtx, plans: readonly Plan[]): Promise<Drawn[]> => {
  const drawn: Drawn[] = [];
  for (const one of plans) drawn.push({ ...one, looks: await drawOne(ctx, one) });
  return drawn;
};

const hang = async (tx: Ctx, drawn: readonly Drawn[]): Promise<void> => {
  const seen = drawn.map(({ pin }) => pin);
  await lockTemplated(tx, { pinIds: seen.map(({ id }) => id), seen });
  for (const { pin, choice, imageKey, looks } of drawn) {
    const baseImageKey = pin.baseImageKey ?? pin.imageKey;
    const changes = { imageKey, baseImageKey, template: choice, ...looksAnew(looks), updatedAt: tx.now() };
    await tx.db.update(pins).set(changes).where(eq(pins.id, pin.id));
    if (pin.baseImageKey !== null) await orphanImage(tx, pin);
  }
  const keys = drawn.map(({ imageKey }) => imageKey);
  await tx.db.delete(orphanedImages).where(inArray(orphanedImages.key, keys));
};

const drawAndHang = async (ctx: DrawCtx, plans: readonly Plan[]): Promise<void> => {
  const imageKeys = plans.map(({ imageKey }) => imageKey);
  const since = ctx.now();
  await ctx.db.insert(orphanedImages).values(imageKeys.map((key) => ({ key, since })));
  try {
    const drawn = await drawAll(ctx, plans);
    await inTransaction(ctx, (tx) => hang(tx, drawn));
  } catch (error) {
    await condemnImages(ctx, { imageKeys });
    throw error;
  }
};

/**
 * Puts a template with words on the pictures of pins, for no credits: on all that can bear it, or on none. Drawn anew from
 * the picture below, which stays: so a template can be changed and taken away again. Pictures are noted as orphans until the
 * pins have them; whoever dies in between changes nothing, and running it again draws the same.
 * @returns pins that were left as they are, since the faces cannot write their titles: only where no words are given
 * @throws AppError `not_found`; `wrong_state` when a pin is not at rest, or changed while it was drawn; `invalid` for given
 * words that cannot be written.
 */
export const applyTemplate = async (ctx: DrawCtx, input: ApplyTemplateInput): Promise<AppliedWire> => {
  const seen = await inTransaction(ctx, (tx) => lockTemplated(tx, input));
  const kitOf = await findKits(ctx, [...new Set(seen.map(({ accountId }) => accountId))]);
  const { plans, left } = planAll(
    ctx,
    seen.map((pin) => ({ pin, kit: kitOf(pin.accountId) })),
    input,
  );
  if (plans.length > 0) await drawAndHang(ctx, plans);
  ctx.log.set({ pins_touched: plans.length });
  return { left };
};

interface Bared {
  pin: Pin;
  baseImageKey: string;
  looks: PictureDescription;
}

const bare = async (tx: Ctx, { pin, baseImageKey, looks }: Bared): Promise<void> => {
  const changes = { imageKey: baseImageKey, baseImageKey: null, template: null, ...looksAnew(looks) };
  await tx.db
    .update(pins)
    .set({ ...changes, updatedAt: tx.now() })
    .where(eq(pins.id, pin.id));
  await orphanImage(tx, pin);
};

/**
 * Takes the templates off pictures, all or none; a picture without one stays as it is.
 * @throws AppError `not_found`; `wrong_state` when a pin is not at rest, or changed meanwhile.
 */
export const removeTemplate = async (
  ctx: Ctx<"pictures" | "storage">,
  { pinIds }: RemoveTemplateInput,
): Promise<void> => {
  const seen = await inTransaction(ctx, (tx) => lockTemplated(tx, { pinIds }));
  const bared: Bared[] = [];
  for (const pin of seen) {
    const { baseImageKey } = pin;
    if (baseImageKey === null) continue;
    bared.push({ pin, baseImageKey, looks: await ctx.pictures.describePicture(await readStored(ctx, baseImageKey)) });
  }
  await inTransaction(ctx, async (tx) => {
    await lockTemplated(tx, { pinIds, seen });
    for (const one of bared) await bare(tx, one);
  });
  ctx.log.set({ pins_touched: bared.length });
};

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

interface Writing {
  words: string;
  signature: string;
  fontPairing: FontPairing;
}

/** What is written, or which of the two texts cannot be, and why in one sentence. */
type ChosenWords =
  | { kind: "written"; words: string; signature: string }
  | { kind: "unwritable"; part: "words" | "signature"; text: string };

const missingText = (missing: readonly string[]): string => {
  const shown = missing.slice(0, 8).join(" ");
  const more = missing.length > 8 ? " and more" : "";
  return `The fonts have no letters for: ${shown}${more}.`;
};

/**
 * What is written on a picture: letters that can be seen, and that the faces have. A picture with empty boxes is never made:
 * where no words are left, or the faces lack a letter, it says so instead.
 */
const chooseWords = (ctx: Ctx<"pictures">, asked: Writing): ChosenWords => {
  const { fontPairing } = asked;
  const [words, signature] = [wordsForPicture(asked.words), wordsForPicture(asked.signature)];
  const ofSignature = ctx.pictures.missingLetters({ fontPairing, words: "", signature });
  if (ofSignature.length > 0) return { kind: "unwritable", part: "signature", text: missingText(ofSignature) };
  if (words === "") return { kind: "unwritable", part: "words", text: TEXTS.nothingToWrite };
  const missing = ctx.pictures.missingLetters({ fontPairing, words, signature: "" });
  if (missing.length > 0) return { kind: "unwritable", part: "words", text: missingText(missing) };
  return { kind: "written", words, signature };
};

/**
 * Locks pins of the actor whose pictures may change: at rest, and not perhaps on Pinterest already, where they must stay
 * recognisable. Belongs into a transaction. `seen`: as they were when the work on them began.
 * @throws AppError `not_found`; `wrong_state`, also when a picture is another one than the one seen.
 */
const lockTemplated = async (
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
