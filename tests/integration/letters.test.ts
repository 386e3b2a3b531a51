import { eq } from "drizzle-orm";
import { describe, expect, test } from "vitest";
import { contactMessages } from "#db/schema/contact.ts";
import { letters } from "#db/schema/email.ts";
import { inTransaction } from "#lib/context.ts";
import type { AppError } from "#lib/core/errors.ts";
import type { LetterId } from "#lib/core/ids.ts";
import { DAY_MS, HOUR_MS, MINUTE_MS } from "#lib/core/time.ts";
import { sendMessage } from "#lib/features/contact/messages.ts";
import { COPIES_MAX, TEXTS } from "#lib/features/contact/policy.ts";
import { contactInput } from "#lib/features/contact/schema.ts";
import { FORGOTTEN_FIRST_MS, SENDING_LEASE_MS } from "#lib/features/email/constants.ts";
import { deliverLetter, postLetter, sweepLetters } from "#lib/features/email/delivery.ts";
import { renderLetter } from "#lib/features/email/rendering.ts";
import type { Letter } from "#lib/features/email/schema.ts";
import { RETENTION_RULES } from "#lib/features/privacy/retention.ts";
import { identityWorld } from "./identity-house.ts";

const world = identityWorld();

let addresses = 0;
const newAddress = (): string => {
  addresses += 1;
  return `letter${addresses}@example.com`;
};
const farewell: Letter = { kind: "farewell", firstName: "Ada" };
const post = (recipient: string, letter: Letter = farewell): Promise<LetterId> =>
  inTransaction(world.job(), (tx) => postLetter(tx, { userId: null, recipient, letter }));
const subjects = async (address: string) => (await world.mailsTo(address)).map(({ subject }) => subject);
const isStored = async (id: LetterId) => (await world.job().db.$count(letters, eq(letters.id, id))) === 1;

describe("a stored mail", () => {
  test("R-CONT-03 is sent once, whoever tries at the same time or again, and then it is gone", async () => {
    const to = newAddress();
    const letterId = await post(to);
    const tries = await Promise.all(Array.from({ length: 5 }, () => deliverLetter(world.job(), { letterId })));
    expect(tries.toSorted()).toEqual(["not_needed", "not_needed", "not_needed", "not_needed", "sent"]);
    expect([await deliverLetter(world.job(), { letterId }), await isStored(letterId)]).toEqual(["not_needed", false]);
    expect(await subjects(to)).toEqual(["Your Evertack account was deleted"]);
  });

  test("whoever dies while sending is followed by another after a while, and by nobody before", async () => {
    const to = newAddress();
    const letterId = await post(to);
    await world
      .job()
      .db.update(letters)
      .set({ claimedUntil: new Date(Date.now() + SENDING_LEASE_MS) })
      .where(eq(letters.id, letterId));
    expect(await deliverLetter(world.job(), { letterId })).toBe("not_needed");
    await world.house.later(SENDING_LEASE_MS + 1_000, async () => {
      expect(await deliverLetter(world.job(), { letterId })).toBe("sent");
    });
    expect(await subjects(to)).toHaveLength(1);
  });

  test("a mail server that refuses it makes the step fail, and the next try may begin at once", async () => {
    const to = newAddress();
    const letterId = await post(to);
    await world.strike({ match: "DATA /", scenario: "message-later", times: 1 });
    await expect(deliverLetter(world.job(), { letterId })).rejects.toThrow(/Try again later/);
    expect(await isStored(letterId)).toBe(true);
    expect(await deliverLetter(world.job(), { letterId })).toBe("sent");
    expect(await subjects(to)).toHaveLength(1);
  });

  test("DESIGN §5.6 one that nobody announced is found by the sweep, after growing pauses; a week later it is gone", async () => {
    const letterId = await post(newAddress());
    const sweepFor = async () => {
      await sweepLetters(world.job());
      return world.house.sentEvents.filter(({ id }) => id.startsWith(`letter:${letterId}:`)).map(({ id }) => id);
    };
    const event = (n: number) => `letter:${letterId}:${n}`;
    expect(await sweepFor()).toEqual([]);
    await world.house.later(FORGOTTEN_FIRST_MS + 1_000, async () => expect(await sweepFor()).toEqual([event(1)]));
    await world.house.later(2 * FORGOTTEN_FIRST_MS, async () => expect(await sweepFor()).toEqual([event(1)]));
    await world.house.later(HOUR_MS, async () => expect(await sweepFor()).toEqual([event(1), event(2)]));
    await world.house.later(7 * DAY_MS - MINUTE_MS, () => RETENTION_RULES.letters(world.job()));
    expect(await isStored(letterId)).toBe(true);
    await world.house.later(7 * DAY_MS + MINUTE_MS, () => RETENTION_RULES.letters(world.job()));
    expect(await isStored(letterId)).toBe(false);
  });

  test("an engine that does not answer does not undo what was done", async () => {
    const email = newAddress();
    world.house.failNextSend();
    await sendMessage(world.visitor(), { name: "Ada", email, subject: "Hello", message: "Hello." });
    expect(await world.job().db.$count(letters, eq(letters.recipient, email))).toBe(1);
    await world.house.later(FORGOTTEN_FIRST_MS + 1_000, () => sweepLetters(world.job()));
    await world.work();
    expect(await subjects(email)).toEqual(["We have your message to Evertack"]);
  });
});

