import "server-only";
import type { Ctx } from "#lib/context.ts";
import { requireOwnedAccount } from "#lib/features/accounts/queries.ts";
import { toKitWire, toTemplatedPins } from "./present.ts";
import { findKit, findTemplated } from "./queries.ts";
import type { BrandingWire, ReadBrandingInput } from "./schema.ts";

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
