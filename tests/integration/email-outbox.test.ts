import { eq } from "drizzle-orm";
import { describe, expect, test } from "vitest";
import { contactMessages } from "#db/schema/contact.ts";
import { emailOutbox } from "#db/schema/email.ts";
import { users } from "#db/schema/identity.ts";
import { inTransaction } from "#lib/context.ts";
import type { AppError } from "#lib/core/errors.ts";
import type { EmailId } from "#lib/core/ids.ts";
import { DAY_MS, HOUR_MS, MINUTE_MS } from "#lib/core/time.ts";
import { sendMessage } from "#lib/features/contact/messages.ts";
import { RECEIPTS_MAX, TEXTS } from "#lib/features/contact/policy.ts";
import { contactInput } from "#lib/features/contact/schema.ts";
import { SENDING_LEASE_MS, STALLED_FIRST_MS } from "#lib/features/email/constants.ts";
import { deliverEmail, queueEmail, sweepOutbox } from "#lib/features/email/delivery.ts";
import { renderEmail } from "#lib/features/email/rendering.ts";
import { type EmailContent, emailContent } from "#lib/features/email/schema.ts";
import { RETENTION_RULES } from "#lib/features/privacy/retention.ts";
import { identitySetup, type Person } from "./identity-harness.ts";

const setup = identitySetup();

let addresses = 0;
const newEmailAddress = (): string => {
  addresses += 1;
  return `letter${addresses}@example.com`;
};
const farewell: EmailContent = { kind: "farewell", firstName: "Ada" };
const post = (recipient: string, content: EmailContent = farewell): Promise<EmailId> =>
  inTransaction(setup.job(), (tx) => queueEmail(tx, { userId: null, recipient, content }));
const postTo = ({ userId, email }: Person, content: EmailContent): Promise<EmailId> =>
  inTransaction(setup.job(), (tx) => queueEmail(tx, { userId, recipient: email, content }));
const subjects = async (address: string) => (await setup.emailsTo(address)).map(({ subject }) => subject);
const isStored = async (id: EmailId) => (await setup.job().db.$count(emailOutbox, eq(emailOutbox.id, id))) === 1;

describe("a queued email", () => {
  test("R-CONT-03 is sent once by concurrent and repeated runs, then deleted", async () => {
    const to = newEmailAddress();
    const emailId = await post(to);
    const tries = await Promise.all(Array.from({ length: 5 }, () => deliverEmail(setup.job(), { emailId })));
    expect(tries.toSorted()).toEqual(["not_needed", "not_needed", "not_needed", "not_needed", "sent"]);
    expect([await deliverEmail(setup.job(), { emailId }), await isStored(emailId)]).toEqual(["not_needed", false]);
    expect(await subjects(to)).toEqual(["Your Evertack account was deleted"]);
  });

  test("is sent by another worker only after the lease of a crashed one ends", async () => {
    const to = newEmailAddress();
    const emailId = await post(to);
    await setup
      .job()
      .db.update(emailOutbox)
      .set({ claimedUntil: new Date(Date.now() + SENDING_LEASE_MS) })
      .where(eq(emailOutbox.id, emailId));
    expect(await deliverEmail(setup.job(), { emailId })).toBe("not_needed");
    await setup.harness.later(SENDING_LEASE_MS + 1_000, async () => {
      expect(await deliverEmail(setup.job(), { emailId })).toBe("sent");
    });
    expect(await subjects(to)).toHaveLength(1);
  });

  test("fails the step when the mail server rejects it, and can be retried immediately", async () => {
    const to = newEmailAddress();
    const emailId = await post(to);
    await setup.addFault({ match: "DATA /", scenario: "message-later", times: 1 });
    await expect(deliverEmail(setup.job(), { emailId })).rejects.toThrow(/Try again later/);
    expect(await isStored(emailId)).toBe(true);
    expect(await deliverEmail(setup.job(), { emailId })).toBe("sent");
    expect(await subjects(to)).toHaveLength(1);
  });

  test("is requested again by the sweep with growing delays, and deleted after a week", async () => {
    const emailId = await post(newEmailAddress());
    const sweepFor = async () => {
      await sweepOutbox(setup.job());
      return setup.harness.sentEvents.filter(({ id }) => id.startsWith(`email:${emailId}:`)).map(({ id }) => id);
    };
    const event = (n: number) => `email:${emailId}:${n}`;
    expect(await sweepFor()).toEqual([]);
    await setup.harness.later(STALLED_FIRST_MS + 1_000, async () => expect(await sweepFor()).toEqual([event(1)]));
    await setup.harness.later(2 * STALLED_FIRST_MS, async () => expect(await sweepFor()).toEqual([event(1)]));
    await setup.harness.later(HOUR_MS, async () => expect(await sweepFor()).toEqual([event(1), event(2)]));
    await setup.harness.later(7 * DAY_MS - MINUTE_MS, () => RETENTION_RULES.emails(setup.job()));
    expect(await isStored(emailId)).toBe(true);
    await setup.harness.later(7 * DAY_MS + MINUTE_MS, () => RETENTION_RULES.emails(setup.job()));
    expect(await isStored(emailId)).toBe(false);
  });

  test("an unavailable engine does not undo the transaction", async () => {
    const email = newEmailAddress();
    setup.harness.failNextSend();
    await sendMessage(setup.visitor(), { name: "Ada", email, subject: "Hello", message: "Hello." });
    expect(await setup.job().db.$count(emailOutbox, eq(emailOutbox.recipient, email))).toBe(1);
    await setup.harness.later(STALLED_FIRST_MS + 1_000, () => sweepOutbox(setup.job()));
    await setup.work();
    expect(await subjects(email)).toEqual(["We received your message to Evertack"]);
  });
});

