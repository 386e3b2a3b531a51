/** `npm run payments:replay -- EVENT_ID | --since ISO | --held | --unread`: applies events of the payment provider once more. */

import { rereadList } from "#lib/features/billing/reconciliation.ts";
import { type Replay, replayEvents } from "#lib/features/billing/webhooks.ts";
import { OperatorError, operate } from "./operator.ts";

const USAGE = "Usage: npm run payments:replay -- EVENT_ID | --since 2026-11-22T08:00:00Z | --held | --unread";

function readReplay([first, second]: readonly string[]): Replay {
  if (first === "--held" && second === undefined) return { kind: "held" };
  if (first === "--since" && second !== undefined) {
    const since = new Date(second);
    if (Number.isNaN(since.getTime())) throw new OperatorError(`${second} is no time. ${USAGE}`, 2);
    return { kind: "since", since };
  }
  if (!first || first.startsWith("--") || second !== undefined) throw new OperatorError(USAGE, 2);
  return { kind: "event", eventId: first };
}

await operate("payments:replay", async ({ ctx }) => {
  const given = process.argv.slice(2);
  if (given.length === 1 && given[0] === "--unread") {
    const { unread } = await rereadList(ctx);
    console.log(`${unread} events could not be read. The provider's list is read again from the oldest of them on.`);
    return;
  }
  const replay = readReplay(given);
  const { looked, failed } = await replayEvents(ctx, replay);
  if (replay.kind === "held") console.log(`Looked again at the held payments of ${looked} users.`);
  else console.log(`Applied ${looked - failed} events again; ${failed} could not be.`);
  if (failed > 0) throw new OperatorError("See them with: npm run payments:events -- --open");
});
