import "server-only";
import type { Ctx } from "#lib/context.ts";
import { availableOf } from "#lib/features/credits/policy.ts";
import { toCreditsWire } from "#lib/features/credits/present.ts";
import { toTaskWire } from "#lib/features/generation/present.ts";
import { toPost } from "#lib/features/pins/present.ts";
import { isShownPin, toPin } from "#lib/features/pins/queries.ts";
import type { Change } from "./queries.ts";
import type { LiveData } from "./schema.ts";

/** What an event of a kind carries; null when there is nothing left to tell. */
type Presented = { [K in Change["kind"]]: (ctx: Ctx<"pinterest">, change: Change) => LiveData[K] | null };

const PRESENT: Presented = {
  task: (_, { task, group }) => task && group && { group_id: group.id, ...toTaskWire(task) },
  group: (_, { group }) =>
    group && {
      group_id: group.id,
      total_tasks: group.totalTasks,
      quality: group.quality,
      finished: group.finishedAt !== null,
    },
  // What hung at a removed account is shown nowhere.
  post: (ctx, { pin: row, linkCheck, username, accountStatus }) => {
    const pin = row && toPin(row);
    const isKept = username !== null && accountStatus !== null && accountStatus !== "removed";
    if (!pin || !isShownPin(pin) || !isKept) return null;
    return toPost(ctx, { ...pin, linkCheck }, { username, status: accountStatus });
  },
  // Told as `reset`, before anything is presented.
  reset: () => null,
  post_removed: (_, { subject }) => ({ id: subject }),
  account: (_, { subject, accountStatus }) => accountStatus && { id: subject, status: accountStatus },
  credits: (_, { balance }) =>
    balance &&
    toCreditsWire({
      availableCredits: availableOf(balance),
      allowance: balance.allowance,
      purchased: balance.purchased,
      held: balance.held,
    }),
};

/** The data of an event as it goes out; null when what it tells of is gone. */
export const toLiveData = (ctx: Ctx<"pinterest">, change: Change): LiveData[Change["kind"]] | null =>
  PRESENT[change.kind](ctx, change);
