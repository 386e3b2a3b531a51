import "server-only";
import { and, eq, isNotNull } from "drizzle-orm";
import { pinterestAccounts } from "#db/schema/accounts.ts";
import { brandKits } from "#db/schema/branding.ts";
import { orphanedImages } from "#db/schema/images.ts";
import { type Ctx, inTransaction } from "#lib/context.ts";
import { randomToken, sha256 } from "#lib/core/crypto.ts";
import { AppError } from "#lib/core/errors.ts";
import type { UserId } from "#lib/core/ids.ts";
import type { UploadedFile } from "#lib/core/images.ts";
import { type OwnedAccountId, requireOwnedAccount } from "#lib/features/accounts/queries.ts";
import { IMAGE_PATH, PICTURE_FAULTS } from "#lib/features/pins/constants.ts";
import { lockAccount } from "#lib/features/pins/guards.ts";
import { condemnImages, orphanImage } from "#lib/features/pins/images.ts";
import { LOGO_PART, TEXTS } from "./constants.ts";
import { FIRST_KIT, findKit, findTemplated, type Kit } from "./queries.ts";
import {
  type BrandingWire,
  type KitAccountInput,
  type KitWire,
  type ReadBrandingInput,
  type SaveKitInput,
  type StoreLogoInput,
  type TemplatedPinWire,
  templateChoice,
} from "./schema.ts";

/**
 * The brand kit of an account of the actor, and which templates stand on some of its pins, in the order
 * in which they are named; pins of others are left out.
 * @throws AppError `not_found` for an account that is not the actor's.
 */
export const readBranding = async (ctx: Ctx, { accountId, pinIds }: ReadBrandingInput): Promise<BrandingWire> => {
  const { id, username } = await requireOwnedAccount(ctx, accountId);
  const kit = toKitWire(id, await findKit(ctx, id));
  if (pinIds.length === 0) return { kit, username, pins: [] };
  const found = toTemplatedPins(await findTemplated(ctx, id, pinIds));
  const pins = [...new Set(pinIds)].flatMap((pinId) => found.find((pin) => pin.id === pinId) ?? []);
  return { kit, username, pins };
};

/**
 * Keeps colours and faces of an account of the actor. Pictures that have a template stay as they are until one is put on
 * them again. @throws AppError `not_found`
 */
export const saveKit = async (ctx: Ctx, { accountId, colours, fontPairing }: SaveKitInput): Promise<KitWire> => {
  const { id } = await requireOwnedAccount(ctx, accountId);
  await inTransaction(ctx, async (tx) => {
    await lockAccount(tx, id);
    const changes = { colours, fontPairing, updatedAt: tx.now() };
    await tx.db
      .insert(brandKits)
      .values({ accountId: id, ...changes })
      .onConflictDoUpdate({ target: brandKits.accountId, set: changes });
  });
  return toKitWire(id, await findKit(ctx, id));
};

const refuse = (text: string): AppError => new AppError("invalid", { text, fields: { [LOGO_PART]: [text] } });

const prepare = async (ctx: Ctx<"pictures">, logo: UploadedFile | undefined): Promise<Uint8Array> => {
  if (!logo) throw refuse(TEXTS.logoNeeded);
  const prepared = await ctx.pictures.prepareLogo(logo.path);
  if (prepared.kind === "refused") throw refuse(PICTURE_FAULTS[prepared.fault]);
  return prepared.png;
};

/**
 * Keeps a picture as the logo of an account of the actor, told by its content and stripped of all but its pixels
 * (R-SRV-07). Noted as an orphan until the kit has it, so that whoever dies in between leaves nothing for ever.
 * @throws AppError `not_found`; `invalid` for what is no picture.
 */
export const storeLogo = async (
  ctx: Ctx<"pictures" | "storage">,
  { accountId, logo }: StoreLogoInput,
): Promise<KitWire> => {
  const { id } = await requireOwnedAccount(ctx, accountId);
  const png = await prepare(ctx, logo);
  const logoKey = `logos/${sha256(randomToken()).slice(0, 40)}.png`;
  await ctx.db.insert(orphanedImages).values({ key: logoKey, since: ctx.now() });
  try {
    await ctx.storage.put(logoKey, png);
    await inTransaction(ctx, (tx) => hangLogo(tx, id, logoKey));
  } catch (error) {
    await condemnImages(ctx, { imageKeys: [logoKey] });
    throw error;
  }
  return toKitWire(id, await findKit(ctx, id));
};

/** Gives an account's kit another logo, or none; the one before becomes an orphan. Belongs into a transaction. */
const hangLogo = async (tx: Ctx, accountId: OwnedAccountId, logoKey: string | null): Promise<void> => {
  await lockAccount(tx, accountId);
  const { colours, fontPairing } = FIRST_KIT;
  // The row is there from now on, so that two at once wait for each other.
  await tx.db.insert(brandKits).values({ accountId, colours, fontPairing, updatedAt: tx.now() }).onConflictDoNothing();
  const ofAccount = eq(brandKits.accountId, accountId);
  const [before] = await tx.db.select({ key: brandKits.logoKey }).from(brandKits).where(ofAccount).for("update");
  await tx.db.update(brandKits).set({ logoKey, updatedAt: tx.now() }).where(ofAccount);
  if (before?.key) await orphanImage(tx, { imageKey: before.key });
  if (logoKey !== null) await tx.db.delete(orphanedImages).where(eq(orphanedImages.key, logoKey));
};

/** Takes the logo out of an account's kit; on pictures where it stands it stays. @throws AppError `not_found` */
export const removeLogo = async (ctx: Ctx, { accountId }: KitAccountInput): Promise<KitWire> => {
  const { id } = await requireOwnedAccount(ctx, accountId);
  await inTransaction(ctx, (tx) => hangLogo(tx, id, null));
  return toKitWire(id, await findKit(ctx, id));
};

/** Deletes a user's brand kits and has their logos removed with the next sweep. Runs again without harm. */
export const condemnLogos = (ctx: Ctx, { userId }: { userId: UserId }): Promise<void> =>
  inTransaction(ctx, async (tx) => {
    const rows = await tx.db
      .select({ accountId: brandKits.accountId, key: brandKits.logoKey })
      .from(brandKits)
      .innerJoin(pinterestAccounts, eq(pinterestAccounts.id, brandKits.accountId))
      .where(and(eq(pinterestAccounts.userId, userId), isNotNull(brandKits.logoKey)));
    for (const { accountId } of rows) await tx.db.delete(brandKits).where(eq(brandKits.accountId, accountId));
    await condemnImages(tx, { imageKeys: rows.flatMap(({ key }) => key ?? []) });
  });

const toKitWire = (accountId: string, { colours, fontPairing, logoKey }: Kit): KitWire => ({
  account_id: accountId,
  colours,
  font_pairing: fontPairing,
  logo_url: logoKey === null ? null : `${IMAGE_PATH}${logoKey}`,
});

type Templated = Awaited<ReturnType<typeof findTemplated>>[number];

/** A choice that a later version no longer knows is none. */
const toTemplatedPins = (rows: readonly Templated[]): TemplatedPinWire[] =>
  rows.flatMap(({ status, template, ...pin }) =>
    status === "deleted" ? [] : [{ ...pin, status, template: templateChoice.safeParse(template).data ?? null }],
  );