const CANARY = `<script>alert("x")</script><img src=x onerror=alert(1)> & "quotes" 'and' \u202e\n\r\nBcc: evil@example.com`;

describe("email content", () => {
  const link = { path: "/p/", seed: "s" };
  const kinds: EmailContent[] = [
    { kind: "reset", firstName: CANARY, link },
    { kind: "password_changed", firstName: CANARY },
    { kind: "email_change_asked", firstName: CANARY, newEmail: CANARY },
    { kind: "email_changed", firstName: CANARY, newEmail: CANARY },
    { kind: "contact_message", name: CANARY, email: CANARY, subject: CANARY, message: CANARY },
    { kind: "farewell", firstName: CANARY },
    { kind: "webhook_disabled", firstName: CANARY, url: CANARY, reason: "gone" },
    { kind: "payment_held", subject: CANARY, reason: CANARY, user: CANARY, amount: CANARY },
  ];

  test.each(kinds.map((content) => [content.kind, content] as const))(
    "%s: nothing a person typed becomes markup, a line of the head or a link; text and HTML say the same",
    (_, content) => {
      const { subject, text, html } = renderEmail(setup.job(), content);
      expect(html).not.toMatch(/<script|<img|onerror=alert\(1\)>/i);
      expect(html).toContain("&#60;script&#62;");
      expect(subject).not.toMatch(/[\r\n]/);
      expect(text).toContain("alert");
      // Both parts contain the same links, all to our site.
      const hrefs = [...html.matchAll(/href="([^"]*)"/g)].map(([, href = ""]) => href);
      expect(hrefs.every((href) => href.startsWith("http://localhost:3000/"))).toBe(true);
      for (const href of hrefs) expect(text).toContain(href);
    },
  );

  test("what goes to unconfirmed addresses holds nothing that a person typed, also when an older version queued it", () => {
    const old = [
      { kind: "verification", firstName: CANARY, link },
      { kind: "email_change", firstName: CANARY, link },
      { kind: "contact_copy", name: CANARY, subject: CANARY, message: CANARY },
      { kind: "reset", firstName: "", link },
      { kind: "password_changed", firstName: "" },
      { kind: "email_change_asked", firstName: "", newEmail: "" },
      { kind: "email_changed", firstName: "", newEmail: "" },
      { kind: "farewell", firstName: "" },
      { kind: "webhook_disabled", firstName: "", url: "", reason: "failing" },
    ];
    for (const stored of old) {
      const { subject, text, html } = renderEmail(setup.job(), emailContent.parse(stored));
      expect(`${subject}${text}${html}`).not.toMatch(/alert|quotes|Bcc|undefined| {2}account/);
      expect(text).toMatch(/^Hello,\n/);
    }
  });

  test("a name and a new address are shown once the user has confirmed the old one", async () => {
    const person = await setup.person();
    const content = { kind: "email_change_asked" as const, firstName: "Buy now", newEmail: "cheap@spam.example" };
    const send = async () => {
      await deliverEmail(setup.job(), { emailId: await postTo(person, content) });
      return (await setup.emailsTo(person.email))[0]?.text;
    };
    expect(await send()).not.toMatch(/Buy now|cheap/);
    await setup.job().db.update(users).set({ emailVerifiedAt: new Date() }).where(eq(users.id, person.userId));
    expect(await send()).toMatch(/^Hi Buy now,[\s\S]* to cheap@spam\.example\./);
  });

  test("links depend only on their seed", () => {
    const token = (seed: string) =>
      /\/p\/([\w-]+)/.exec(
        renderEmail(setup.job(), { kind: "reset", firstName: "A", link: { path: "/p/", seed } }).text,
      )?.[1];
    expect(token("one")).toMatch(/^[\w-]{43}$/);
    expect(token("one")).toBe(token("one"));
    expect(token("one")).not.toBe(token("two"));
  });
});

