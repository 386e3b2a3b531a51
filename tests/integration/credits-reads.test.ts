import { sql } from "drizzle-orm";
import { beforeAll, expect, test } from "vitest";
import { type Ctx, inTransaction } from "#lib/context.ts";
import { settleReservation, settleReservations } from "#lib/features/credits/reservations.ts";
import { buckets, buy, createPerson, creditsHarness, hold, type Person, revoke, spend } from "./credits-harness.ts";

const harness = creditsHarness();

// Statistics that arrive in the middle of a test change the plan for these small tables.
beforeAll(async () => {
  const { ctx } = await createPerson(harness());
  for (const table of ["credit_transfers", "credit_lines", "credit_reservations"])
    await ctx.db.execute(sql.raw(`alter table ${table} set (autovacuum_enabled = off)`));
});

const release = ({ ctx }: Person, reference: string) => settleReservation(ctx, { reference, outcome: "release" });

/** Ledger rows read by this transaction so far, through indexes, so other users' rows do not count. */
const rowsRead = async (tx: Ctx): Promise<number> => {
  const [row] = await tx.db.execute<{ rows: number }>(sql`
    select coalesce(sum(seq_tup_read + coalesce(idx_tup_fetch, 0)), 0)::int as rows
    from pg_stat_xact_user_tables where relname like 'credit_%'`);
  return row?.rows ?? 0;
};
const rowsOfRelease = (person: Person, reference: string): Promise<number> =>
  inTransaction(person.ctx, async (tx) => {
    await tx.db.execute(sql`set local enable_seqscan = off`);
    const before = await rowsRead(tx);
    const input = { userId: person.userId, references: [reference], outcome: "release" } as const;
    expect((await settleReservations(tx, input)).references).toEqual([reference]);
    return (await rowsRead(tx)) - before;
  });
const historyOf = async (person: Person, packs: number) => {
  for (let count = 0; count < packs; count += 1) await buy(person, 10);
};

test("R-SRV-01 after a refund with a shortfall, later reservations are returned without reading the history", async () => {
  const person = await createPerson(harness());
  await spend(person, 5);
  const pack = await buy(person, 100);
  await spend(person, 60);
  expect(await revoke(person, pack, 100)).toEqual({ credits: 40 });
  await buy(person, 10);
  const few = await rowsOfRelease(person, await hold(person, 5));
  await historyOf(person, 60);
  const many = await rowsOfRelease(person, await hold(person, 5));
  expect(few).toBeGreaterThan(0);
  expect(many).toBeLessThan(few + 10);
  expect(await buckets(person)).toEqual([0, 610, 0]);
});

test("R-SRV-01 earlier reservations are still taken, however much came after", async () => {
  const person = await createPerson(harness());
  await spend(person, 5);
  const pack = await buy(person, 100);
  const early = await hold(person, 60);
  expect(await revoke(person, pack, 100)).toEqual({ credits: 40 });
  await historyOf(person, 3);
  await release(person, await hold(person, 5));
  await release(person, early);
  expect(await buckets(person)).toEqual([0, 30, 0]);
});
