import { randomBytes } from "node:crypto";
import { eq, sql } from "drizzle-orm";
import { describe, expect, test } from "vitest";
import { pinterestAccounts } from "#db/schema/accounts.ts";
import { authenticators } from "#db/schema/identity.ts";
import { webhookEndpoints } from "#db/schema/webhooks.ts";
import { createSealer, type Sealer } from "#lib/core/crypto.ts";
import { createId } from "#lib/core/ids.ts";
import { DAY_MS } from "#lib/core/time.ts";
import { resealTokens, withAccessToken } from "#lib/features/accounts/access-tokens.ts";
import type { OwnedAccount } from "#lib/features/accounts/queries.ts";
import { claimWrite, keepAnswer, resealAnswers } from "#lib/features/api-keys/idempotency.ts";
import { resealAuthenticators } from "#lib/features/sign-in/authenticator.ts";
import { harnessesWithPinterest } from "#tests/support/accounts-harnesses.ts";
import { contextOf, createUser } from "#tests/support/context.ts";
import { holdResponses } from "#tests/support/hold-responses.ts";
import { runCommand } from "#tests/support/operator-command.ts";

const OLD = "11".repeat(32);
const NEW = randomBytes(32).toString("hex");
const REFRESH = "POST /v5/oauth/token";
const PROFILE = "GET /v5/user_account";

const { pinterest, harness, otherHarness, moveClocks, rowOf, connected, database } = harnessesWithPinterest();

/** A worker configured with only these keys. */
const workerWith = (sealer: Sealer) => ({ ...contextOf(otherHarness(), { kind: "job", name: "test" }), sealer });

const read = (ctx: ReturnType<typeof workerWith>, { id }: OwnedAccount) =>
  withAccessToken(ctx, id, (accessToken) => ctx.pinterest.readProfile(accessToken));

const rotate = (keys: string) =>
  runCommand("keys-rotate.ts", [], { DATABASE_URL: database().url, ENCRYPTION_KEY: keys });

