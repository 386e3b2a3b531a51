import { eq } from "drizzle-orm";
import { describe, expect, test } from "vitest";
import { apiKeys, apiKeyUses } from "#db/schema/api-keys.ts";
import { users } from "#db/schema/identity.ts";
import type { FullCtx } from "#lib/context.ts";
import { addMs, DAY_MS } from "#lib/core/time.ts";
import { findKey, listUses, recordUses } from "#lib/features/api-keys/authentication.ts";
import { KEYS_MAX, USES_SHOWN_PER_KEY } from "#lib/features/api-keys/constants.ts";
import { claimWrite, keepAnswer, releaseWrite } from "#lib/features/api-keys/idempotency.ts";
import { createKey, listKeys, revokeKey, rotateKey } from "#lib/features/api-keys/keys.ts";
import { isSecret } from "#lib/features/api-keys/policy.ts";
import { listSecurityEvents } from "#lib/features/identity/security-log.ts";
import { RETENTION_RULES } from "#lib/features/privacy/retention.ts";
import { withFreshLogin } from "#tests/support/context.ts";
import { generationSetup } from "./generation-harness.ts";

const setup = generationSetup();

const codeOf = async (work: Promise<unknown>): Promise<string> => {
  const thrown = await work.then(
    () => null,
    (error: unknown) => error,
  );
  return thrown === null ? "none" : String(Object(thrown).code);
};

/** A user with a confirmed address who has just signed in. */
const insertOwner = async (): Promise<FullCtx> => {
  const { ctx, userId } = await setup.insertCreator();
  await ctx.db.update(users).set({ emailVerifiedAt: new Date() }).where(eq(users.id, userId));
  return withFreshLogin(ctx);
};

const INPUT = { name: "Script", scopes: ["pins:read" as const], dailyCredits: null, lifetimeDays: 30 as const };

