import type { FullCtx } from "#lib/context.ts";
import { SECOND_MS } from "#lib/core/time.ts";
import { renewConnections } from "#lib/features/publishing/connection-renewal.ts";
import { SCAN_GAP_MS, SCANS_PER_MINUTE, WAIT_IN_RUN_MAX_MS } from "#lib/features/publishing/constants.ts";
import { startDuePins as startDue } from "#lib/features/publishing/due-pins.ts";
import type { Move } from "#lib/features/publishing/policy.ts";
import { publishDuePin, releasePin, takeTurn } from "#lib/features/publishing/publisher.ts";
import { reconcilePin } from "#lib/features/publishing/reconciliation.ts";
import { publishRequested } from "#lib/features/publishing/schema.ts";
import { inngest } from "../client.ts";
import { on } from "../events.ts";
import { runUseCase } from "../run-use-case.ts";

/** Bounds a run's steps, at most four per round; the scan starts another run for a pin that needs more. */
const ROUNDS_MAX = 20;

const LEFT = "left to the scan";

/** More than one, because a step may wait up to a second for its pin's due time. */
const ACCOUNT_STEPS_MAX = 5;

/** Every 15 seconds: starts the pins that are due soon, and those whose run the engine lost. */
export const startDuePins = inngest.createFunction(
  { id: "start-due-pins", triggers: [{ cron: "* * * * *" }], retries: 1 },
  async ({ step }) => {
    let started = 0;
    for (let scan = 0; scan < SCANS_PER_MINUTE; scan += 1) {
      if (scan > 0) await step.sleep(`gap-${scan}`, SCAN_GAP_MS);
      const facts = { job: "start-due-pins", step: "scan", round: scan };
      started += (await step.run(`scan-${scan}`, () => runUseCase(facts, startDue))).started;
    }
    return { started };
  },
);

/**
 * Publishes one due pin exactly once. Only orders and delays steps; the use cases decide, within their steps, whether
 * it is time and what follows. The engine stores step ids: renaming one repeats that step in runs under way.
 */
export const publishPin = inngest.createFunction(
  {
    id: "publish-pin",
    triggers: [on("pins/publish.requested")],
    concurrency: { key: "event.data.accountId", limit: ACCOUNT_STEPS_MAX },
    // The pin itself is retried, with a growing delay, by `releasePin`.
    retries: 2,
    onFailure: async ({ event, step }) => {
      const scheduled = publishRequested.parse(event.data.event.data);
      const facts = { job: "publish-pin", step: "release-pin", pin_id: scheduled.pinId };
      await step.run("release-pin", () => runUseCase(facts, (ctx) => releasePin(ctx, scheduled)));
    },
  },
  async ({ event, step }) => {
    const { pinId, accountId, scheduleGeneration } = publishRequested.parse(event.data);
    const scheduled = { pinId, scheduleGeneration };
    const facts = { job: "publish-pin", pin_id: pinId, generation: scheduleGeneration };
    for (let round = 0; round < ROUNDS_MAX; round += 1) {
      const run = <R>(name: string, useCase: (ctx: FullCtx) => Promise<R>) =>
        step.run(`${name}-${round}`, () => runUseCase({ ...facts, step: name, round }, useCase));
      const published = await run("publish-due", (ctx) => publishDuePin(ctx, { ...scheduled, accountId }));
      let move: Move = published;
      if (published.kind === "check_board") {
        if (published.afterMs > WAIT_IN_RUN_MAX_MS) return LEFT;
        const attempt = { ...scheduled, attemptId: published.attemptId };
        await step.sleep(`delay-before-board-check-${round}`, Math.ceil(published.afterMs / SECOND_MS) * SECOND_MS);
        move = await run("check-board", (ctx) => takeTurn(accountId, () => reconcilePin(ctx, attempt)));
      }
      if (move.kind === "done") return move.result;
      if (move.afterMs > WAIT_IN_RUN_MAX_MS) return LEFT;
      // A duration, since the engine's clock may differ from the database's. The step itself waits for fractions of a
      // second.
      const delayMs = Math.floor(move.afterMs / SECOND_MS) * SECOND_MS;
      if (delayMs > 0) await step.sleep(`delay-${round}`, delayMs);
    }
    return LEFT;
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
