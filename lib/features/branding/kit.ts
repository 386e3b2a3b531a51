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
import { IMAGE_PROBLEMS } from "#lib/features/pins/constants.ts";
import { lockAccount } from "#lib/features/pins/guards.ts";
import { signedImageUrl } from "#lib/features/pins/image-urls.ts";
import { markImagesForDeletion, orphanImage } from "#lib/features/pins/images.ts";
import { saveObject } from "#lib/features/pins/storage-outages.ts";
import { LOGO_PART, TEXTS } from "./constants.ts";
import { DEFAULT_KIT, findKit, findTemplatedPins, type Kit } from "./queries.ts";
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
import { findVoice, toVoiceWire } from "./voice.ts";

/** In the order of the pins, without other accounts' ones. @throws AppError `not_found` for another user's account */
export const readBranding = async (ctx: Ctx, { accountId, pinIds }: ReadBrandingInput): Promise<BrandingWire> => {
  const { id, username } = await requireOwnedAccount(ctx, accountId);
  const kit = toKitWire(ctx, id, await findKit(ctx, id));
  const voice = toVoiceWire(await findVoice(ctx, id));
  if (pinIds.length === 0) return { kit, voice, username, pins: [] };
  const found = toTemplatedPins(await findTemplatedPins(ctx, id, pinIds));
  const pins = [...new Set(pinIds)].flatMap((pinId) => found.find((pin) => pin.id === pinId) ?? []);
  return { kit, voice, username, pins };
};

/** Existing images do not change until a template is applied again. @throws AppError `not_found` */
export const saveKit = async (ctx: Ctx, { accountId, colors, fontPairing }: SaveKitInput): Promise<KitWire> => {
  const { id } = await requireOwnedAccount(ctx, accountId);
  await inTransaction(ctx, async (tx) => {
    await lockAccount(tx, id);
    const changes = { colors, fontPairing, updatedAt: tx.now() };
    await tx.db
      .insert(brandKits)
      .values({ accountId: id, ...changes })
      .onConflictDoUpdate({ target: brandKits.accountId, set: changes });
  });
  return toKitWire(ctx, id, await findKit(ctx, id));
};

const refuse = (text: string): AppError => new AppError("invalid", { text, fields: { [LOGO_PART]: [text] } });

const prepare = async (ctx: Ctx<"images">, logo: UploadedFile | undefined): Promise<Uint8Array> => {
  if (!logo) throw refuse(TEXTS.logoMissing);
  const prepared = await ctx.images.prepareLogo(logo.path);
  if (prepared.kind === "refused") throw refuse(IMAGE_PROBLEMS[prepared.fault]);
  return prepared.png;
};

/** An orphan until the kit refers to it, so a crash leaves no file. @throws AppError `not_found`; `invalid` image */
export const storeLogo = async (
  ctx: Ctx<"images" | "storage">,
  { accountId, logo }: StoreLogoInput,
): Promise<KitWire> => {
  const { id } = await requireOwnedAccount(ctx, accountId);
  const png = await prepare(ctx, logo);
  const logoKey = `logos/${sha256(randomToken()).slice(0, 40)}.png`;
  await ctx.db.insert(orphanedImages).values({ key: logoKey, since: ctx.now() });
  try {
    await saveObject(ctx, logoKey, png);
    await inTransaction(ctx, (tx) => setLogo(tx, id, logoKey));
  } catch (error) {
    await markImagesForDeletion(ctx, { imageKeys: [logoKey] });
    throw error;
  }
  return toKitWire(ctx, id, await findKit(ctx, id));
};

/** Orphans the previous logo. Call it in a transaction. */
const setLogo = async (tx: Ctx, accountId: OwnedAccountId, logoKey: string | null): Promise<void> => {
  await lockAccount(tx, accountId);
  const { colors, fontPairing } = DEFAULT_KIT;
  // The row must exist, so that concurrent calls wait for each other.
  await tx.db.insert(brandKits).values({ accountId, colors, fontPairing, updatedAt: tx.now() }).onConflictDoNothing();
  const ofAccount = eq(brandKits.accountId, accountId);
  const [before] = await tx.db.select({ key: brandKits.logoKey }).from(brandKits).where(ofAccount).for("update");
  await tx.db.update(brandKits).set({ logoKey, updatedAt: tx.now() }).where(ofAccount);
  if (before?.key) await orphanImage(tx, { imageKey: before.key });
  if (logoKey !== null) await tx.db.delete(orphanedImages).where(eq(orphanedImages.key, logoKey));
};

/** Existing images keep it. @throws AppError `not_found` */
export const removeLogo = async (ctx: Ctx, { accountId }: KitAccountInput): Promise<KitWire> => {
  const { id } = await requireOwnedAccount(ctx, accountId);
  await inTransaction(ctx, (tx) => setLogo(tx, id, null));
  return toKitWire(ctx, id, await findKit(ctx, id));
};

/** Idempotent. */
export const markLogosForDeletion = (ctx: Ctx, { userId }: { userId: UserId }): Promise<void> =>
  inTransaction(ctx, async (tx) => {
    const rows = await tx.db
      .select({ accountId: brandKits.accountId, key: brandKits.logoKey })
      .from(brandKits)
      .innerJoin(pinterestAccounts, eq(pinterestAccounts.id, brandKits.accountId))
      .where(and(eq(pinterestAccounts.userId, userId), isNotNull(brandKits.logoKey)));
    for (const { accountId } of rows) await tx.db.delete(brandKits).where(eq(brandKits.accountId, accountId));
    await markImagesForDeletion(tx, { imageKeys: rows.flatMap(({ key }) => key ?? []), erasedUserId: userId });
  });

const toKitWire = (ctx: Ctx, accountId: string, { colors, fontPairing, logoKey }: Kit): KitWire => ({
  account_id: accountId,
  colours: colors,
  font_pairing: fontPairing,
  logo_url: logoKey === null ? null : signedImageUrl(ctx, logoKey),
});

type Templated = Awaited<ReturnType<typeof findTemplatedPins>>[number];

/** A template that no longer exists counts as none. */
const toTemplatedPins = (rows: readonly Templated[]): TemplatedPinWire[] =>
  rows.flatMap(({ status, template, ...pin }) =>
    status === "deleted" ? [] : [{ ...pin, status, template: templateChoice.safeParse(template).data ?? null }],
  );