describe("keys", () => {
  test("a secret is returned once, and only its hash is stored", async () => {
    const ctx = await insertOwner();
    const { secret } = await createKey(ctx, INPUT);
    expect(isSecret(secret)).toBe(true);
    const [stored] = await ctx.db.select().from(apiKeys);
    expect(JSON.stringify(stored)).not.toContain(secret.slice(14));
    expect(await findKey(ctx, secret)).toMatchObject({ scopes: ["pins:read"], state: "active" });
    expect(await listKeys(ctx)).toMatchObject([{ name: "Script", secretStart: secret.slice(0, 13), state: "active" }]);
    expect(await listSecurityEvents(ctx)).toMatchObject([{ kind: "api_key_created", detail: "Script" }]);
  });

  test("a typo is not looked up, and another secret finds nothing", async () => {
    const ctx = await insertOwner();
    const { secret } = await createKey(ctx, INPUT);
    const typo = secret.replace(/.$/, (last) => (last === "a" ? "b" : "a"));
    expect([isSecret(typo), await findKey(ctx, typo), await findKey(ctx, "x")]).toEqual([false, null, null]);
  });

  test("a rotated secret stops at once, and a revoked or expired key says so", async () => {
    const ctx = await insertOwner();
    const first = await createKey(ctx, INPUT);
    const [{ id: keyId = "" } = {}] = await listKeys(ctx);
    const second = await rotateKey(ctx, { keyId });
    expect(await findKey(ctx, first.secret)).toBeNull();
    const state = async () => (await findKey(ctx, second.secret))?.state;
    expect([await state(), await setup.harness.later(31 * DAY_MS, state)]).toEqual(["active", "expired"]);
    await revokeKey(ctx, { keyId });
    expect((await findKey(ctx, second.secret))?.state).toBe("revoked");
    expect([await codeOf(rotateKey(ctx, { keyId })), await codeOf(revokeKey(ctx, { keyId }))]).toEqual([
      "not_found",
      "not_found",
    ]);
  });

  test.each([-31, 31])("a process whose clock is %i days off accepts what the database accepts", async (days) => {
    const ctx = await insertOwner();
    const { secret } = await createKey(ctx, INPUT);
    const wrong = { ...ctx, now: () => addMs(new Date(), days * DAY_MS) };
    const state = async () => (await findKey(wrong, secret))?.state;
    expect([await state(), await setup.harness.later(31 * DAY_MS, state)]).toEqual(["active", "expired"]);
  });

  test("others' keys, an old sign-in, and an unconfirmed address are refused", async () => {
    const [owner, stranger] = [await insertOwner(), await insertOwner()];
    await createKey(owner, INPUT);
    const [{ id: keyId = "" } = {}] = await listKeys(owner);
    expect([await codeOf(rotateKey(stranger, { keyId })), await codeOf(revokeKey(stranger, { keyId }))]).toEqual([
      "not_found",
      "not_found",
    ]);
    const { ctx } = await setup.insertCreator();
    expect(await codeOf(createKey(ctx, INPUT))).toBe("confirm_identity");
    expect(await codeOf(createKey(await withFreshLogin(ctx), INPUT))).toBe("wrong_state");
  });

  test("a plan allows so many working keys, however many are created at once", async () => {
    const ctx = await insertOwner();
    const codes = await Promise.all(Array.from({ length: 5 }, () => codeOf(createKey(ctx, INPUT))));
    expect(codes.filter((code) => code === "none")).toHaveLength(KEYS_MAX.free);
    expect(codes.filter((code) => code === "plan_limit")).toHaveLength(5 - KEYS_MAX.free);
    const [{ id: keyId = "" } = {}] = await listKeys(ctx);
    await revokeKey(ctx, { keyId });
    expect(await codeOf(createKey(ctx, INPUT))).toBe("none");
  });

  test.each(Object.entries(KEYS_MAX))(
    "the plan %s allows %d, and more than a smaller plan allows keep working",
    async (plan, most) => {
      const ctx = await insertOwner();
      await ctx.db.update(users).set({ plan: plan as keyof typeof KEYS_MAX });
      const made: string[] = [];
      for (let count = 0; count < most; count += 1) made.push((await createKey(ctx, INPUT)).secret);
      expect(await codeOf(createKey(ctx, INPUT))).toBe("plan_limit");
      await ctx.db.update(users).set({ plan: "free" });
      for (const secret of made) expect(await findKey(ctx, secret)).toMatchObject({ state: "active" });
      expect(await codeOf(createKey(ctx, INPUT))).toBe("plan_limit");
    },
  );

  test("a key of a deleted user finds nothing", async () => {
    const ctx = await insertOwner();
    const { secret } = await createKey(ctx, INPUT);
    await ctx.db.update(users).set({ closedAt: new Date() });
    expect(await findKey(ctx, secret)).toBeNull();
  });
});

test("uses are counted by hour, call, status, and network, and deleted keys are skipped", async () => {
  const ctx = await insertOwner();
  await createKey(ctx, INPUT);
  const [{ id = "" } = {}] = await listKeys(ctx);
  const keyId = id as typeof apiKeys.$inferSelect.id;
  const at = new Date("2026-11-27T10:20:00.000Z");
  const use = { keyId, call: "GET /api/v1/pins", status: 200, network: "203.0.113.0/24", at };
  const later = { ...use, at: addMs(at, 60_000) };
  await recordUses(ctx, [use, later, { ...use, status: 404 }, { ...use, keyId: ctx.newId("apiKey") }]);
  await Promise.all([recordUses(ctx, [later, use]), recordUses(ctx, [use, later])]);
  expect(await listUses(ctx)).toMatchObject([
    { keyName: "Script", call: use.call, status: 200, network: use.network, calls: 6, lastAt: later.at.toISOString() },
    { keyName: "Script", call: use.call, status: 404, network: use.network, calls: 1, lastAt: at.toISOString() },
  ]);
  expect((await listKeys(ctx))[0]?.lastUsedAt).toBe(later.at.toISOString());
  const old = { ...setup.job(), now: () => addMs(at, 91 * DAY_MS) };
  expect(await RETENTION_RULES["api-key-uses"](old)).toBe(2);
  expect(await ctx.db.$count(apiKeyUses)).toBe(0);
});

