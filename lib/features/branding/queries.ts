import "server-only";
import { and, desc, eq } from "drizzle-orm";
import { brandKits } from "#db/schema/branding.ts";
import { pins } from "#db/schema/pins.ts";
import { isAnyOf } from "#db/sql.ts";
import type { Ctx } from "#lib/context.ts";
import { AppError } from "#lib/core/errors.ts";
import type { AccountId } from "#lib/core/ids.ts";
import { type BrandColors, FONT_PAIRINGS, type FontPairing } from "#lib/core/images.ts";
import type { OwnedAccountId } from "#lib/features/accounts/queries.ts";
import { isVisible } from "#lib/features/pins/queries.ts";
import type { ImageState } from "#lib/features/pins/schema.ts";
import type { ImageDescription } from "#lib/integrations/images/port.ts";
import { DEFAULT_PAIRING, PALETTES } from "./constants.ts";
import { brandColors } from "./schema.ts";

export interface Kit {
  colors: BrandColors;
  fontPairing: FontPairing;
  logoKey: string | null;
}

type Row = typeof brandKits.$inferSelect;

const DEFAULT_COLORS: BrandColors = PALETTES[0]?.colors ?? { panel: "#faf7f1", words: "#19251e", accent: "#1c543a" };

export const DEFAULT_KIT: Kit = { colors: DEFAULT_COLORS, fontPairing: DEFAULT_PAIRING, logoKey: null };

const toKit = ({ colors, fontPairing, logoKey }: Row): Kit => ({
  colors: brandColors.parse(colors),
  // A pairing may no longer exist.
  fontPairing: FONT_PAIRINGS.find((one) => one === fontPairing) ?? DEFAULT_PAIRING,
  logoKey,
});

/** Accounts without a row have the default kit. */
export const findKits = async (ctx: Ctx, accountIds: readonly AccountId[]): Promise<(accountId: AccountId) => Kit> => {
  const rows = await ctx.db.select().from(brandKits).where(isAnyOf(brandKits.accountId, accountIds));
  const kits = new Map(rows.map((row) => [row.accountId, toKit(row)]));
  return (accountId) => kits.get(accountId) ?? DEFAULT_KIT;
};

export const findKit = async (ctx: Ctx, accountId: OwnedAccountId): Promise<Kit> =>
  (await findKits(ctx, [accountId]))(accountId);

export const findTemplatedPins = (ctx: Ctx, accountId: OwnedAccountId, pinIds: readonly string[]) =>
  ctx.db
    .select({ id: pins.id, title: pins.title, status: pins.status, template: pins.template })
    .from(pins)
    .where(and(eq(pins.accountId, accountId), isAnyOf(pins.id, pinIds), isVisible));

export const findNewestPin = async (ctx: Ctx, accountId: OwnedAccountId) => {
  const [row] = await ctx.db
    .select({ title: pins.title, imageKey: pins.imageKey, baseImageKey: pins.baseImageKey })
    .from(pins)
    .where(and(eq(pins.accountId, accountId), isVisible))
    .orderBy(desc(pins.createdAt), desc(pins.id))
    .limit(1);
  return row ?? null;
};

/** @throws AppError `internal` when it is missing */
export const readStoredImage = async (ctx: Ctx<"storage">, key: string): Promise<Uint8Array> => {
  const bytes = await ctx.storage.get(key);
  if (!bytes) throw new AppError("internal", { cause: new Error("An image of a pin is missing in storage.") });
  return bytes;
};

/** A review of the old image no longer counts. */
export const imageChanges = ({
  likeness,
  placeholder,
}: ImageDescription): Pick<ImageState, "likeness" | "placeholder" | "review" | "reviewedAt"> => ({
  likeness,
  placeholder,
  review: null,
  reviewedAt: null,
});
