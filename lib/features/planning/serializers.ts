import "server-only";
import { toIso } from "#lib/core/time.ts";
import type { OwnedAccount } from "#lib/features/accounts/queries.ts";
import type { Breach, Placement } from "./planner.ts";
import { presetOf } from "./policy.ts";
import type { AccountPace } from "./queries.ts";
import type { BreachWire, PaceWire, PlannedSlotWire } from "./schema.ts";

export const toPaceWire = ({ id, username }: OwnedAccount, { numbers, timeZone }: AccountPace): PaceWire => ({
  account_id: id,
  username,
  time_zone: timeZone,
  preset: presetOf(numbers),
  numbers,
});

export const toBreachWire = ({ rule, limit, other }: Breach): BreachWire => ({
  rule,
  limit,
  other: other && { title: other.title, at: toIso(other.at) },
});

export const toPlannedSlot = ({ id, at, moves }: Placement, breaches: readonly Breach[]): PlannedSlotWire => ({
  post_id: id,
  due_at: toIso(at),
  moves,
  breaches: breaches.map(toBreachWire),
});
