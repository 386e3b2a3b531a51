import { eq } from "drizzle-orm";
import { describe, expect, test } from "vitest";
import { emailOutbox } from "#db/schema/email.ts";
import { users } from "#db/schema/identity.ts";
import { inTransaction } from "#lib/context.ts";
import type { UserId } from "#lib/core/ids.ts";
import { MINUTE_MS } from "#lib/core/time.ts";
import { DIGEST_KINDS, type DigestKind, MUTABLE_EMAILS } from "#lib/features/email/constants.ts";
import { renderEmail } from "#lib/features/email/rendering.ts";
import type { EmailContent } from "#lib/features/email/schema.ts";
import { TEXTS } from "#lib/features/notifications/constants.ts";
import { addDigestEntry, sendDigests } from "#lib/features/notifications/digests.ts";
import { switchEmail, switchEmailsByLink } from "#lib/features/notifications/preferences.ts";
import { findMutedEmails } from "#lib/features/notifications/queries.ts";
import { switchEmailInput, switchEmailsByLinkInput } from "#lib/features/notifications/schema.ts";
import { identitySetup, type Person } from "./identity-harness.ts";

const setup = identitySetup();

const mutedOf = async (userId: UserId) => {
  const rows = await setup.job().db.select({ muted: users.mutedEmails }).from(users).where(eq(users.id, userId));
  return rows[0]?.muted.toSorted();
};

const addEntry = (userId: UserId, kind: DigestKind) =>
  inTransaction(setup.job(), (tx) =>
    addDigestEntry(tx, { userId, kind, about: kind, occasion: 1, subject: "A subject", reason: "" }),
  );

/** Sends a digest of these kinds and returns its unsubscribe token. */
const mailedToken = async ({ userId }: Person, kinds: readonly DigestKind[]): Promise<string> => {
  for (const kind of kinds) await addEntry(userId, kind);
  await setup.harness.later(15 * MINUTE_MS, () => sendDigests(setup.job()));
  const rows = await setup.job().db.select().from(emailOutbox).where(eq(emailOutbox.userId, userId));
  const [email] = rows.map(({ content }) => content as EmailContent).filter(({ kind }) => kind === "digest");
  if (!email) throw new Error("No email was queued.");
  const { text, unsubscribeUrl } = renderEmail(setup.job(), email);
  const token = /\/unsubscribe\/(\S+)/.exec(text)?.[1] ?? "";
  expect(unsubscribeUrl).toMatch(new RegExp(`/api/users/unsubscribe/${token.replaceAll(".", "\\.")}/$`));
  return token;
};

describe("R-SRV-04 email preferences", () => {
  test("switches one kind off and on, idempotently, without affecting other kinds and users", async () => {
    const [person, other] = [await setup.person(), await setup.person()];
    for (let n = 0; n < 2; n += 1) await switchEmail(person.ctx, { kind: "pins_failed", isOn: false });
    expect(await findMutedEmails(person.ctx)).toEqual(["pins_failed"]);
    await switchEmail(person.ctx, { kind: "credits_low", isOn: false });
    for (let n = 0; n < 2; n += 1) await switchEmail(person.ctx, { kind: "pins_failed", isOn: true });
    expect([await mutedOf(person.userId), await mutedOf(other.userId)]).toEqual([["credits_low"], []]);
  });

  test("concurrent switches do not undo each other", async () => {
    const person = await setup.person();
    await Promise.all(MUTABLE_EMAILS.map((kind) => switchEmail(person.ctx, { kind, isOn: false })));
    expect(await findMutedEmails(person.ctx)).toEqual([...MUTABLE_EMAILS]);
    await Promise.all(MUTABLE_EMAILS.map((kind) => switchEmail(person.ctx, { kind, isOn: true })));
    expect(await mutedOf(person.userId)).toEqual([]);
  });

  test("rejects visitors, kinds that cannot be muted and malformed input", async () => {
    await expect(switchEmail(setup.visitor(), { kind: "pins_failed", isOn: false })).rejects.toMatchObject({
      code: "unauthenticated",
    });
    for (const raw of [
      {},
      { kind: "reset", isOn: false },
      { kind: "pins_failed", isOn: "no" },
      { kind: ["x"] },
      null,
    ]) {
      expect([raw, switchEmailInput.safeParse(raw).success]).toEqual([raw, false]);
    }
  });
});

describe("R-SRV-04 the unsubscribe link", () => {
  test("switches only the email's kinds off and on, without a login, repeatedly", async () => {
    const person = await setup.person();
    await switchEmail(person.ctx, { kind: "credits_low", isOn: false });
    const token = await mailedToken(person, ["account_lost", "pins_failed"]);
    for (let n = 0; n < 2; n += 1) {
      expect(await switchEmailsByLink(setup.visitor(), { token, isOn: false })).toEqual({
        kinds: ["pins_failed", "account_lost"],
        isOn: false,
      });
    }
    expect(await mutedOf(person.userId)).toEqual(["account_lost", "credits_low", "pins_failed"]);
    await switchEmailsByLink(setup.visitor(), { token, isOn: true });
    expect(await mutedOf(person.userId)).toEqual(["credits_low"]);
  });

  test("rejects another id, kind or signature with one text and changes nothing", async () => {
    const [person, other] = [await setup.person(), await setup.person()];
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
      const refusal = switchEmailsByLink(setup.visitor(), { token: one, isOn: false });
      await expect(refusal, one).rejects.toMatchObject({ code: "invalid", message: TEXTS.linkInvalid });
    }
    expect([await mutedOf(person.userId), await mutedOf(other.userId)]).toEqual([[], []]);
    for (const token of ["", "x".repeat(301), 7, undefined]) {
      expect(switchEmailsByLinkInput.safeParse({ token, isOn: false }).success).toBe(false);
    }
  });

  test("does nothing for a deleted account and does not reveal it", async () => {
    const person = await setup.person();
    const token = await mailedToken(person, [...DIGEST_KINDS]);
    await setup.job().db.update(users).set({ closedAt: new Date() }).where(eq(users.id, person.userId));
    expect(await switchEmailsByLink(setup.visitor(), { token, isOn: false })).toMatchObject({ isOn: false });
    expect(await mutedOf(person.userId)).toEqual([]);
  });
});
