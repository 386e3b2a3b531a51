import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { eq } from "drizzle-orm";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { externalLogins, logins, securityEvents, users } from "#db/schema/identity.ts";
import type { FullCtx } from "#lib/context.ts";
import { AppError } from "#lib/core/errors.ts";
import { SECOND_MS } from "#lib/core/time.ts";
import { CONFIRMATION_LIFETIME_MS } from "#lib/features/identity/constants.ts";
import { closeUser } from "#lib/features/identity/users.ts";
import { enableAuthenticator, setUpAuthenticator } from "#lib/features/sign-in/authenticator.ts";
import {
  beginGoogleLink,
  beginGoogleSignIn,
  findGoogleEmail,
  finishGoogle,
  type GoogleOutcome,
  unlinkGoogle,
} from "#lib/features/sign-in/google.ts";
import { logIn } from "#lib/features/sign-in/sign-in.ts";
import { createGoogle } from "#lib/integrations/google/client.ts";
import { startGoogle } from "#sandbox/google/server.ts";
import type { Handle } from "#sandbox/kit/serve.ts";
import { appCodeAt } from "#tests/support/app-codes.ts";
import { GOOGLE_TEST_CLIENT } from "#tests/support/context.ts";
import { identitySetup } from "./identity-harness.ts";

const setup = identitySetup();
let google: Handle;
let dataDir: string;
const { id, secret, redirectUri } = GOOGLE_TEST_CLIENT;

beforeAll(async () => {
  dataDir = mkdtempSync(join(tmpdir(), "google-"));
  const client = { id, secret, redirectUris: [redirectUri] };
  google = await startGoogle({ host: "127.0.0.1", port: 0, dataDir, client });
  const settings = { clientId: id, clientSecret: secret, redirectUri };
  setup.harness.ports.google = createGoogle({ issuer: google.url, ...settings });
});
afterEach(() => control("faults", { method: "DELETE" }));
afterAll(async () => {
  await google.close();
  rmSync(dataDir, { recursive: true, force: true });
});

const control = (path: string, init: RequestInit) => fetch(`${google.url}/__control/${path}`, init);
const addFault = async (scenario: string) => {
  const headers = { "content-type": "application/json" };
  const added = await control("faults", { method: "POST", headers, body: JSON.stringify({ scenario }) });
  expect(added.ok).toBe(true);
};

/** What Google's page does when the user continues as this address, or cancels. */
const decide = async (url: string, email: string | null): Promise<URL> => {
  const form = new URLSearchParams(new URL(url).searchParams);
  form.set("decision", email === null ? "deny" : "approve");
  form.set("other", email ?? "");
  const response = await fetch(`${google.url}/decision`, { method: "POST", body: form, redirect: "manual" });
  return new URL(response.headers.get("location") ?? "");
};

const registrations: number[] = [];
const finish = (ctx: FullCtx, callback: { callbackUrl: URL; browserToken: string | null }): Promise<GoogleOutcome> => {
  const visitor = { kind: "visitor" as const, address: "203.0.113.9", userAgent: "curl/8.5" };
  const limitRegistration = async () => void registrations.push(1);
  return finishGoogle(ctx, { ...callback, visitor, limitRegistration });
};

const signIn = async (
  email: string | null,
  { next = "/app/videos", mayCreate = true, ctx = setup.visitor() as FullCtx } = {},
): Promise<GoogleOutcome> => {
  const { url, browserToken } = await beginGoogleSignIn(ctx, { next, mayCreate });
  return finish(ctx, { callbackUrl: await decide(url, email), browserToken });
};

const link = async (ctx: FullCtx, email: string): Promise<GoogleOutcome> => {
  const { url, browserToken } = await beginGoogleLink(ctx);
  return finish(ctx, { callbackUrl: await decide(url, email), browserToken });
};

let count = 0;
const newEmail = () => `moss.${++count}@gmail.example`;
const codeOf = (promise: Promise<unknown>): Promise<string> =>
  promise.then(
    () => "ok",
    (error: unknown) => (error instanceof AppError ? error.code : String(error)),
  );
const usersWith = (email: string) =>
  setup.harness.database.db.select().from(users).where(eq(users.emailKey, email.toLowerCase()));
const failed = (reason: string, isLink = false) => ({ kind: "failed", reason, isLink });

