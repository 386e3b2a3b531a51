import "server-only";
import type { Ctx } from "#lib/context.ts";
import { announceLetters } from "#lib/features/letters/announce-letters.ts";
import { type Applied, applyEvents } from "./apply-events.ts";

/** Applies an event, and with it all that are stored and not applied yet, in their order; tells support what it must know. */
export const applyEvent = async (
  ctx: Ctx<"jobs">,
  { eventId }: { eventId: string },
): Promise<Omit<Applied, "letterIds">> => {
  const { letterIds, ...done } = await applyEvents(ctx, { eventId });
  if (letterIds.length > 0) await announceLetters(ctx, letterIds);
  return done;
};
