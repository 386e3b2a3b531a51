import { describe, expect, test } from "vitest";
import { creditLines, creditTransfers } from "#db/schema/credits.ts";
import { inTransaction } from "#lib/context.ts";
import { ensureAllowance } from "#lib/features/credits/allowance.ts";
import { lockBalance, type Movement, moveCredits } from "#lib/features/credits/ledger.ts";
import { buckets, createPerson, creditsHarness, newName, type Person } from "./credits-harness.ts";

const harness = creditsHarness();

describe("ledger constraints", () => {
  const moveNow = ({ ctx, userId }: Person, movement: Movement) =>
    inTransaction(ctx, async (tx) =>
      moveCredits(tx, { balance: await lockBalance(tx, userId), movements: [movement] }),
    );

  test("R-SRV-01: no bucket goes below zero", async () => {
    const person = await createPerson(harness());
    await ensureAllowance(person.ctx, person);
    const movement = { kind: "revoke" as const, cause: newName("cause"), lines: { allowance: -6, expired: 6 } };
    await expect(moveNow(person, movement)).rejects.toMatchObject({ code: "internal" });
    expect(await buckets(person)).toEqual([5, 0, 0]);
  });

  test("the database rolls back a movement that does not sum to zero", async () => {
    const person = await createPerson(harness());
    const movement = { kind: "grant" as const, cause: newName("cause"), lines: { purchased: 5 } };
    await expect(moveNow(person, movement)).rejects.toThrow();
    expect(await buckets(person)).toBeNull();
  });

  test("transfers and lines are append-only", async () => {
    const person = await createPerson(harness());
    await ensureAllowance(person.ctx, person);
    await expect(person.ctx.db.update(creditTransfers).set({ note: "another story" })).rejects.toThrow();
    await expect(person.ctx.db.delete(creditLines)).rejects.toThrow();
  });
});
