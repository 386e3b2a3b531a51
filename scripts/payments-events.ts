/** `npm run payments:events -- [--open] [--user EMAIL]`: lists payment events and what happened to them. */

import { findHeldPayments } from "#lib/features/billing/queries.ts";
import { type ListedEvent, listEvents } from "#lib/features/billing/webhooks.ts";
import { uniqueKey } from "#lib/features/identity/policy.ts";
import { findUserIdByEmailKey } from "#lib/features/identity/queries.ts";
import { type Operator, OperatorError, operate } from "./operator.ts";

const USAGE = "Usage: npm run payments:events -- [--open] [--user EMAIL]";
const NEWEST = 200;

function readArguments(given: readonly string[]): { open: boolean; email: string | null } {
  const at = given.indexOf("--user");
  const email = at === -1 ? null : given[at + 1];
  const others = given.filter((word, n) => word !== "--open" && n !== at && (at === -1 || n !== at + 1));
  if (email === undefined || others.length > 0) throw new OperatorError(USAGE, 2);
  return { open: given.includes("--open"), email };
}

async function findUserId(ctx: Operator["ctx"], email: string) {
  const userId = await findUserIdByEmailKey(ctx, uniqueKey(email));
  if (!userId) throw new OperatorError("No user has this email.");
  return userId;
}

function stateOf({ appliedAt, problem, sweeps }: ListedEvent): string {
  if (problem) return `problem (${sweeps} sweeps): ${problem}`;
  return appliedAt ? "applied" : `open (${sweeps} sweeps)`;
}

await operate("payments:events", async ({ ctx }) => {
  const { open, email } = readArguments(process.argv.slice(2));
  const userId = email === null ? null : await findUserId(ctx, email);
  const events = await listEvents(ctx, { open, userId, limit: NEWEST });
  for (const event of events) {
    const { occurredAt, eventType, eventId, source, subject } = event;
    console.log([occurredAt.toISOString(), eventType, eventId, subject ?? "-", source, stateOf(event)].join("  "));
  }
  console.log(`${events.length} events${events.length === NEWEST ? " (newest first, limited)" : ""}.`);
  const held = await findHeldPayments(ctx, userId);
  for (const { id, heldReason, currency, totalMinor, userId: whose } of held) {
    console.log(`held  ${id}  ${whose ?? "no user"}  ${totalMinor} ${currency} (minor units)  ${heldReason}`);
  }
  if (held.length > 0) console.log(`${held.length} payments are on hold.`);
});
