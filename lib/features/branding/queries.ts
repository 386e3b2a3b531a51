import "server-only";
import { and, desc, eq, inArray } from "drizzle-orm";
import { brandKits } from "#db/schema/branding.ts";
import { pins } from "#db/schema/pins.ts";
import type { Ctx } from "#lib/context.ts";
import { AppError } from "#lib/core/errors.ts";
import type { AccountId } from "#lib/core/ids.ts";
import { type BrandColours, FONT_PAIRINGS, type FontPairing } from "#lib/core/images.ts";
import type { OwnedAccountId } from "#lib/features/accounts/queries.ts";
import { isShown } from "#lib/features/pins/queries.ts";
import type { Showing } from "#lib/features/pins/schema.ts";
import type { PictureDescription } from "#lib/integrations/images/port.ts";
import { DEFAULT_PAIRING, PALETTES } from "./constants.ts";
import { brandColours } from "./schema.ts";

/** How an account's pins look. */
export interface Kit {
  colours: BrandColours;
  fontPairing: FontPairing;
  logoKey: string | null;
}

type Row = typeof brandKits.$inferSelect;

const FIRST_COLOURS: BrandColours = PALETTES[0]?.colours ?? { panel: "#faf7f1", words: "#19251e", accent: "#1c543a" };

/** What an account has that chose nothing yet. */
export const FIRST_KIT: Kit = { colours: FIRST_COLOURS, fontPairing: DEFAULT_PAIRING, logoKey: null };

const toKit = ({ colours, fontPairing, logoKey }: Row): Kit => ({
  colours: brandColours.parse(colours),
  // A pairing that was given up later gives way to the first one.
  fontPairing: FONT_PAIRINGS.find((one) => one === fontPairing) ?? DEFAULT_PAIRING,
  logoKey,
});

/** The kits of accounts whose ownership was proven; those without a row have the first one. */
export const findKits = async (ctx: Ctx, accountIds: readonly AccountId[]): Promise<(accountId: AccountId) => Kit> => {
  const rows = await ctx.db
    .select()
    .from(brandKits)
    .where(inArray(brandKits.accountId, [...accountIds]));
  const kits = new Map(rows.map((row) => [row.accountId, toKit(row)]));
  return (accountId) => kits.get(accountId) ?? FIRST_KIT;
};

/** The kit of an account. */
export const findKit = async (ctx: Ctx, accountId: OwnedAccountId): Promise<Kit> =>
  (await findKits(ctx, [accountId]))(accountId);

/** Pins of an account, of those asked for, with what stands on their pictures. */
export const findTemplated = (ctx: Ctx, accountId: OwnedAccountId, pinIds: readonly string[]) =>
  ctx.db
    .select({ id: pins.id, title: pins.title, status: pins.status, template: pins.template })
    .from(pins)
    .where(and(eq(pins.accountId, accountId), inArray(pins.id, [...pinIds]), isShown));

/** The pin of an account that was made last. */
export const findNewestPin = async (ctx: Ctx, accountId: OwnedAccountId) => {
  const [row] = await ctx.db
    .select({ title: pins.title, imageKey: pins.imageKey, baseImageKey: pins.baseImageKey })
    .from(pins)
    .where(and(eq(pins.accountId, accountId), isShown))
    .orderBy(desc(pins.createdAt), desc(pins.id))
    .limit(1);
  return row ?? null;
};

/** A picture that a row names. @throws AppError `internal` when it is lost. */
export const readStored = async (ctx: Ctx<"storage">, key: string): Promise<Uint8Array> => {
  const bytes = await ctx.storage.get(key);
  if (!bytes) throw new AppError("internal", { cause: new Error("A picture of a pin is not in the storage.") });
  return bytes;
};

/** What changes with a pin's picture besides: how it looks, and what was said in a review, of another picture (D9). */
export const looksAnew = ({
  likeness,
  placeholder,
}: PictureDescription): Pick<Showing, "likeness" | "placeholder" | "review" | "reviewedAt"> => ({
  likeness,
  placeholder,
  review: null,
  reviewedAt: null,
});