describe("a new Google account", () => {
  test("gets a user with a confirmed address and no password, who signs in with Google again", async () => {
    const email = newEmail();
    expect(await signIn(email)).toMatchObject({ kind: "signed_in", next: "/app/videos" });
    const [user] = await usersWith(email);
    expect(user).toMatchObject({ email, emailVerifiedAt: expect.any(Date), passwordHash: expect.stringMatching(/^!/) });
    const again = await signIn(email, { mayCreate: false });
    expect(again.kind === "signed_in" && again.login.userId).toBe(user?.id);
    expect(await usersWith(email)).toHaveLength(1);
    for (const password of ["", user?.passwordHash ?? "", "!"]) {
      expect(await codeOf(logIn(setup.visitor(), { email, password }))).toBe("wrong_login");
    }
  });

  test("gets none from the sign-in page, and another username when the usual one is taken", async () => {
    const [first, second] = ["fern@one.example", "fern@two.example"];
    expect(await signIn(first, { mayCreate: false })).toEqual(failed("google_unknown"));
    expect(await usersWith(first)).toEqual([]);
    await signIn(first);
    await signIn(second);
    const names = [...(await usersWith(first)), ...(await usersWith(second))].map(({ username }) => username);
    expect(names).toEqual(["fern", expect.stringMatching(/^fern\d+$/)]);
  });

  test("never takes over an account with the same address", async () => {
    const person = await setup.confirmedPerson();
    expect(await signIn(person.email)).toEqual(failed("google_exists"));
    expect(await setup.harness.database.db.select().from(externalLogins)).not.toContainEqual(
      expect.objectContaining({ userId: person.userId }),
    );
  });

  test("needs an address that Google has confirmed", async () => {
    await addFault("unverified-email");
    const email = newEmail();
    expect(await signIn(email)).toEqual(failed("google_unverified"));
    expect(await usersWith(email)).toEqual([]);
  });
});

describe("a callback", () => {
  test("works once, and only in the browser that began it", async () => {
    const ctx = setup.visitor();
    const { url, browserToken } = await beginGoogleSignIn(ctx, { next: null, mayCreate: true });
    const callbackUrl = await decide(url, newEmail());
    const other = await beginGoogleSignIn(ctx, { next: null, mayCreate: true });
    expect(await finish(ctx, { callbackUrl, browserToken: null })).toEqual(failed("google_failed"));
    expect(await finish(ctx, { callbackUrl, browserToken: other.browserToken })).toEqual(failed("google_failed"));
    const answers = await Promise.all([1, 2].map(() => finish(ctx, { callbackUrl, browserToken })));
    expect(answers.map(({ kind }) => kind).toSorted()).toEqual(["failed", "signed_in"]);
  });

  test.each([
    ["another sign-in's token", "wrong-nonce"],
    ["another issuer's token", "wrong-issuer"],
  ])("with %s is refused", async (_, scenario) => {
    await addFault(scenario);
    const email = newEmail();
    expect(await signIn(email)).toEqual(failed("google_failed"));
    expect(await usersWith(email)).toEqual([]);
  });

  test("after the user canceled says so", async () => {
    expect(await signIn(null)).toEqual(failed("google_declined"));
  });

  test("leads nowhere but to our own pages", async () => {
    expect(await signIn(newEmail(), { next: "https://evil.example/" })).toMatchObject({ next: "/app" });
  });

  test("while Google is down fails, and the next sign-in works", async () => {
    const ctx = setup.visitor();
    const { url, browserToken } = await beginGoogleSignIn(ctx, { next: null, mayCreate: true });
    const callbackUrl = await decide(url, newEmail());
    await addFault("cut");
    expect(await finish(ctx, { callbackUrl, browserToken })).toEqual(failed("google_failed"));
    expect(await signIn(newEmail())).toMatchObject({ kind: "signed_in" });
  });
});

test("only new users count as registrations, and a limit stops them", async () => {
  registrations.length = 0;
  const email = newEmail();
  for (const mayCreate of [true, true, false]) await signIn(email, { mayCreate });
  expect(registrations).toHaveLength(1);
  const { url, browserToken } = await beginGoogleSignIn(setup.visitor(), { next: null, mayCreate: true });
  const callbackUrl = await decide(url, newEmail());
  const visitor = { kind: "visitor" as const, address: "203.0.113.9" };
  const limitRegistration = () => Promise.reject(new AppError("too_many"));
  const outcome = await finishGoogle(setup.visitor(), { callbackUrl, browserToken, visitor, limitRegistration });
  expect(outcome).toEqual(failed("google_failed"));
});

