import "server-only";
import type { Ctx } from "#lib/context.ts";
import { AppError } from "#lib/core/errors.ts";
import { type PaidPlanSlug, SETTINGS_TEXTS } from "./constants.ts";
import { type Downgrade, keepDowngrade } from "./keep-downgrade.ts";
import { setPrice } from "./set-price.ts";

/** `scheduled`: what the provider has now; `downgrade`: what waits for the renewal, there or with us. */
export interface Upgrade {
  id: string;
  target: PaidPlanSlug;
  scheduled: PaidPlanSlug;
  downgrade: Downgrade | null;
}

/** Whether it is certain that nothing was charged. */
const isUndone = (error: unknown): boolean =>
  error instanceof AppError && error.message !== SETTINGS_TEXTS.unknownOutcome;

const putBack = async (ctx: Ctx<"payments">, id: string, { to }: Downgrade): Promise<void> => {
  try {
    await setPrice(ctx, { id, plan: to, billing: "free" });
    await keepDowngrade(ctx, id, null);
  } catch (error) {
    // It is noted, so it is put back later; what is told is why the upgrade failed.
    if (!(error instanceof AppError)) throw error;
  }
};

/**
 * A larger plan at once, under the lease of a change. A smaller one that waited for the renewal is taken back
 * before, so that only the rest is charged; if the upgrade fails, it waits again.
 * @throws as `setPrice`
 */
export const upgradePlan = async (ctx: Ctx<"payments">, upgrade: Upgrade): Promise<void> => {
  const { id, target, scheduled, downgrade } = upgrade;
  if (downgrade) await keepDowngrade(ctx, id, downgrade);
  try {
    if (downgrade && downgrade.from !== scheduled) await setPrice(ctx, { id, plan: downgrade.from, billing: "free" });
    await setPrice(ctx, { id, plan: target, billing: "prorate" });
  } catch (error) {
    // Where it is not certain, what waited is not put over a plan that may be paid: see restorePlans.
    if (downgrade && isUndone(error)) await putBack(ctx, id, downgrade);
    throw error;
  }
  if (downgrade) await keepDowngrade(ctx, id, null);
};
