import "server-only";
import { type Ctx, databaseTime } from "#lib/context.ts";
import { AppError } from "#lib/core/errors.ts";
import { httpUrl } from "#lib/core/paths.ts";
import { requireUserId } from "#lib/core/require-user.ts";
import { askProvider } from "./ask-provider.ts";
import { SETTINGS_TEXTS } from "./constants.ts";
import { hasEnded } from "./policy.ts";
import { findSubscription, isSoleCustomer } from "./queries.ts";

/**
 * Address of the provider's page where the actor changes the way of paying: asked for when it is wanted, never stored
 * (DESIGN §6). The portal shows all that its customer ever bought, so it opens for the actor's own customer only; else
 * it is a checkout for this one subscription. @throws AppError `wrong_state` without a subscription that goes on; the provider's errors.
 */
export const openPortal = async (ctx: Ctx<"payments">): Promise<string> => {
  const userId = requireUserId(ctx);
  const subscription = await findSubscription(ctx, userId);
  if (!subscription?.customerId || hasEnded(subscription, await databaseTime(ctx))) {
    throw new AppError("wrong_state", { text: SETTINGS_TEXTS.nothingToManage });
  }
  const { id, customerId } = subscription;
  const isSole = await isSoleCustomer(ctx, { userId, customerId });
  const address = isSole ? ctx.payments.portalUrl(customerId, id) : ctx.payments.paymentMethodUrl(id);
  const url = httpUrl(await askProvider(ctx, address));
  if (!url) throw new AppError("provider_failed");
  return url;
};