const CANARY = `<script>alert("x")</script><img src=x onerror=alert(1)> & "quotes" 'and' \u202e\n\r\nBcc: evil@example.com`;

describe("the words of a mail", () => {
  const link = { path: "/p/", seed: "s" };
  const kinds: Letter[] = [
    { kind: "verification", firstName: CANARY, link },
    { kind: "reset", firstName: CANARY, link },
    { kind: "password_changed", firstName: CANARY },
    { kind: "email_change", firstName: CANARY, link },
    { kind: "email_change_asked", firstName: CANARY, newEmail: CANARY },
    { kind: "email_changed", firstName: CANARY, newEmail: CANARY },
    { kind: "contact_message", name: CANARY, email: CANARY, subject: CANARY, message: CANARY },
    { kind: "contact_copy", name: CANARY, subject: CANARY, message: CANARY },
    { kind: "farewell", firstName: CANARY },
    { kind: "payment_held", subject: CANARY, reason: CANARY, user: CANARY, amount: CANARY },
  ];

  test.each(kinds.map((letter) => [letter.kind, letter] as const))(
    "QUALITY row 20 %s: nothing a person typed becomes markup, a line of the head or a link; text and HTML say the same",
    (_, letter) => {
      const { subject, text, html } = renderLetter(world.job(), letter);
      expect(html).not.toMatch(/<script|<img|onerror=alert\(1\)>/i);
      expect(html).toContain("&#60;script&#62;");
      expect(subject).not.toMatch(/[\r\n]/);
      expect(text).toContain("alert");
      // The same links in both, and all of them ours.
      const hrefs = [...html.matchAll(/href="([^"]*)"/g)].map(([, href = ""]) => href);
      expect(hrefs.every((href) => href.startsWith("http://localhost:3000/"))).toBe(true);
      for (const href of hrefs) expect(text).toContain(href);
    },
  );

  test("links that are sent twice are the same, and others than those of another seed", () => {
    const token = (seed: string) =>
      /\/p\/([\w-]+)/.exec(
        renderLetter(world.job(), { kind: "reset", firstName: "A", link: { path: "/p/", seed } }).text,
      )?.[1];
    expect(token("one")).toMatch(/^[\w-]{43}$/);
    expect(token("one")).toBe(token("one"));
    expect(token("one")).not.toBe(token("two"));
  });
});

