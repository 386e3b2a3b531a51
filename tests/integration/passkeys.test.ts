import { eq } from "drizzle-orm";
import { describe, expect, test } from "vitest";
import { authChallenges, authenticators, passkeys, recoveryCodes, securityEvents } from "#db/schema/identity.ts";
import { type FullCtx, inTransaction } from "#lib/context.ts";
import { AppError } from "#lib/core/errors.ts";
import { MINUTE_MS, SECOND_MS } from "#lib/core/time.ts";
import { requireConfirmation } from "#lib/features/identity/confirmation.ts";
import { CONFIRMATION_LIFETIME_MS } from "#lib/features/identity/constants.ts";
import { closeUser } from "#lib/features/identity/users.ts";
import { enableAuthenticator, setUpAuthenticator } from "#lib/features/sign-in/authenticator.ts";
import { PASSKEYS_MAX } from "#lib/features/sign-in/constants.ts";
import {
  addPasskey,
  confirmWithPasskey,
  listPasskeys,
  removePasskey,
  renamePasskey,
  requestNewPasskey,
  requestPasskeyConfirmation,
  requestPasskeySignIn,
  signInWithPasskey,
} from "#lib/features/sign-in/passkeys.ts";
import { appCodeAt } from "#tests/support/app-codes.ts";
import { softPasskey } from "#tests/support/passkey.ts";
import { identitySetup, type Person } from "./identity-harness.ts";

const setup = identitySetup();

const codeOf = (promise: Promise<unknown>): Promise<string> =>
  promise.then(
    () => "ok",
    (error: unknown) => (error instanceof AppError ? error.code : String(error)),
  );

const newDevice = () => softPasskey({ origin: new URL(setup.harness.settings.appUrl).origin });
type Device = ReturnType<typeof newDevice>;
type Use = Parameters<Device["use"]>[1];

const add = async (ctx: FullCtx, device: Device, use: Use = {}, name = "Phone") => {
  const { token, options } = await requestNewPasskey(ctx);
  return addPasskey(ctx, { token, name, response: device.create(options, use) });
};

const signIn = async (device: Device, use: Use = {}) => {
  const { token, options } = await requestPasskeySignIn(setup.visitor());
  return signInWithPasskey(setup.visitor(), { token, response: device.use(options, use) });
};

const entered = async (): Promise<Person & { inside: FullCtx }> => {
  const person = await setup.confirmedPerson();
  return { ...person, inside: await setup.enter(person) };
};

const eventsOf = async ({ userId }: Person): Promise<string[]> => {
  const rows = await setup.harness.database.db
    .select()
    .from(securityEvents)
    .where(eq(securityEvents.userId, userId))
    .orderBy(securityEvents.createdAt, securityEvents.id);
  return rows.map(({ kind, detail }) => (detail ? `${kind}: ${detail}` : kind));
};

