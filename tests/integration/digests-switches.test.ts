import { eq } from "drizzle-orm";
import { describe, expect, test } from "vitest";
import { letters } from "#db/schema/email.ts";
import { users } from "#db/schema/identity.ts";
import { inTransaction } from "#lib/context.ts";
import type { UserId } from "#lib/core/ids.ts";
import { MINUTE_MS } from "#lib/core/time.ts";
import { DIGEST_KINDS, type DigestKind, MUTABLE_MAILS } from "#lib/features/email/constants.ts";
import { renderLetter } from "#lib/features/email/rendering.ts";
import type { Letter } from "#lib/features/email/schema.ts";
import { TEXTS } from "#lib/features/notifications/constants.ts";
import { addEntry, gatherDigests } from "#lib/features/notifications/digests.ts";
import { switchMail, switchOffered } from "#lib/features/notifications/preferences.ts";
import { findMutedMails } from "#lib/features/notifications/queries.ts";
import { switchMailInput, switchOfferedInput } from "#lib/features/notifications/schema.ts";
import { identityWorld, type Person } from "./identity-house.ts";

const world = identityWorld();

const mutedOf = async (userId: UserId) => {
  const rows = await world.job().db.select({ muted: users.mutedMails }).from(users).where(eq(users.id, userId));
  return rows[0]?.muted.toSorted();
};

const tell = (userId: UserId, kind: DigestKind) =>
  inTransaction(world.job(), (tx) =>
    addEntry(tx, { userId, kind, about: kind, occasion: 1, subject: "A subject", reason: "" }),
  );

/** The end of the link at the foot of a mail that told somebody of these kinds. */
const mailedToken = async ({ userId }: Person, kinds: readonly DigestKind[]): Promise<string> => {
  for (const kind of kinds) await tell(userId, kind);
  await world.house.later(15 * MINUTE_MS, () => gatherDigests(world.job()));
  const rows = await world.job().db.select().from(letters).where(eq(letters.userId, userId));
  const [mail] = rows.map(({ content }) => content as Letter).filter(({ kind }) => kind === "digest");
  if (!mail) throw new Error("No mail was made.");
  const { text, unsubscribeUrl } = renderLetter(world.job(), mail);
  const token = /\/unsubscribe\/(\S+)/.exec(text)?.[1] ?? "";
  expect(unsubscribeUrl).toMatch(new RegExp(`/api/users/unsubscribe/${token.replaceAll(".", "\\.")}/$`));
  return token;
};

describe("R-SRV-04 the switches of a user", () => {
  test("one kind off and on again; twice is once; the others and other users stay", async () => {
    const [person, other] = [await world.person(), await world.person()];
    for (let n = 0; n < 2; n += 1) await switchMail(person.ctx, { kind: "pins_failed", isOn: false });
    expect(await findMutedMails(person.ctx)).toEqual(["pins_failed"]);
    await switchMail(person.ctx, { kind: "credits_low", isOn: false });
    for (let n = 0; n < 2; n += 1) await switchMail(person.ctx, { kind: "pins_failed", isOn: true });
    expect([await mutedOf(person.userId), await mutedOf(other.userId)]).toEqual([["credits_low"], []]);
  });

  test("all at once: none undoes what another did", async () => {
    const person = await world.person();
    await Promise.all(MUTABLE_MAILS.map((kind) => switchMail(person.ctx, { kind, isOn: false })));
    expect(await findMutedMails(person.ctx)).toEqual([...MUTABLE_MAILS]);
    await Promise.all(MUTABLE_MAILS.map((kind) => switchMail(person.ctx, { kind, isOn: true })));
    expect(await mutedOf(person.userId)).toEqual([]);
  });

  test("nobody's, a kind that cannot be switched off, and what is no switch are refused", async () => {
    await expect(switchMail(world.visitor(), { kind: "pins_failed", isOn: false })).rejects.toMatchObject({
      code: "unauthenticated",
    });
    for (const raw of [
      {},
      { kind: "reset", isOn: false },
      { kind: "pins_failed", isOn: "no" },
      { kind: ["x"] },
      null,
    ]) {
      expect([raw, switchMailInput.safeParse(raw).success]).toEqual([raw, false]);
    }
  });
});

describe("R-SRV-04 the link at the foot of a mail", () => {
  test("switches off what that mail told of and nothing else, without a login, again and again, and back on", async () => {
    const person = await world.person();
    await switchMail(person.ctx, { kind: "credits_low", isOn: false });
    const token = await mailedToken(person, ["account_lost", "pins_failed"]);
    for (let n = 0; n < 2; n += 1) {
      expect(await switchOffered(world.visitor(), { token, isOn: false })).toEqual({
        kinds: ["pins_failed", "account_lost"],
        isOn: false,
      });
    }
    expect(await mutedOf(person.userId)).toEqual(["account_lost", "credits_low", "pins_failed"]);
    await switchOffered(world.visitor(), { token, isOn: true });
    expect(await mutedOf(person.userId)).toEqual(["credits_low"]);
  });

  test("another's id, another kind, another signature, or half of it: refused with one text, nothing changed", async () => {
    const [person, other] = [await world.person(), await world.person()];
    const token = await mailedToken(person, ["pins_failed"]);
    const signature = token.split(".").at(-1) ?? "";
    const bent = [
      token.replace(person.userId, other.userId),
      token.replace("pins_failed", "account_lost"),
      token.replace("pins_failed", "pins_failed.account_lost"),
      token.replace("pins_failed", "pins_failed.pins_failed"),
      token.replace("pins_failed", "reset"),
      `${person.userId}.${signature}`,
      token.slice(0, -1),
      `${token}A`,
      token.slice(0, token.lastIndexOf(".") + 1),
      `${person.userId}.pins_failed`,
      signature,
      "..",
      "\u0000",
    ];
    for (const one of bent) {
      const refusal = switchOffered(world.visitor(), { token: one, isOn: false });
      await expect(refusal, one).rejects.toMatchObject({ code: "invalid", message: TEXTS.linkInvalid });
    }
    expect([await mutedOf(person.userId), await mutedOf(other.userId)]).toEqual([[], []]);
    for (const token of ["", "x".repeat(301), 7, undefined]) {
      expect(switchOfferedInput.safeParse({ token, isOn: false }).success).toBe(false);
    }
  });

  test("of somebody who deleted their account it does nothing, and says no more than otherwise", async () => {
    const person = await world.person();
    const token = await mailedToken(person, [...DIGEST_KINDS]);
    await world.job().db.update(users).set({ closedAt: new Date() }).where(eq(users.id, person.userId));
    expect(await switchOffered(world.visitor(), { token, isOn: false })).toMatchObject({ isOn: false });
    expect(await mutedOf(person.userId)).toEqual([]);
  });
});
