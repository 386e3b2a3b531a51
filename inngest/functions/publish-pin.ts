import { SECOND_MS } from "#lib/core/time.ts";
import { renewConnections } from "#lib/features/publishing/connection-renewal.ts";
import { WAIT_IN_RUN_MAX_MS } from "#lib/features/publishing/constants.ts";
import { startDuePins as startDue } from "#lib/features/publishing/due-pins.ts";
import { advancePin, releasePin } from "#lib/features/publishing/publisher.ts";
import { publishRequested } from "#lib/features/publishing/schema.ts";
import { requestDeliveriesOf } from "#lib/features/webhooks/sending.ts";
import { inngest } from "../client.ts";
import { on } from "../events.ts";
import { runUseCase } from "../run-use-case.ts";
import { scanEveryQuarterMinute } from "../scans.ts";

/** The scan starts another run for a pin that needs more. Each call after a sleep repeats all rounds before it. */
const ROUNDS_MAX = 10;

/** More than one, because a call may wait up to a second for its pin's due time. */
const ACCOUNT_CALLS_MAX = 5;

/** Every 15 seconds: starts the pins that are due soon, and those whose run the engine lost. */
export const startDuePins = inngest.createFunction(
  { id: "start-due-pins", triggers: [{ cron: "* * * * *" }], retries: 1 },
  ({ step }) =>
    scanEveryQuarterMinute(step, (round) => runUseCase({ job: "start-due-pins", step: "scan", round }, startDue)),
);

/**
 * Publishes one due pin exactly once. It works outside of steps, so that a pin takes one call of the engine: every call
 * after a sleep repeats `advancePin`, whose decisions are in the database.
 */
export const publishPin = inngest.createFunction(
  {
    id: "publish-pin",
    triggers: [on("pins/publish.requested")],
    concurrency: { key: "event.data.accountId", limit: ACCOUNT_CALLS_MAX },
    // The pin itself is retried, with a growing delay, by `releasePin`.
    retries: 2,
    onFailure: async ({ event, step }) => {
      const scheduled = publishRequested.parse(event.data.event.data);
      const facts = { job: "publish-pin", step: "release-pin", pin_id: scheduled.pinId };
      await step.run("release-pin", () => runUseCase(facts, (ctx) => releasePin(ctx, scheduled)));
    },
  },
  async ({ event, step }) => {
    const requested = publishRequested.parse(event.data);
    const pin = { pin_id: requested.pinId, generation: requested.scheduleGeneration };
    for (let round = 0; round < ROUNDS_MAX; round += 1) {
      const facts = { job: "publish-pin", step: "publish-due", round, ...pin };
      const move = await runUseCase(facts, (ctx) => advancePin(ctx, requested));
      if (move.kind === "done") {
        const announce = { ...facts, step: "announce" };
        await runUseCase(announce, (ctx) => requestDeliveriesOf(ctx, requested.pinId));
        return move.result;
      }
      if (move.afterMs > WAIT_IN_RUN_MAX_MS) break;
      // A duration, since the engine's clock may differ from the database's. Engines sleep in whole seconds; a pin's
      // last second is waited for within the call.
      const seconds = move.afterMs / SECOND_MS;
      const delayMs = (move.kind === "wait" ? Math.floor(seconds) : Math.ceil(seconds)) * SECOND_MS;
      if (delayMs > 0) await step.sleep(`delay-${round}`, delayMs);
    }
    return "left to the scan";
  },
);

const RENEWAL_ROUNDS_MAX = 200;

/** Every day: renews the tokens of accounts with scheduled pins before they expire. The next day is the retry. */
export const renewTokens = inngest.createFunction(
  { id: "renew-tokens", triggers: [{ cron: "41 4 * * *" }], retries: 4 },
  async ({ step }) => {
    let afterId = "";
    for (let round = 0; round < RENEWAL_ROUNDS_MAX; round += 1) {
      const facts = { job: "renew-tokens", step: "renew", round };
      const renewed = await step.run(`renew-${round}`, () =>
        runUseCase(facts, (ctx) => renewConnections(ctx, { afterId })),
      );
      if (renewed.afterId === null) return "done";
      afterId = renewed.afterId;
    }
    return "left to the next day";
  },
);
