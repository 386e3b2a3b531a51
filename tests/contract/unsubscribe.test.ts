import { beforeAll, describe, expect, inject, test, vi } from "vitest";
import { callApp } from "#tests/support/contract-client.ts";
import { until } from "#tests/support/poll.ts";
import { databaseAt } from "./wire-database.ts";
import { openSession, type Session } from "./wire-harness.ts";

// One durable function queues digests every minute, another sends them.
vi.setConfig({ testTimeout: 200_000, hookTimeout: 200_000 });

const database = databaseAt(() => inject("app").databaseUrl);
const ONE_CLICK = { "content-type": "application/x-www-form-urlencoded" };

interface Caught {
  subject: string;
  links: string[];
  unsubscribe?: { url: string; isOneClick: boolean };
}

let session: Session;
let message: Caught;
let path: string;

const mutedOf = async () =>
  (await database()`select muted_emails from users where email = ${session.person.email}`)[0]?.muted_emails;
const press = (to: string, headers: Record<string, string> = ONE_CLICK) =>
  callApp(to, { method: "POST", body: "List-Unsubscribe=One-Click", headers });

beforeAll(async () => {
  session = await openSession({ callApp });
  const { email } = session.person;
  await database()`insert into digest_entries (user_id, kind, cause, subject, reason, occurred_at)
    select id, 'account_lost', 'acc:1', 'fern', '', now() - interval '1 hour' from users where email = ${email}`;
  message = await until(
    async () => {
      const url = `${inject("app").inboxUrl}/api/messages?to=${encodeURIComponent(email)}`;
      return ((await (await fetch(url)).json()) as Caught[]).find(({ subject }) => subject.includes("Reconnect"));
    },
    { what: "the email about the account", deadlineMs: 150_000 },
  );
  path = new URL(message.unsubscribe?.url ?? "").pathname;
});

describe("R-SRV-04 one-click unsubscribe (RFC 8058)", () => {
  test("R-SRV-04 the email has a one-click URL in its header and a page in its footer", () => {
    expect(message.unsubscribe?.isOneClick).toBe(true);
    expect(path).toMatch(/^\/api\/users\/unsubscribe\/usr_[0-9a-z]{26}\.account_lost\.[\w-]{43}\/$/);
    const page = path.replace("/api/users", "").replace(/\/$/, "");
    expect(message.links.map((link) => new URL(link).pathname)).toContain(page);
  });

  test("R-SRV-04 opening the URL changes nothing and redirects to the confirmation page", async () => {
    const { status, headers } = await callApp(path);
    const page = path.replace("/api/users", "").replace(/\/$/, "");
    expect([status, headers.get("location")]).toEqual([303, page]);
    expect((await callApp(page)).text).toContain("disconnected accounts");
    expect(await mutedOf()).toEqual([]);
  });

  test("R-SRV-04 a tampered URL is rejected; other methods are 405", async () => {
    for (const bent of [path.replace("account_lost", "pins_failed"), path.slice(0, -2), "/api/users/unsubscribe/x/"]) {
      const answer = await press(bent);
      expect([bent, answer.status, answer.json]).toMatchObject([bent, 400, { code: "invalid" }]);
    }
    expect((await callApp(path, { method: "DELETE" })).status).toBe(405);
    expect((await callApp(path.slice(0, -1), { method: "PUT", body: {} })).status).toBe(405);
    expect(await mutedOf()).toEqual([]);
  });

  test("R-SRV-04 works from a mail server without cookie, login or Origin, with any body", async () => {
    const answers = [await press(path), await press(path.slice(0, -1)), await press(path, { "content-type": "x" })];
    for (const { status, json, headers } of answers) {
      expect([status, json]).toEqual([200, { switched_off: ["account_lost"] }]);
      expect(headers.getSetCookie()).toEqual([]);
    }
    expect(await mutedOf()).toEqual(["account_lost"]);
  });
});