describe("adding passkeys", () => {
  test("needs a recent confirmation, user verification and our origin; the same one is added once", async () => {
    const person = await entered();
    const { inside } = person;
    await setup.harness.later(CONFIRMATION_LIFETIME_MS + SECOND_MS, async () => {
      expect(await codeOf(requestNewPasskey(inside))).toBe("confirm_identity");
    });
    const device = newDevice();
    expect(await codeOf(add(inside, device, { isUserVerified: false }))).toBe("wrong_state");
    expect(await codeOf(add(inside, device, { origin: "https://evil.example" }))).toBe("wrong_state");
    expect(await listPasskeys(inside)).toEqual([]);
    expect(await codeOf(add(inside, device))).toBe("ok");
    expect(await listPasskeys(inside)).toMatchObject([{ name: "Phone", lastUsedAt: null }]);
    expect(await codeOf(add(inside, device))).toBe("wrong_state");
    const { options } = await requestNewPasskey(inside);
    expect(options.excludeCredentials?.map(({ id }) => id)).toEqual([device.id]);
    expect(await eventsOf(person)).toEqual(["signed_in: password", "passkey_added: Phone"]);
  });

  test("an answer counts once, for its user, within ten minutes", async () => {
    const [{ inside }, other] = [await entered(), await entered()];
    const [first, second] = [newDevice(), newDevice()];
    const { token, options } = await requestNewPasskey(inside);
    const [a, b] = [first.create(options), second.create(options)];
    expect(await codeOf(addPasskey(other.inside, { token, name: "Mine", response: a }))).toBe("wrong_state");
    const outcomes = await Promise.all([
      codeOf(addPasskey(inside, { token, name: "A", response: a })),
      codeOf(addPasskey(inside, { token, name: "B", response: b })),
    ]);
    expect(outcomes.toSorted()).toEqual(["ok", "wrong_state"]);
    const late = await requestNewPasskey(inside);
    await setup.harness.later(11 * MINUTE_MS, async () => {
      const response = newDevice().create(late.options);
      expect(await codeOf(addPasskey(inside, { token: late.token, name: "C", response }))).toBe("wrong_state");
    });
    expect(await listPasskeys(inside)).toHaveLength(1);
  });

  test("a user has at most ten, also when several are added at the same time", async () => {
    const { inside } = await entered();
    for (let n = 0; n < PASSKEYS_MAX - 1; n += 1) await add(inside, newDevice());
    const requests = [await requestNewPasskey(inside), await requestNewPasskey(inside)];
    const outcomes = await Promise.all(
      requests.map(({ token, options }) =>
        codeOf(addPasskey(inside, { token, name: "Last", response: newDevice().create(options) })),
      ),
    );
    expect(outcomes.toSorted()).toEqual(["ok", "wrong_state"]);
    expect(await listPasskeys(inside)).toHaveLength(PASSKEYS_MAX);
    expect(await codeOf(requestNewPasskey(inside))).toBe("wrong_state");
  });

  test("only its owner finds a passkey; removing it needs a confirmation", async () => {
    const [owner, stranger] = [await entered(), await entered()];
    const device = newDevice();
    await add(owner.inside, device);
    const [{ id: passkeyId } = { id: "" }] = await listPasskeys(owner.inside);
    expect(await codeOf(renamePasskey(stranger.inside, { passkeyId, name: "Stolen" }))).toBe("not_found");
    expect(await codeOf(removePasskey(stranger.inside, { passkeyId }))).toBe("not_found");
    await renamePasskey(owner.inside, { passkeyId, name: "Tablet" });
    expect(await listPasskeys(owner.inside)).toMatchObject([{ name: "Tablet" }]);
    await setup.harness.later(CONFIRMATION_LIFETIME_MS + SECOND_MS, async () => {
      expect(await codeOf(removePasskey(owner.inside, { passkeyId }))).toBe("confirm_identity");
    });
    await removePasskey(owner.inside, { passkeyId });
    expect([await listPasskeys(owner.inside), await codeOf(signIn(device))]).toEqual([[], "wrong_login"]);
    expect(await eventsOf(owner)).toContain("passkey_removed: Tablet");
  });
});

