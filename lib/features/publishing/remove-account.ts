import "server-only";
import { and, eq } from "drizzle-orm";
import { pins } from "#db/schema/pins.ts";
import { type Ctx, inTransaction } from "#lib/context.ts";
import { eraseTokens } from "#lib/features/accounts/erase-tokens.ts";
import { requireOwnedAccount } from "#lib/features/accounts/queries.ts";
import { toPin } from "#lib/features/pins/queries.ts";
import { forgetFigures } from "#lib/features/results/forget-figures.ts";
import { applyRuling } from "./apply-ruling.ts";
import { ruleOnRemoval } from "./policy.ts";
import { lockScheduledPin } from "./queries.ts";

/**
 * Removes an account: its tokens are erased, its scheduled pins become drafts with a reason, its published
 * history stays, and what Pinterest told of it goes (D8). A pin whose call is on its way stays scheduled until that call is answered or its lease is over;
 * one whose outcome is not known becomes a draft that is marked, and looked for before it ever goes out again.
 * @throws AppError `not_found` for an account that is not the actor's, or was removed already.
 */
export const removeAccount = async (ctx: Ctx, input: { accountId: string }): Promise<void> => {
  const account = await requireOwnedAccount(ctx, input.accountId);
  await inTransaction(ctx, async (tx) => {
    // Takes the account's lock: who schedules pins meanwhile waits, and then finds the account gone.
    await eraseTokens(tx, { accountId: account.id });
    await forgetFigures(tx, { accountIds: [account.id] });
    const rows = await tx.db
      .select()
      .from(pins)
      .where(and(eq(pins.accountId, account.id), eq(pins.status, "scheduled")))
      .orderBy(pins.id);
    for (const { id: pinId, scheduleGeneration } of rows.map(toPin)) {
      const locked = await lockScheduledPin(tx, { pinId, scheduleGeneration });
      const ruling = locked && ruleOnRemoval(locked.open, tx.now());
      if (ruling) await applyRuling(tx, { pinId, attemptId: locked.open?.id ?? null }, ruling);
    }
    tx.log.set({ account_id: account.id, pins_touched: rows.length });
  });
};
