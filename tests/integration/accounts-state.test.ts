import { describe, expect, test } from "vitest";
import type { FullCtx } from "#lib/context.ts";
import { finishConnection, startConnection } from "#lib/features/accounts/oauth-connection.ts";
import { findOwnedAccounts } from "#lib/features/accounts/queries.ts";
import { harnessesWithPinterest } from "#tests/support/accounts-harnesses.ts";
import { beginConnection, failed } from "#tests/support/begin-connection.ts";
import { createUser } from "#tests/support/context.ts";

const { pinterest, harness, moveClocks } = harnessesWithPinterest();

const begin = (ctx: FullCtx) => beginConnection(ctx, pinterest());

describe("the state of a consent", () => {
  test("A-86 works once, even for two callbacks at the same time", async () => {
    const { ctx } = await createUser(harness());
    const { returned, browserSecret } = await begin(ctx);
    const callback = () => finishConnection(ctx, { ...returned, browserSecret });
    const outcomes = await Promise.all([callback(), callback(), callback()]);
    expect(outcomes.filter(({ kind }) => kind === "connected")).toHaveLength(1);
    expect(outcomes.filter(({ kind }) => kind === "failed")).toEqual([failed("state"), failed("state")]);
    expect(await callback()).toEqual(failed("state"));
  });

  test("A-86 rejects a state that was changed anywhere", async () => {
    const { ctx } = await createUser(harness());
    const { returned, browserSecret, state } = await begin(ctx);
    const flip = (at: number) => `${state.slice(0, at)}${state[at] === "A" ? "B" : "A"}${state.slice(at + 1)}`;
    for (const changed of [flip(0), flip(40), flip(50), "", ".", state.split(".")[0], `${state}x`]) {
      const outcome = await finishConnection(ctx, { ...returned, state: changed, browserSecret });
      expect(outcome).toEqual(failed("state"));
    }
    expect(await finishConnection(ctx, { ...returned, browserSecret })).toEqual({ kind: "connected" });
  });

  test("A-86 rejects another browser without using up the state", async () => {
    const { ctx } = await createUser(harness());
    const mine = await begin(ctx);
    const other = await startConnection((await createUser(harness())).ctx, {});
    for (const browserSecret of [undefined, "", other.browserSecret]) {
      expect(await finishConnection(ctx, { ...mine.returned, browserSecret })).toEqual(failed("state"));
    }
    const outcome = await finishConnection(ctx, { ...mine.returned, browserSecret: mine.browserSecret });
    expect(outcome).toEqual({ kind: "connected" });
  });

  test("A-86 R-ROLE-04 swapped states connect nothing", async () => {
    const attacker = await createUser(harness());
    const victim = await createUser(harness());
    const theirs = await begin(attacker.ctx);
    const { browserSecret } = await startConnection(victim.ctx, {});
    expect(await finishConnection(victim.ctx, { ...theirs.returned, browserSecret })).toEqual(failed("state"));
    const planted = await finishConnection(victim.ctx, { ...theirs.returned, browserSecret: theirs.browserSecret });
    expect(planted).toEqual(failed("state"));
    expect(await findOwnedAccounts(victim.ctx)).toEqual([]);
  });

  test("A-86 is valid for ten minutes", async () => {
    const { ctx } = await createUser(harness());
    const early = await begin(ctx);
    await moveClocks(10 * 60_000 - 30_000);
    expect(await finishConnection(ctx, { ...early.returned, browserSecret: early.browserSecret })).toEqual({
      kind: "connected",
    });
    const other = (await createUser(harness())).ctx;
    const late = await begin(other);
    await moveClocks(10 * 60_000);
    expect(await finishConnection(other, { ...late.returned, browserSecret: late.browserSecret })).toEqual(
      failed("state"),
    );
  });
});
