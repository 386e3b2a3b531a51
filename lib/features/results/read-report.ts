import "server-only";
import type { Ctx } from "#lib/context.ts";
import { requireOwnedAccount } from "#lib/features/accounts/queries.ts";
import { type Coverage, findGroups } from "./find-groups.ts";
import { nameGroups } from "./name-groups.ts";
import { addSums, checkRange, type JudgedGroup, NOTHING, rank, type Sums } from "./policy.ts";
import { findGather, findTimeZone } from "./queries.ts";
import type { ReportInput } from "./schema.ts";

/** What an account's published pins did, by what they were made of. */
export interface Report {
  input: ReportInput;
  /** The best first, the undecided last. */
  groups: JudgedGroup[];
  totals: Sums;
  coverage: Coverage;
  /** Whether Pinterest can be asked for figures at all. */
  isConnected: boolean;
  gather: Awaited<ReturnType<typeof findGather>>;
}

/**
 * What the published pins of one of the actor's accounts did in some days, by one of `DIMENSIONS`, from the figures
 * that are kept (A-83, D8); Pinterest is not asked. Weekdays and hours are those of the user's own zone.
 * @throws AppError `not_found` for an account that is not the actor's, `invalid` for days that Pinterest does not tell of.
 */
export const readReport = async (ctx: Ctx, input: ReportInput): Promise<Report> => {
  const { firstDay, lastDay, by } = input;
  const [account, timeZone] = await Promise.all([requireOwnedAccount(ctx, input.accountId), findTimeZone(ctx)]);
  checkRange(input, ctx.now());
  const asked = { accountId: account.id, range: { firstDay, lastDay }, by, timeZone };
  const [{ groups, coverage }, gather] = await Promise.all([findGroups(ctx, asked), findGather(ctx, account.id)]);
  const ranked = rank(nameGroups(by, groups));
  const totals = ranked.reduce((sum, { sums }) => addSums(sum, sums), NOTHING);
  return { input, groups: ranked, totals, coverage, gather, isConnected: account.status === "connected" };
};
