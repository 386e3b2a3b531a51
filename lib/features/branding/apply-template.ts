import "server-only";
import { eq, inArray } from "drizzle-orm";
import { orphanedImages } from "#db/schema/images.ts";
import { pins } from "#db/schema/pins.ts";
import { type Ctx, inTransaction } from "#lib/context.ts";
import { randomToken, sha256 } from "#lib/core/digest.ts";
import { AppError } from "#lib/core/errors.ts";
import { condemnImages } from "#lib/features/pins/condemn-images.ts";
import { orphanImage } from "#lib/features/pins/orphan-image.ts";
import type { Pin } from "#lib/features/pins/queries.ts";
import type { PictureDescription } from "#lib/integrations/pictures/port.ts";
import { chooseWords } from "./choose-words.ts";
import { TEXTS } from "./constants.ts";
import { lockTemplated } from "./lock-templated.ts";
import { looksAnew } from "./looks-anew.ts";
import { findKits, type Kit } from "./queries.ts";
import { readStored } from "./read-stored.ts";
import type { AppliedWire, ApplyTemplateInput, LeftPinWire, TemplateChoice } from "./schema.ts";

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
