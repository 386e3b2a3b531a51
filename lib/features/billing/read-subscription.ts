import "server-only";
import type { Ctx } from "#lib/context.ts";
import { requireUserId } from "#lib/core/require-user.ts";
import { findSubscriptionView, type SubscriptionView } from "./queries.ts";

/**
 * The signed-in user's plan (R-PRICE-10, A-23): always one, from our own records alone, so that it is there when the
 * provider is not. @throws AppError `unauthenticated`
 */
export const readSubscription = (ctx: Ctx): Promise<SubscriptionView> => findSubscriptionView(ctx, requireUserId(ctx));