describe("R-CONT-03 writing to support", () => {
  const good = () => ({
    name: "Ada Moss",
    email: newAddress(),
    subject: "A question",
    message: "Line one\n\nLine <2>",
  });
  const errorsOf = (values: unknown) => {
    try {
      contactInput.parse(values);
      return {};
    } catch (error) {
      return (error as AppError).fields;
    }
  };

  test("R-CONT-03 R-ENT-14 one mail to support that answers to the sender, one copy to the sender, and the message is kept", async () => {
    const typed = good();
    expect(await sendMessage(world.visitor(), contactInput.parse(typed))).toEqual({ message: TEXTS.sent });
    await world.work();
    const mine = (await world.mailsTo("support@example.com")).filter(({ replyTo }) => replyTo.includes(typed.email));
    expect(mine).toHaveLength(1);
    expect(mine[0]).toMatchObject({ subject: "Contact form: A question", to: ["support@example.com"] });
    expect(mine[0]?.replyTo).toContain("Ada Moss");
    for (const part of [typed.name, typed.email, typed.message]) expect(mine[0]?.text).toContain(part);
    const copies = await world.mailsTo(typed.email);
    expect(copies).toHaveLength(1);
    expect(copies[0]?.text).toContain(typed.message);
    expect(copies[0]?.html).toContain("Line &#60;2&#62;");
    const [row] = await world.job().db.select().from(contactMessages).where(eq(contactMessages.email, typed.email));
    expect(row).toMatchObject(typed);
    await world.house.later(366 * DAY_MS, () => RETENTION_RULES.messages(world.job()));
    expect(await world.job().db.$count(contactMessages, eq(contactMessages.email, typed.email))).toBe(0);
  });

  test("R-CONT-01 R-CONT-04 empty, overlong and hostile values are refused by field, the same as in the browser", () => {
    expect(errorsOf({})).toEqual({
      name: ["Name is required"],
      email: ["Email is required"],
      subject: ["Subject is required"],
      message: ["Message is required"],
    });
    const wrong: [string, unknown, string][] = [
      ["name", "  ", "Name is required"],
      ["name", "x".repeat(81), "Name must be at most 80 characters"],
      ["name", "Ada\r\nBcc: evil@example.com", "Name contains characters that cannot be used in a name"],
      ["name", 7, "Name is required"],
      ["email", "nobody", "Invalid email format"],
      ["email", "a@example.com\r\nBcc: evil@example.com", "Invalid email format"],
      ["email", "a@example.com,b@example.com", "Invalid email format"],
      ["email", "Ada <a@example.com>", "Invalid email format"],
      ["email", "a\u200b@example.com", "Invalid email format"],
      ["subject", "Hello\nBcc: evil@example.com", "Subject must be one line"],
      ["subject", "x".repeat(151), "Subject must be at most 150 characters"],
      ["message", "\u0000 \n", "Message is required"],
      ["message", "x".repeat(5_001), "Message must be at most 5000 characters"],
      ["message", { $ne: "" }, "Message is required"],
    ];
    for (const [field, value, text] of wrong) {
      expect([value, errorsOf({ ...good(), [field]: value })]).toEqual([value, { [field]: [text] }]);
    }
  });

  test("what cannot be shown leaves the message; markup stays text", () => {
    const message = "a\u0000b\u001b[31m\r\nc\td <b>bold</b> \ud800!";
    expect(contactInput.parse({ ...good(), message }).message).toBe("ab[31m\nc\td <b>bold</b> \ufffd!");
  });

  test("an inbox is not filled by somebody who gives its address: support gets every message, the address five copies a day", async () => {
    const typed = good();
    for (let i = 0; i < COPIES_MAX + 2; i++) {
      const email = i % 2 === 0 ? typed.email : typed.email.toUpperCase();
      await sendMessage(world.visitor(), { ...typed, email, subject: `No. ${i}` });
    }
    await world.work();
    expect(await world.mailsTo(typed.email)).toHaveLength(COPIES_MAX);
    const atSupport = await world.mailsTo("support@example.com");
    expect(atSupport.filter(({ subject }) => subject.includes("No. "))).toHaveLength(COPIES_MAX + 2);
    await world.house.later(DAY_MS + MINUTE_MS, async () => {
      await sendMessage(world.visitor(), typed);
      await world.work();
    });
    expect(await world.mailsTo(typed.email)).toHaveLength(COPIES_MAX + 1);
  });

  test("messages that come at the same moment get no more copies than those that come one by one", async () => {
    const typed = good();
    await Promise.all(Array.from({ length: 2 * COPIES_MAX }, () => sendMessage(world.visitor(), typed)));
    await world.work();
    expect(await world.mailsTo(typed.email)).toHaveLength(COPIES_MAX);
  });
});
