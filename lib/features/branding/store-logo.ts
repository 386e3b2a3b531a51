import "server-only";
import { orphanedImages } from "#db/schema/images.ts";
import { type Ctx, inTransaction } from "#lib/context.ts";
import { randomToken, sha256 } from "#lib/core/digest.ts";
import { AppError } from "#lib/core/errors.ts";
import type { UploadedFile } from "#lib/core/uploaded-file.ts";
import { requireOwnedAccount } from "#lib/features/accounts/queries.ts";
import { condemnImages } from "#lib/features/pins/condemn-images.ts";
import { PICTURE_FAULTS } from "#lib/features/pins/constants.ts";
import { LOGO_PART, TEXTS } from "./constants.ts";
import { hangLogo } from "./hang-logo.ts";
import { toKitWire } from "./present.ts";
import { findKit } from "./queries.ts";
import type { KitWire, StoreLogoInput } from "./schema.ts";

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
