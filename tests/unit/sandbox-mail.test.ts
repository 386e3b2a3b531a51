import { appendFileSync } from "node:fs";
import { join } from "node:path";
import { createTransport } from "nodemailer";
import { expect, test } from "vitest";
import type { MailMessage } from "#sandbox/mail/inbox.ts";
import { type MailHandle, startMail } from "#sandbox/mail/server.ts";

import { freshFolders } from "#tests/support/fresh-folders.ts";

const freshFolder = freshFolders("sandbox-mail");
const start = (dataDir: string) => startMail({ smtpPort: 0, webPort: 0, host: "127.0.0.1", dataDir });

const LINK = "http://127.0.0.1:3000/verify/?token=a1&next=%2Fapp%2F";
const LETTER = {
  from: "Evertack <hello@evertack.example>",
  subject: "Confirm your address: ça va ✓",
  text: `Open ${LINK}.\nSee you, Evertack`,
  html: `<p>Open <a href="${LINK.replaceAll("&", "&amp;")}">this link</a> or <a href="mailto:x@y.example">write</a>.</p><script>alert(1)</script>`,
};

async function send(mail: MailHandle, letter: object, user?: string): Promise<void> {
  const auth = user === undefined ? {} : { auth: { user, pass: "anything" } };
  const transport = createTransport({ host: "127.0.0.1", port: mail.smtpPort, ...auth });
  await transport.sendMail(letter);
  transport.close();
}

async function messages(mail: MailHandle, query = ""): Promise<MailMessage[]> {
  const answer = await fetch(`${mail.url}/api/messages${query}`);
  const found: MailMessage[] = await answer.json();
  return found;
}

test("A-10 a message is readable as JSON, newest first, by any of its recipients", async () => {
  await using mail = await start(freshFolder());
  await send(mail, { ...LETTER, to: "Ada@Example.com", bcc: "copy@example.com" });
  await send(mail, { ...LETTER, to: "bob@example.com", subject: "Second" });
  const [newest, first] = await messages(mail);
  expect(newest?.subject).toBe("Second");
  expect(first).toMatchObject({
    to: ["ada@example.com", "copy@example.com"],
    from: '"Evertack" <hello@evertack.example>',
    subject: LETTER.subject,
    text: LETTER.text,
    links: [LINK],
  });
  expect(Math.abs(Date.now() - Date.parse(first?.at ?? ""))).toBeLessThan(10_000);
  expect(await messages(mail, "?to=ADA@example.com")).toHaveLength(1);
  expect(await messages(mail, "?to=copy@example.com")).toHaveLength(1);
  expect(await messages(mail, "?to=nobody@example.com")).toEqual([]);
});

test("A-10 any sign-in is accepted, and a text-only message too", async () => {
  await using mail = await start(freshFolder());
  await send(mail, { from: LETTER.from, to: "ada@example.com", subject: "", text: LETTER.text }, "someone");
  const [message] = await messages(mail);
  expect(message).toMatchObject({ subject: "", html: "", links: [LINK] });
  expect(await (await fetch(`${mail.url}/messages/${message?.id}`)).text()).toContain("No subject");
});

test("A-10 the inbox shows a letter without letting it act", async () => {
  await using mail = await start(freshFolder());
  await send(mail, { ...LETTER, to: "ada@example.com", subject: "<b>Hello" });
  const [message] = await messages(mail);
  const list = await (await fetch(`${mail.url}/?to=ada@example.com`)).text();
  expect(list).toContain(`/messages/${message?.id}`);
  expect(list).toContain("&lt;b&gt;Hello");
  const page = await fetch(`${mail.url}/messages/${message?.id}/`);
  const text = await page.text();
  expect(text).toMatch(/<iframe[^>]* sandbox="allow-popups allow-popups-to-escape-sandbox" srcdoc="/);
  expect(text).not.toContain("<script>");
  expect(text).toContain(`<a class="link" href="${LINK.replaceAll("&", "&amp;")}">`);
  expect(page.headers.get("content-security-policy")).toContain("default-src 'none'");
  expect((await fetch(`${mail.url}/messages/unknown`)).status).toBe(404);
});

test("R-SRV-10 mail outlives a restart and a torn last line, and can be emptied", async () => {
  const folder = freshFolder();
  const first = await start(folder);
  await send(first, { ...LETTER, to: "ada@example.com" });
  await first.close();
  appendFileSync(join(folder, "mail.jsonl"), '{"id":"torn');
  await using second = await start(folder);
  await send(second, { ...LETTER, to: "ada@example.com" });
  expect(await messages(second)).toHaveLength(2);
  expect((await fetch(`${second.url}/api/messages`, { method: "DELETE" })).status).toBe(204);
  expect(await messages(second)).toEqual([]);
});

test("R-SRV-10 a taken port is said, and nothing stays open", async () => {
  await using mail = await start(freshFolder());
  const taken = { smtpPort: 0, webPort: mail.port, host: "127.0.0.1", dataDir: freshFolder() };
  await expect(startMail(taken)).rejects.toThrow(/EADDRINUSE/);
  await expect(startMail({ ...taken, smtpPort: mail.smtpPort })).rejects.toThrow(/EADDRINUSE/);
});

/** How the sender learns of it: the code of the answer, or 0 when the connection ended. */
async function codeOf(sending: Promise<void>): Promise<number> {
  return sending.then(
    () => 250,
    (error: unknown) => Number(Object(error).responseCode ?? 0),
  );
}

async function strike(mail: MailHandle, fault: object): Promise<void> {
  const answer = await fetch(`${mail.url}/__control/faults`, { method: "POST", body: JSON.stringify(fault) });
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
])("R-SRV-10 mail fault %s: the sender sees %i, the inbox holds %i", async (scenario, code, kept) => {
  await using mail = await start(freshFolder());
  await strike(mail, { scenario });
  expect(await codeOf(send(mail, { ...LETTER, to: "ada@example.com" }))).toBe(code);
  expect(await messages(mail)).toHaveLength(kept);
  expect(await codeOf(send(mail, { ...LETTER, to: "ada@example.com" }))).toBe(250);
  expect(await messages(mail)).toHaveLength(kept + 1);
});

test("R-SRV-10 a mail fault strikes one address only; the log says what was sent to whom and how it ended", async () => {
  await using mail = await start(freshFolder());
  await strike(mail, { scenario: "recipient-refused", where: { to: "bob@*" }, forever: true });
  expect(await codeOf(send(mail, { ...LETTER, to: "ada@example.com" }))).toBe(250);
  expect(await codeOf(send(mail, { ...LETTER, to: "bob@example.com" }))).toBe(550);
  await strike(mail, { match: "DATA /", delayMs: 30, where: { subject: "Confirm*" } });
  expect(await codeOf(send(mail, { ...LETTER, to: "ada@example.com" }))).toBe(250);
  const { requests } = await (await fetch(`${mail.url}/__control/log?match=DATA /`)).json();
  const [first] = (await messages(mail)).reverse();
  expect(requests).toMatchObject([
    { status: 250, created: first?.id, labels: { to: "ada@example.com", from: "hello@evertack.example" } },
    { status: 250, fault: "slow" },
  ]);
  const state = await (await fetch(`${mail.url}/__control/state`)).json();
  expect(state).toMatchObject({ counts: { messages: 2 }, faults: 1 });
});