describe("R-CONT-03 messages to support", () => {
  const good = () => ({
    name: "Ada Moss",
    email: newEmailAddress(),
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

  test("R-CONT-03 R-ENT-14 stores the message, emails support with reply-to, and acknowledges it without quoting it", async () => {
    const typed = good();
    expect(await sendMessage(setup.visitor(), contactInput.parse(typed))).toEqual({ message: TEXTS.sent });
    await setup.work();
    const mine = (await setup.emailsTo("support@example.com")).filter(({ replyTo }) => replyTo.includes(typed.email));
    expect(mine).toHaveLength(1);
    expect(mine[0]).toMatchObject({ subject: "Contact form: A question", to: ["support@example.com"] });
    expect(mine[0]?.replyTo).toContain("Ada Moss");
    for (const part of [typed.name, typed.email, typed.message]) expect(mine[0]?.text).toContain(part);
    const receipts = await setup.emailsTo(typed.email);
    expect(receipts).toHaveLength(1);
    // The address may be a stranger's.
    const { subject, text, html } = receipts[0] ?? {};
    expect(`${subject}${text}${html}`).not.toMatch(/Ada|Moss|A question|Line/);
    const [row] = await setup.job().db.select().from(contactMessages).where(eq(contactMessages.email, typed.email));
    expect(row).toMatchObject(typed);
    await setup.harness.later(366 * DAY_MS, () => RETENTION_RULES.messages(setup.job()));
    expect(await setup.job().db.$count(contactMessages, eq(contactMessages.email, typed.email))).toBe(0);
  });

  test("R-CONT-01 R-CONT-04 rejects empty, overlong and hostile values by field, as in the browser", () => {
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
      ["subject", "Hello\nBcc: evil@example.com", "Subject must be a single line"],
      ["subject", "x".repeat(151), "Subject must be at most 150 characters"],
      ["message", "\u0000 \n", "Message is required"],
      ["message", "x".repeat(5_001), "Message must be at most 5000 characters"],
      ["message", { $ne: "" }, "Message is required"],
    ];
    for (const [field, value, text] of wrong) {
      expect([value, errorsOf({ ...good(), [field]: value })]).toEqual([value, { [field]: [text] }]);
    }
  });

  test("removes control characters from the message; markup stays text", () => {
    const message = "a\u0000b\u001b[31m\r\nc\td <b>bold</b> \ud800!";
    expect(contactInput.parse({ ...good(), message }).message).toBe("ab[31m\nc\td <b>bold</b> \ufffd!");
  });

  test("limits acknowledgments to five a day per address; support gets every message", async () => {
    const typed = good();
    for (let i = 0; i < RECEIPTS_MAX + 2; i++) {
      const email = i % 2 === 0 ? typed.email : typed.email.toUpperCase();
      await sendMessage(setup.visitor(), { ...typed, email, subject: `No. ${i}` });
    }
    await setup.work();
    expect(await setup.emailsTo(typed.email)).toHaveLength(RECEIPTS_MAX);
    const atSupport = await setup.emailsTo("support@example.com");
    expect(atSupport.filter(({ subject }) => subject.includes("No. "))).toHaveLength(RECEIPTS_MAX + 2);
    await setup.harness.later(DAY_MS + MINUTE_MS, async () => {
      await sendMessage(setup.visitor(), typed);
      await setup.work();
    });
    expect(await setup.emailsTo(typed.email)).toHaveLength(RECEIPTS_MAX + 1);
  });

  test("limits acknowledgments under concurrency", async () => {
    const typed = good();
    await Promise.all(Array.from({ length: 2 * RECEIPTS_MAX }, () => sendMessage(setup.visitor(), typed)));
    await setup.work();
    expect(await setup.emailsTo(typed.email)).toHaveLength(RECEIPTS_MAX);
  });
});
