import { SECOND_MS } from "#lib/core/time.ts";
import { eraseUser as eraseDeletedUser } from "#lib/features/privacy/erasure.ts";
import { erasureRequested } from "#lib/features/privacy/schema.ts";
import { inngest } from "../client.ts";
import { on } from "../events.ts";
import { runVerb } from "../run-verb.ts";

/** Each round finds more under way, which is rare; after these the sweep starts another run. */
const ROUNDS_MAX = 10;

/** Erases what a deleted user leaves behind: gives up what is being made, sleeps until that has ended, erases. */
export const eraseUser = inngest.createFunction(
  { id: "erase-user", triggers: [on("privacy/erasure.requested")], retries: 8 },
  async ({ event, step }) => {
    const requested = erasureRequested.parse(event.data);
    for (let round = 0; round < ROUNDS_MAX; round += 1) {
      const facts = { job: "erase-user", step: "erase", user_id: requested.userId, round };
      const erasing = await step.run(`erase-${round}`, () => runVerb(facts, (ctx) => eraseDeletedUser(ctx, requested)));
      if (erasing.kind === "done") return "erased";
      await step.sleep(`settle-${round}`, (Math.ceil(erasing.afterMs / SECOND_MS) + 1) * SECOND_MS);
    }
    return "left to another run";
  },
);
