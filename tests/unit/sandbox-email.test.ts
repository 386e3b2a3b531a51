import { appendFileSync } from "node:fs";
import { join } from "node:path";
import { createTransport } from "nodemailer";
import { expect, test } from "vitest";
import type { EmailMessage } from "#sandbox/email/inbox.ts";
import { type EmailHandle, startEmail } from "#sandbox/email/server.ts";

import { freshFolders } from "#tests/support/fresh-folders.ts";

const freshFolder = freshFolders("sandbox-email");
const start = (dataDir: string) => startEmail({ smtpPort: 0, webPort: 0, host: "127.0.0.1", dataDir });

const LINK = "http://127.0.0.1:3000/verify/?token=a1&next=%2Fapp%2F";
const MESSAGE = {
  from: "Evertack <hello@evertack.example>",
  subject: "Confirm your address: ça va ✓",
  text: `Open ${LINK}.\nSee you, Evertack`,
  html: `<p>Open <a href="${LINK.replaceAll("&", "&amp;")}">this link</a> or <a href="mailto:x@y.example">write</a>.</p><script>alert(1)</script>`,
};

async function send(email: EmailHandle, message: object, user?: string): Promise<void> {
  const auth = user === undefined ? {} : { auth: { user, pass: "anything" } };
  const transport = createTransport({ host: "127.0.0.1", port: email.smtpPort, ...auth });
  await transport.sendMail(message);
  transport.close();
}

async function messages(email: EmailHandle, query = ""): Promise<EmailMessage[]> {
  const answer = await fetch(`${email.url}/api/messages${query}`);
  const found: EmailMessage[] = await answer.json();
  return found;
}

test("A-10 a message is readable as JSON, newest first, by any of its recipients", async () => {
  await using email = await start(freshFolder());
  await send(email, { ...MESSAGE, to: "Ada@Example.com", bcc: "copy@example.com" });
  await send(email, { ...MESSAGE, to: "bob@example.com", subject: "Second" });
  const [newest, first] = await messages(email);
  expect(newest?.subject).toBe("Second");
  expect(first).toMatchObject({
    to: ["ada@example.com", "copy@example.com"],
    from: '"Evertack" <hello@evertack.example>',
    subject: MESSAGE.subject,
    text: MESSAGE.text,
    links: [LINK],
  });
  expect(Math.abs(Date.now() - Date.parse(first?.at ?? ""))).toBeLessThan(10_000);
  expect(await messages(email, "?to=ADA@example.com")).toHaveLength(1);
  expect(await messages(email, "?to=copy@example.com")).toHaveLength(1);
  expect(await messages(email, "?to=nobody@example.com")).toEqual([]);
});

test("A-10 any sign-in is accepted, and so is a text-only message", async () => {
  await using email = await start(freshFolder());
  await send(email, { from: MESSAGE.from, to: "ada@example.com", subject: "", text: MESSAGE.text }, "someone");
  const [message] = await messages(email);
  expect(message).toMatchObject({ subject: "", html: "", links: [LINK] });
  expect(await (await fetch(`${email.url}/messages/${message?.id}`)).text()).toContain("No subject");
});