describe("R-SRV-05 npm run keys:rotate", () => {
  test("encrypts every token with the first key; afterward the old key can be removed", async () => {
    const [item, two] = [await connected(), await connected()];
    const before = await rowOf(item.account.id);
    const onlyNew = workerWith(createSealer([NEW]));
    await expect(read(onlyNew, item.account)).rejects.toThrow("uses an unknown key");

    const first = await rotate(`${NEW},${OLD}`);
    expect(first).toEqual({ code: 0, err: "", out: expect.stringContaining("tokens of 2 accounts; 0 already used") });
    for (const { account } of [item, two]) expect((await read(onlyNew, account)).kind).toBe("ok");
    const after = await rowOf(item.account.id);
    expect(after).toEqual({
      ...before,
      accessTokenSealed: expect.not.stringContaining(before.accessTokenSealed ?? ""),
      refreshTokenSealed: expect.not.stringContaining(before.refreshTokenSealed ?? ""),
    });
    await moveClocks(29.5 * DAY_MS);
    expect((await read(onlyNew, item.account)).kind).toBe("ok");
    expect(await pinterest().calls(REFRESH)).toBe(1);

    expect(await resealTokens(onlyNew)).toEqual({ resealed: 0, current: 2, busy: 0, unreadable: 0 });
    expect(await rotate(OLD)).toMatchObject({ code: 1, err: expect.stringMatching(/^The tokens of 2 accounts .*\n$/) });
    expect((await read(onlyNew, two.account)).kind).toBe("ok");
  }, 180_000);

  test("encrypts the secrets of authenticator apps too, and names those it can't read", async () => {
    const { userId } = await createUser(harness());
    const sealedSecret = createSealer([OLD]).seal("JBSWY3DPEHPK3PXP");
    const { db } = harness().database;
    await db.insert(authenticators).values({ userId, sealedSecret, createdAt: new Date() });
    expect((await rotate(`${NEW},${OLD}`)).out).toContain("the secrets of 1 authenticator apps");
    const [row] = await db.select().from(authenticators).where(eq(authenticators.userId, userId));
    expect(createSealer([NEW]).open(row?.sealedSecret ?? "")).toBe("JBSWY3DPEHPK3PXP");
    expect(await resealAuthenticators(workerWith(createSealer([OLD])))).toEqual({ resealed: 0, unreadable: 1 });
    expect(await resealAuthenticators(workerWith(createSealer([NEW])))).toEqual({ resealed: 0, unreadable: 0 });
  }, 60_000);

  test("encrypts the secrets of webhooks too, with those of a rotation", async () => {
    const { userId } = await createUser(harness());
    const [sealedSecret, previousSealedSecret] = ["whsec_bmV3", "whsec_b2xk"].map((secret) =>
      createSealer([OLD]).seal(secret),
    );
    const { db } = harness().database;
    const own = { id: "whe_1", userId, url: "https://example.com", events: ["pin.failed"], createdAt: new Date() };
    await db.insert(webhookEndpoints).values({ ...own, sealedSecret: sealedSecret ?? "", previousSealedSecret });
    expect((await rotate(`${NEW},${OLD}`)).out).toContain("the secrets of 1 webhooks");
    const [row] = await db.select().from(webhookEndpoints).where(eq(webhookEndpoints.userId, userId));
    const opened = [row?.sealedSecret, row?.previousSealedSecret].map((text) => createSealer([NEW]).open(text ?? ""));
    expect(opened).toEqual(["whsec_bmV3", "whsec_b2xk"]);
  }, 60_000);

  test("encrypts the responses kept for repeated API writes too, so that they can still be repeated", async () => {
    const { userId } = await createUser(harness());
    const actor = { kind: "key", userId, keyId: createId("apiKey", new Date()), address: "192.0.2.1" } as const;
    const write = { key: "write-1", digest: "digest" };
    const before = { ...contextOf(harness(), actor), sealer: createSealer([OLD]) };
    const claim = await claimWrite(before, write);
    if (claim.kind !== "run") throw new Error("The write ran before.");
    const answer = { status: 201, body: '{"secret":"whsec_x"}' };
    await keepAnswer(before, { key: write.key, lease: claim.lease, answer });
    expect(await resealAnswers({ ...before, sealer: createSealer([NEW]) })).toEqual({ resealed: 0, unreadable: 1 });
    const end = await rotate(`${NEW},${OLD}`);
    expect(end.out).toContain("the stored responses of 1 API writes");
    expect(end).toMatchObject({ code: 0, out: expect.stringMatching(/responses now use the first key\.\n$/) });
    const after = { ...before, sealer: createSealer([NEW]) };
    expect(await claimWrite(after, write)).toEqual({ kind: "repeat", answer });
    expect(await resealAnswers(after)).toEqual({ resealed: 0, unreadable: 0 });
  }, 60_000);

  test("skips tokens while they are renewed, so that the new ones are not lost", async () => {
    const { account } = await connected();
    const both = workerWith(createSealer([NEW, OLD]));
    await moveClocks(29.5 * DAY_MS);
    const renewal = holdResponses(both, "refreshTokens");
    const renewing = read(renewal.ctx, account);
    await renewal.arrived;
    expect(await resealTokens(both)).toMatchObject({ busy: 1 });
    renewal.open();
    expect((await renewing).kind).toBe("ok");
    expect(await resealTokens(both)).toMatchObject({ busy: 0 });
    expect((await read(both, account)).kind).toBe("ok");
    expect([await pinterest().calls(REFRESH), (await rowOf(account.id)).status]).toEqual([1, "connected"]);
  });

  test("tokens re-encrypted during a call count as unchanged: an expired token is still renewed", async () => {
    const { account } = await connected();
    const both = workerWith(createSealer([NEW, OLD]));
    await pinterest().addFault({ match: PROFILE, scenario: "token-dead" });
    const answer = await withAccessToken(both, account.id, async (accessToken) => {
      const profile = await both.pinterest.readProfile(accessToken);
      await resealTokens(both);
      return profile;
    });
    expect([answer.kind, await pinterest().calls(REFRESH)]).toEqual(["ok", 1]);
    expect((await rowOf(account.id)).status).toBe("connected");
  });

  test("altered ciphertext is not replaced", async () => {
    const { account } = await connected();
    const { db } = harness().database;
    const broken = sql`overlay(access_token_sealed placing 'AAAA' from length(access_token_sealed) - 3)`;
    await db.update(pinterestAccounts).set({ accessTokenSealed: broken }).where(eq(pinterestAccounts.id, account.id));
    const before = await rowOf(account.id);
    await expect(resealTokens(workerWith(createSealer([NEW, OLD])))).rejects.toThrow();
    expect(await rowOf(account.id)).toEqual(before);
    await db.delete(pinterestAccounts).where(eq(pinterestAccounts.id, account.id));
  });
});

describe("errors of operator commands", () => {
  test("wrong settings give one sentence and an exit code", async () => {
    const { url } = database();
    const closed = new URL(url);
    closed.port = "9";
    const cases = [
      ["keys-rotate.ts", { DATABASE_URL: closed.href, ENCRYPTION_KEY: NEW }, 1, /^The database isn't responding/],
      ["credits-grant.ts", { DATABASE_URL: url }, 2, /^Usage: npm run credits:grant/],
    ] as const;
    const check = async ([script, settings, code, sentence]: (typeof cases)[number]) => {
      const end = await runCommand(script, [], settings);
      expect(end).toEqual({ code, out: "", err: expect.stringMatching(sentence) });
      expect(end.err.trimEnd().split("\n")).toHaveLength(1);
    };
    await Promise.all(cases.map(check));
  }, 180_000);
});
