/** `npm run payments:replay -- EVENT_ID | --since ISO | --held | --unread`: applies payment events again. */

import { rewindEventList } from "#lib/features/billing/reconciliation.ts";
import { type Replay, replayEvents } from "#lib/features/billing/webhooks.ts";
import { OperatorError, operate } from "./operator.ts";

const USAGE = "Usage: npm run payments:replay -- EVENT_ID | --since 2026-11-22T08:00:00Z | --held | --unread";

function readReplay([first, second]: readonly string[]): Replay {
  if (first === "--held" && second === undefined) return { kind: "held" };
  if (first === "--since" && second !== undefined) {
    const since = new Date(second);
    if (Number.isNaN(since.getTime())) throw new OperatorError(`${second} is not a valid time. ${USAGE}`, 2);
    return { kind: "since", since };
  }
  if (!first || first.startsWith("--") || second !== undefined) throw new OperatorError(USAGE, 2);
  return { kind: "event", eventId: first };
}

await operate("payments:replay", async ({ ctx }) => {
  const given = process.argv.slice(2);
  if (given.length === 1 && given[0] === "--unread") {
    const { unread } = await rewindEventList(ctx);
    console.log(
      `${unread} events could not be read. Paddle's event list will be read again, starting from the oldest of them.`,
    );
    return;
  }
  const replay = readReplay(given);
  const { processed, failed } = await replayEvents(ctx, replay);
  if (replay.kind === "held") console.log(`Checked the held payments of ${processed} users again.`);
  else console.log(`Applied ${processed - failed} events again; ${failed} failed.`);
  if (failed > 0) throw new OperatorError("See them with: npm run payments:events -- --open");
});