describe("connecting in Settings", () => {
  test("needs a confirmed address", async () => {
    const person = await setup.person();
    const inside = await setup.enter(person);
    expect(await codeOf(beginGoogleLink(inside))).toBe("wrong_state");
    expect(await codeOf(setUpAuthenticator(inside))).toBe("wrong_state");
  });

  test("is reported by email, and ends with a login that was ended while Google answered", async () => {
    const person = await setup.confirmedPerson();
    const inside = await setup.enter(person);
    const { url, browserToken } = await beginGoogleLink(inside);
    const callbackUrl = await decide(url, newEmail());
    const isEnded = eq(logins.userId, person.userId);
    await setup.harness.database.db.update(logins).set({ revokedAt: setup.harness.now() }).where(isEnded);
    expect(await finish(inside, { callbackUrl, browserToken })).toEqual(failed("google_unconfirmed", true));
    const again = await setup.enter(person);
    const email = newEmail();
    expect(await link(again, email)).toEqual({ kind: "linked" });
    await setup.work();
    const [sent] = await setup.emailsTo(person.email);
    expect(sent?.text).toContain(`The Google account ${email} was connected to your account.`);
  });

  test("needs a recent confirmation; then Google signs in to that account, and the log says so", async () => {
    const person = await setup.confirmedPerson();
    const inside = await setup.enter(person);
    const email = newEmail();
    await setup.harness.later(CONFIRMATION_LIFETIME_MS + SECOND_MS, async () => {
      expect(await codeOf(beginGoogleLink(inside))).toBe("confirm_identity");
    });
    expect(await link(inside, email)).toEqual({ kind: "linked" });
    expect(await findGoogleEmail(inside)).toBe(email);
    const outcome = await signIn(email, { mayCreate: false });
    expect(outcome.kind === "signed_in" && outcome.login.userId).toBe(person.userId);
    await unlinkGoogle(inside);
    expect(await findGoogleEmail(inside)).toBeNull();
    expect(await signIn(email, { mayCreate: false })).toEqual(failed("google_unknown"));
    const rows = await setup.harness.database.db
      .select({ kind: securityEvents.kind, detail: securityEvents.detail })
      .from(securityEvents)
      .where(eq(securityEvents.userId, person.userId))
      .orderBy(securityEvents.createdAt, securityEvents.id);
    expect(rows.filter(({ detail }) => detail === email || detail === "google").map(({ kind }) => kind)).toEqual([
      "google_linked",
      "signed_in",
      "google_unlinked",
    ]);
  });

  test("one Google account belongs to one user, and a callback to the user who began it", async () => {
    const [one, two] = [await setup.confirmedPerson(), await setup.confirmedPerson()];
    const [first, second] = [await setup.enter(one), await setup.enter(two)];
    const email = newEmail();
    expect(await link(first, email)).toEqual({ kind: "linked" });
    expect(await link(second, email)).toEqual(failed("google_taken", true));
    const { url, browserToken } = await beginGoogleLink(second);
    const callbackUrl = await decide(url, newEmail());
    expect(await finish(first, { callbackUrl, browserToken })).toEqual(failed("google_unconfirmed", true));
    expect(await findGoogleEmail(second)).toBeNull();
  });

  test("the only way to sign in can't be removed", async () => {
    const email = newEmail();
    const outcome = await signIn(email);
    if (outcome.kind !== "signed_in") throw new Error(outcome.kind);
    const { userId, loginId } = outcome.login;
    const inside = { ...setup.visitor(), actor: { kind: "user" as const, userId, loginId, address: "" } };
    expect(await codeOf(unlinkGoogle(inside))).toBe("wrong_state");
    expect(await findGoogleEmail(inside)).toBe(email);
  });
});

test("a user with two-step sign-in still needs the code", async () => {
  const person = await setup.confirmedPerson();
  const inside = await setup.enter(person);
  const email = newEmail();
  await link(inside, email);
  const { secret } = await setUpAuthenticator(inside);
  await enableAuthenticator(inside, { code: appCodeAt(secret, setup.harness.now()) });
  expect(await signIn(email)).toEqual({ kind: "second_step", challenge: expect.any(String), next: "/app/videos" });
});

test("a deleted user's Google account can sign up again", async () => {
  const email = newEmail();
  const outcome = await signIn(email);
  if (outcome.kind !== "signed_in") throw new Error(outcome.kind);
  const { db } = setup.harness.database;
  await db.transaction(async (tx) => {
    const { userId, loginId } = outcome.login;
    await closeUser({ ...setup.job(), db: tx, actor: { kind: "user", userId, loginId, address: "" } }, userId);
  });
  expect(await signIn(email)).toMatchObject({ kind: "signed_in" });
  expect((await usersWith(email)).map(({ id: userId }) => userId)).not.toEqual([outcome.login.userId]);
});
