import { sql } from "drizzle-orm";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { FullCtx } from "#lib/context.ts";
import { createId, type UserId } from "#lib/core/ids.ts";
import { DAY_MS } from "#lib/core/time.ts";
import { ensureAllowance } from "#lib/features/credits/allowance.ts";
import { grantCredits } from "#lib/features/credits/grants.ts";
import { checkLedger } from "#lib/features/credits/ledger-check.ts";
import { findBalance } from "#lib/features/credits/queries.ts";
import { reserveCredits, settleReservation } from "#lib/features/credits/reservations.ts";
import { createTestHarness, createUser, type TestHarness } from "#tests/support/context.ts";
import { databaseForFile } from "#tests/support/database.ts";
import { fc } from "#tests/support/properties.ts";

const database = databaseForFile();
let harness: TestHarness;

beforeAll(() => {
  harness = createTestHarness({ databaseUrl: database().url, storageDir: "/nonexistent" });
});
afterAll(() => harness.close());

/** One operation on a user's credits, `day` days into the test. */
type Op =
  | { kind: "grant"; credits: number; cause: number; day: number }
  | { kind: "reserve"; costs: number[]; day: number }
  | { kind: "settle"; pick: number; outcome: "spend" | "release"; day: number }
  | { kind: "need"; day: number };

const day = fc.integer({ min: 0, max: 70 });
const op: fc.Arbitrary<Op> = fc.oneof(
  fc.record({ kind: fc.constant("grant"), credits: fc.integer({ min: 1, max: 8 }), cause: fc.nat({ max: 3 }), day }),
  fc.record({
    kind: fc.constant("reserve"),
    costs: fc.array(fc.integer({ min: 1, max: 3 }), { minLength: 1, maxLength: 5 }),
    day,
  }),
  fc.record({ kind: fc.constant("settle"), pick: fc.nat(), outcome: fc.constantFrom("spend", "release"), day }),
  fc.record({ kind: fc.constant("need"), day }),
);

const START = new Date("2026-11-20T00:00:00Z");

interface Subject {
  ctx: FullCtx;
  userId: UserId;
  references: string[];
}

const run = async ({ ctx: base, userId, references }: Subject, one: Op): Promise<void> => {
  const ctx = { ...base, now: () => new Date(START.getTime() + one.day * DAY_MS) };
  if (one.kind === "need") return void (await ensureAllowance(ctx, { userId }));
  if (one.kind === "grant") {
    await grantCredits(ctx, { userId, credits: one.credits, note: "", cause: `${userId}:${one.cause}` });
  } else if (one.kind === "reserve") {
    const lots = one.costs.map((costCredits) => ({ reference: createId("task", START), costCredits }));
    const { reserved } = await reserveCredits(ctx, { userId, lots });
    references.push(...lots.slice(0, reserved).map(({ reference }) => reference));
  } else {
    const reference = references[one.pick % Math.max(1, references.length)];
    if (reference !== undefined) await settleReservation(ctx, { reference, outcome: one.outcome });
  }
};

/** For each user: everything issued is available, held, spent or expired. */
const unaccounted = (userId: UserId) =>
  harness.database.db.execute<{ credits: number }>(
    sql`select coalesce(sum(l.credits), 0)::int as credits from credit_lines l
      join credit_transfers t on t.id = l.transfer_id where t.user_id = ${userId}`,
  );

test("R-SRV-01: with any operations in any order, also concurrent, the ledger sums to zero and nothing is negative", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.array(op, { minLength: 1, maxLength: 6 }), { minLength: 1, maxLength: 6 }),
      async (waves) => {
        const subject: Subject = { ...(await createUser(harness)), references: [] };
        // The operations of a wave run concurrently; the next wave starts from their result.
        for (const wave of waves) {
          const dayMs = (wave[0]?.day ?? 0) * DAY_MS;
          await harness.moveClock(START.getTime() + dayMs - harness.now().getTime());
          await Promise.all(wave.map((one) => run(subject, one)));
        }
        const balance = await findBalance(subject.ctx, subject.userId);
        expect(Math.min(balance?.allowance ?? 0, balance?.purchased ?? 0, balance?.held ?? 0)).toBeGreaterThanOrEqual(
          0,
        );
        expect(await unaccounted(subject.userId)).toEqual([{ credits: 0 }]);
        expect((await checkLedger(subject.ctx)).faults).toEqual([]);
      },
    ),
    { numRuns: 25 },
  );
}, 120_000);