test("the activity of several keys is one list, the latest use first", async () => {
  const ctx = await insertOwner();
  for (const name of ["First", "Second"]) await createKey(ctx, { ...INPUT, name });
  const keys = await listKeys(ctx);
  const at = new Date("2026-11-27T10:20:00.000Z");
  const uses = [0, 1, 2, 3].map((hours) => ({
    keyId: keys.find(({ name }) => name === (hours % 2 === 0 ? "First" : "Second"))
      ?.id as typeof apiKeys.$inferSelect.id,
    ...{ call: "GET /api/v1/pins", status: 200, network: "203.0.113.0/24", at: addMs(at, hours * 3_600_000) },
  }));
  await recordUses(ctx, uses);
  expect((await listUses(ctx)).map(({ keyName }) => keyName)).toEqual(["Second", "First", "Second", "First"]);
  // A busy key doesn't hide what another one did before.
  const busy = uses.at(-1)?.keyId as typeof apiKeys.$inferSelect.id;
  const calls = Array.from({ length: USES_SHOWN_PER_KEY + 10 }, (_, n) => `GET /api/v1/pins/${n}`);
  const day = addMs(at, DAY_MS);
  await recordUses(
    ctx,
    calls.map((call) => ({ ...{ keyId: busy, call, status: 200 }, network: "::/64", at: day })),
  );
  const names = Map.groupBy(await listUses(ctx), ({ keyName }) => keyName);
  expect([names.get("Second")?.length, names.get("First")?.length]).toEqual([USES_SHOWN_PER_KEY, 2]);
  const other = await insertOwner();
  expect(await listUses(other)).toEqual([]);
});

describe("repeated writes", () => {
  const write = { key: "k", digest: "a" };
  const answer = { status: 201, body: '{"id":1}' };

  test("one of many at once runs, and later ones get its answer", async () => {
    const ctx = await insertOwner();
    const claims = await Promise.allSettled(Array.from({ length: 6 }, () => claimWrite(ctx, write)));
    const running = claims.flatMap((claim) => (claim.status === "fulfilled" ? [claim.value] : []));
    const writeKey = expect.stringMatching(/^\d+:k$/);
    expect(running).toEqual([{ kind: "run", lease: expect.any(String), writeKey, isFirst: true }]);
    const [claim] = running;
    await keepAnswer(ctx, { key: "k", lease: claim?.kind === "run" ? claim.lease : "", answer });
    expect(await claimWrite(ctx, write)).toEqual({ kind: "repeat", answer });
    expect(await codeOf(claimWrite(ctx, { key: "k", digest: "b" }))).toBe("key_reused");
  });

  test("another user's key of the same text is another key", async () => {
    const [one, other] = [await insertOwner(), await insertOwner()];
    await claimWrite(one, write);
    expect(await claimWrite(other, { ...write, digest: "b" })).toMatchObject({ kind: "run" });
  });

  test("a released write runs again, and one that was taken over can't be kept by the first", async () => {
    const ctx = await insertOwner();
    const first = await claimWrite(ctx, write);
    const lease = first.kind === "run" ? first.lease : "";
    await releaseWrite(ctx, { key: "k", lease, mayBeDone: false });
    expect(await claimWrite(ctx, write)).toMatchObject({ kind: "run" });
    await keepAnswer(ctx, { key: "k", lease, answer });
    expect(await codeOf(claimWrite(ctx, write))).toBe("write_in_progress");
  });

  test("after a failure on our side, the repetition counts as the same write", async () => {
    const ctx = await insertOwner();
    const first = await claimWrite(ctx, write);
    await releaseWrite(ctx, { key: "k", lease: first.kind === "run" ? first.lease : "", mayBeDone: true });
    const again = await claimWrite(ctx, write);
    expect(again).toMatchObject({ kind: "run", writeKey: first.kind === "run" && first.writeKey, isFirst: false });
    expect(await codeOf(claimWrite(ctx, write))).toBe("write_in_progress");
  });

  test("after a day, a key is new", async () => {
    const ctx = await insertOwner();
    const first = await claimWrite(ctx, write);
    await keepAnswer(ctx, { key: "k", lease: first.kind === "run" ? first.lease : "", answer });
    await setup.harness.later(DAY_MS + 1_000, async () => {
      expect(await claimWrite(ctx, { key: "k", digest: "b" })).toMatchObject({ kind: "run", isFirst: true });
    });
  });
});