test("A-10 the inbox shows an email without running its scripts", async () => {
  await using email = await start(freshFolder());
  await send(email, { ...MESSAGE, to: "ada@example.com", subject: "<b>Hello" });
  const [message] = await messages(email);
  const list = await (await fetch(`${email.url}/?to=ada@example.com`)).text();
  expect(list).toContain(`/messages/${message?.id}`);
  expect(list).toContain("&lt;b&gt;Hello");
  const page = await fetch(`${email.url}/messages/${message?.id}/`);
  const text = await page.text();
  expect(text).toMatch(/<iframe[^>]* sandbox="allow-popups allow-popups-to-escape-sandbox" srcdoc="/);
  expect(text).not.toContain("<script>");
  expect(text).toContain(`<a class="link" href="${LINK.replaceAll("&", "&amp;")}">`);
  expect(page.headers.get("content-security-policy")).toContain("default-src 'none'");
  expect((await fetch(`${email.url}/messages/unknown`)).status).toBe(404);
});

test("R-SRV-10 emails survive a restart and an incomplete last line, and can be deleted", async () => {
  const folder = freshFolder();
  const first = await start(folder);
  await send(first, { ...MESSAGE, to: "ada@example.com" });
  await first.close();
  appendFileSync(join(folder, "mail.jsonl"), '{"id":"torn');
  await using second = await start(folder);
  await send(second, { ...MESSAGE, to: "ada@example.com" });
  expect(await messages(second)).toHaveLength(2);
  expect((await fetch(`${second.url}/__control/reset`, { method: "POST" })).status).toBe(204);
  expect(await messages(second)).toEqual([]);
});

test("R-SRV-10 a port in use is an error, and nothing stays open", async () => {
  await using email = await start(freshFolder());
  const conflicting = { smtpPort: 0, webPort: email.port, host: "127.0.0.1", dataDir: freshFolder() };
  await expect(startEmail(conflicting)).rejects.toThrow(/EADDRINUSE/);
  await expect(startEmail({ ...conflicting, smtpPort: email.smtpPort })).rejects.toThrow(/EADDRINUSE/);
});

/** The sender's result: the response code, or 0 if the connection was closed. */
async function codeOf(sending: Promise<void>): Promise<number> {
  return sending.then(
    () => 250,
    (error: unknown) => Number(Object(error).responseCode ?? 0),
  );
}

async function addFault(email: EmailHandle, fault: object): Promise<void> {
  const answer = await fetch(`${email.url}/__control/faults`, { method: "POST", body: JSON.stringify(fault) });
  expect(answer.status).toBe(201);
}

test.each<[string, number, number]>([
  ["recipient-refused", 550, 0],
  ["recipient-later", 451, 0],
  ["message-refused", 554, 0],
  ["message-later", 451, 0],
  ["no-service", 421, 0],
  ["cut-before", 0, 0],
  ["cut-after-accepted", 0, 1],
])("R-SRV-10 email fault %s: the sender gets %i, the inbox has %i", async (scenario, code, stored) => {
  await using email = await start(freshFolder());
  await addFault(email, { scenario });
  expect(await codeOf(send(email, { ...MESSAGE, to: "ada@example.com" }))).toBe(code);
  expect(await messages(email)).toHaveLength(stored);
  expect(await codeOf(send(email, { ...MESSAGE, to: "ada@example.com" }))).toBe(250);
  expect(await messages(email)).toHaveLength(stored + 1);
});

test("R-SRV-10 an email fault affects one address only; the log contains recipient, sender and result", async () => {
  await using email = await start(freshFolder());
  await addFault(email, { scenario: "recipient-refused", where: { to: "bob@*" }, forever: true });
  expect(await codeOf(send(email, { ...MESSAGE, to: "ada@example.com" }))).toBe(250);
  expect(await codeOf(send(email, { ...MESSAGE, to: "bob@example.com" }))).toBe(550);
  await addFault(email, { match: "DATA /", delayMs: 30, where: { subject: "Confirm*" } });
  expect(await codeOf(send(email, { ...MESSAGE, to: "ada@example.com" }))).toBe(250);
  const { requests } = await (await fetch(`${email.url}/__control/log?match=DATA /`)).json();
  const [first] = (await messages(email)).reverse();
  expect(requests).toMatchObject([
    { status: 250, created: first?.id, labels: { to: "ada@example.com", from: "hello@evertack.example" } },
    { status: 250, fault: "slow" },
  ]);
  const state = await (await fetch(`${email.url}/__control/state`)).json();
  expect(state).toMatchObject({ counts: { messages: 2 }, faults: 1 });
});