describe("signing in with a passkey", () => {
  test("counts as both steps and records its use", async () => {
    const person = await entered();
    const device = newDevice();
    await add(person.inside, device);
    const { secret } = await setUpAuthenticator(person.inside);
    await enableAuthenticator(person.inside, { code: appCodeAt(secret, setup.harness.now()) });
    expect(await signIn(device)).toMatchObject({ userId: person.userId });
    expect(await listPasskeys(person.inside)).toMatchObject([{ lastUsedAt: expect.any(Date) }]);
    expect(await eventsOf(person)).toContain("signed_in: passkey");
  });

  test("needs user verification, our origin, a known key and its own signature", async () => {
    const { inside } = await entered();
    const device = newDevice();
    await add(inside, device);
    expect(await codeOf(signIn(device, { isUserVerified: false }))).toBe("wrong_login");
    expect(await codeOf(signIn(device, { origin: "https://evil.example" }))).toBe("wrong_login");
    expect(await codeOf(signIn(newDevice()))).toBe("wrong_login");
    const { token, options } = await requestPasskeySignIn(setup.visitor());
    const forged = { ...newDevice().use(options), id: device.id, rawId: device.id };
    expect(await codeOf(signInWithPasskey(setup.visitor(), { token, response: forged }))).toBe("wrong_login");
    expect(await codeOf(signIn(device))).toBe("ok");
  });

  test("a challenge works once, also at the same time, within ten minutes, and only for its own purpose", async () => {
    const { inside } = await entered();
    const device = newDevice();
    await add(inside, device);
    const { token, options } = await requestPasskeySignIn(setup.visitor());
    const answer = { token, response: device.use(options) };
    const outcomes = await Promise.all([1, 2, 3].map(() => codeOf(signInWithPasskey(setup.visitor(), answer))));
    expect(outcomes.filter((outcome) => outcome === "ok")).toHaveLength(1);
    expect(await codeOf(signInWithPasskey(setup.visitor(), answer))).toBe("unauthenticated");
    const late = await requestPasskeySignIn(setup.visitor());
    await setup.harness.later(11 * MINUTE_MS, async () => {
      const response = device.use(late.options);
      expect(await codeOf(signInWithPasskey(setup.visitor(), { token: late.token, response }))).toBe("unauthenticated");
    });
    const confirming = await requestPasskeyConfirmation(inside);
    const response = device.use(confirming.options);
    const misused = signInWithPasskey(setup.visitor(), { token: confirming.token, response });
    expect(await codeOf(misused)).toBe("unauthenticated");
  });

  test("a counter that goes back is refused and recorded, because the passkey may be a copy", async () => {
    const person = await entered();
    const device = newDevice();
    await add(person.inside, device, { counter: 3 });
    expect(await codeOf(signIn(device, { counter: 7 }))).toBe("ok");
    expect(await codeOf(signIn(device, { counter: 7 }))).toBe("wrong_login");
    expect(await codeOf(signIn(device, { counter: 5 }))).toBe("wrong_login");
    expect(await codeOf(signIn(device, { counter: 0 }))).toBe("wrong_login");
    expect(await codeOf(signIn(device, { counter: 8 }))).toBe("ok");
    const refused = (await eventsOf(person)).filter((event) => event === "passkey_refused: Phone");
    expect(refused).toHaveLength(3);
  });
});

test("a passkey confirms its own user's login, and no other's", async () => {
  const [person, other] = [await entered(), await entered()];
  const [mine, theirs] = [newDevice(), newDevice()];
  await add(person.inside, mine);
  await add(other.inside, theirs);
  await setup.harness.moveClock(CONFIRMATION_LIFETIME_MS + SECOND_MS);
  const confirm = async (device: Device, use: Use = {}) => {
    const { token, options } = await requestPasskeyConfirmation(person.inside);
    return codeOf(confirmWithPasskey(person.inside, { token, response: device.use(options, use) }));
  };
  expect(await confirm(theirs)).toBe("invalid");
  expect(await confirm(mine, { isUserVerified: false })).toBe("invalid");
  expect(await codeOf(requireConfirmation(person.inside))).toBe("confirm_identity");
  expect(await confirm(mine)).toBe("ok");
  expect(await codeOf(requireConfirmation(person.inside))).toBe("ok");
  const foreign = await requestPasskeyConfirmation(other.inside);
  const response = mine.use(foreign.options);
  expect(await codeOf(confirmWithPasskey(person.inside, { token: foreign.token, response }))).toBe("invalid");
  const keyless = await entered();
  expect(await codeOf(requestPasskeyConfirmation(keyless.inside))).toBe("wrong_state");
});

test("closing an account removes every way to sign in at once", async () => {
  const { inside, userId } = await entered();
  const device = newDevice();
  await add(inside, device);
  const { secret } = await setUpAuthenticator(inside);
  await enableAuthenticator(inside, { code: appCodeAt(secret, setup.harness.now()) });
  await requestPasskeyConfirmation(inside);
  await inTransaction(inside, (tx) => closeUser(tx, userId));
  const { db } = setup.harness.database;
  for (const table of [authenticators, recoveryCodes, passkeys, authChallenges]) {
    expect(await db.select().from(table).where(eq(table.userId, userId))).toEqual([]);
  }
  expect(await codeOf(signIn(device))).toBe("wrong_login");
});
