import "server-only";
import { and, eq } from "drizzle-orm";
import { payments } from "#db/schema/billing.ts";
import type { Ctx } from "#lib/context.ts";
import { AppError } from "#lib/core/errors.ts";
import { httpUrl } from "#lib/core/paths.ts";
import { requireUserId } from "#lib/core/require-user.ts";
import { askProvider } from "./ask-provider.ts";
import { SETTINGS_TEXTS } from "./constants.ts";
import { hasReceipt } from "./policy.ts";
import type { PaymentIdInput } from "./schema.ts";

/**
 * Address of the invoice of one of the actor's payments; it lives for an hour and is never stored.
 * @throws AppError `not_found` for a payment that is absent or somebody else's; `wrong_state` for one without an
 * invoice; the provider's errors.
 */
export const openReceipt = async (ctx: Ctx<"payments">, { id }: PaymentIdInput): Promise<string> => {
  const isOwn = and(eq(payments.id, id), eq(payments.userId, requireUserId(ctx)));
  const [payment] = await ctx.db.select({ status: payments.status }).from(payments).where(isOwn);
  if (!payment) throw new AppError("not_found");
  if (!hasReceipt(payment)) throw new AppError("wrong_state", { text: SETTINGS_TEXTS.noReceipt });
  const url = httpUrl(await askProvider(ctx, ctx.payments.invoiceUrl(id)));
  if (!url) throw new AppError("provider_failed");
  return url;
};
