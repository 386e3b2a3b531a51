import "server-only";
import type { Ctx } from "#lib/context.ts";
import { messageOf } from "#lib/core/errors.ts";
import type { LetterId } from "#lib/core/ids.ts";

/** Has mails sent that were just committed. An engine that does not answer is no error: the sweep comes by. */
export const announceLetters = async (ctx: Ctx<"jobs">, letterIds: readonly LetterId[]): Promise<void> => {
  const events = letterIds.map((letterId) => ({
    name: "letters/letter.posted" as const,
    id: `letter:${letterId}:0`,
    data: { letterId },
  }));
  try {
    await ctx.jobs.send(events);
  } catch (error) {
    ctx.log.set({ engine_problem: messageOf(error) });
  }
};
