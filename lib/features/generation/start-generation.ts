import "server-only";
import { generationGroups, generationTasks } from "#db/schema/generation.ts";
import { type Ctx, inTransaction } from "#lib/context.ts";
import { AppError } from "#lib/core/errors.ts";
import type { GroupId, LetterId } from "#lib/core/ids.ts";
import { requireUserId } from "#lib/core/require-user.ts";
import { type OwnedAccountId, requireOwnedAccount } from "#lib/features/accounts/queries.ts";
import { COST_CREDITS } from "#lib/features/credits/constants.ts";
import { reserveCredits } from "#lib/features/credits/reserve-credits.ts";
import { announceLetters } from "#lib/features/letters/announce-letters.ts";
import { callUpTasks } from "./call-up-tasks.ts";
import { leftOutWarning } from "./policy.ts";
import type { GeneratePinsInput } from "./schema.ts";

/** Too few credits is an expected outcome, not an error (R-AIC-11, R-SRV-02). */
export type StartResult =
  | { kind: "started"; groupId: GroupId; totalTasks: number; warning: string | null }
  | { kind: "nothing_affordable"; warning: string };

const requireConnectedAccount = async (ctx: Ctx, id: string): Promise<OwnedAccountId> => {
  const account = await requireOwnedAccount(ctx, id);
  if (account.status !== "connected") throw new AppError("reconnect_needed");
  return account.id;
};

/** Reserves credits in the rows' order and writes the group with the tasks that they pay for, or nothing. */
const writeGroup = async (
  tx: Ctx,
  input: Omit<GeneratePinsInput, "accountId"> & { accountId: OwnedAccountId },
): Promise<{ result: StartResult; letterIds: LetterId[] }> => {
  const { accountId, boardId, quality, rows } = input;
  const userId = requireUserId(tx);
  const costCredits = COST_CREDITS[quality];
  const planned = rows.map((row) => ({ ...row, id: tx.newId("task") }));
  const lots = planned.map(({ id }) => ({ reference: id, costCredits }));
  const { reserved, availableCredits, letterIds } = await reserveCredits(tx, { userId, lots });
  const hadCredits = availableCredits + reserved * costCredits;
  const asked = rows.length;
  const warning = leftOutWarning({ asked, started: reserved, availableCredits: hadCredits, costCredits });
  if (reserved === 0) return { result: { kind: "nothing_affordable", warning: warning ?? "" }, letterIds };
  const groupId = tx.newId("group");
  const createdAt = tx.now();
  await tx.db
    .insert(generationGroups)
    .values({ id: groupId, userId, accountId, boardId, quality, totalTasks: reserved, createdAt });
  const started = planned.slice(0, reserved);
  await tx.db.insert(generationTasks).values(
    started.map(({ id, keyword, url }, position) => {
      const asked = { id, groupId, userId, position, keyword, url, costCredits };
      return { ...asked, status: "PENDING" as const, wakeAt: createdAt, createdAt };
    }),
  );
  return { result: { kind: "started", groupId, totalTasks: reserved, warning }, letterIds };
};

/**
 * Starts as many pins as the user's credits pay for, in the order of the rows (R-AIC-08, R-SRV-02). Credits, group
 * and tasks are written together; then each task gets an event when its turn comes.
 * @throws AppError `not_found` for an account that is not the actor's, `reconnect_needed` for one that is not connected.
 */
export const startGeneration = async (ctx: Ctx<"jobs">, input: GeneratePinsInput): Promise<StartResult> => {
  const accountId = await requireConnectedAccount(ctx, input.accountId);
  const { result, letterIds } = await inTransaction(ctx, (tx) => writeGroup(tx, { ...input, accountId }));
  if (result.kind === "nothing_affordable") return result;
  ctx.log.set({ group_id: result.groupId, tasks: result.totalTasks });
  await callUpTasks(ctx);
  if (letterIds.length > 0) await announceLetters(ctx, letterIds);
  return result;
};
