import { randomBytes } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, inject, test, vi } from "vitest";
import { inRepository } from "#scripts/root.ts";
import { testDistDir } from "#tests/support/app.ts";
import { callApp, connectOverHttp } from "#tests/support/contract-client.ts";
import { until } from "#tests/support/poll.ts";
import { bearer, browserHeaders, newPerson, openSession, register } from "./wire-harness.ts";

// Emails are sent by a durable function, which is slow on a busy machine.
vi.setConfig({ testTimeout: 90_000 });

const dataDir = () => dirname((inject("app").env.STORAGE_URL ?? "").replace(/^file:/, ""));
const logOf = () => readFileSync(join(dataDir(), "logs", "app.log"), "utf8");

const filesBelow = (folder: string): string[] =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));

const SECRET_SETTINGS = [
  "AUTH_SECRET",
  "ENCRYPTION_KEY",
  "PINTEREST_APP_SECRET",
  "OPENAI_API_KEY",
  "PADDLE_API_KEY",
  "PADDLE_WEBHOOK_SECRET",
  "INNGEST_SIGNING_KEY",
  "INNGEST_EVENT_KEY",
  "DATABASE_URL",
  "METRICS_TOKEN",
];

describe("secrets", () => {
  test("the log contains no passwords, tokens, cookies and email addresses", async () => {
    const canary = `canary${randomBytes(8).toString("hex")}`;
    const person = { ...newPerson(), email: `${canary}@example.com`, password: `Aa1!${canary}-heather-7` };
    await register({ callApp }, person);
    const login = { method: "POST", body: { email: person.email, password: person.password } };
    const { accessToken } = Object((await callApp("/api/users/login/", login)).json);
    const { token, cookie } = await openSession({ callApp });
    const user = { email: "", token, call: (path: string) => callApp(path, { headers: bearer(token) }) };
    await connectOverHttp(user);
    await callApp("/api/users/me/", { headers: bearer(accessToken) });
    await callApp("/api/users/me/", { headers: bearer(`${canary}.token`) });
    await callApp("/api/users/me/", { headers: { cookie: `next-auth.session-token=${canary}.cookie` } });
    await callApp("/api/auth/session", { headers: { cookie: `next-auth.session-token=${canary}.cookie` } });
    await callApp("/api/users/login/", { method: "POST", body: { email: person.email, password: `${canary}-wrong` } });
    await callApp("/api/users/login/", { method: "POST", body: `{"password":"${canary}-broken` });
    await callApp("/api/users/password-reset/", { method: "POST", body: { email: person.email } });
    const confirm = { token: `${canary}-link-of-a-mail`, new_password: `${canary}-Aa1!` };
    await callApp("/api/users/password-reset-confirm/", { method: "POST", body: confirm });
    const content = { name: canary, email: person.email, subject: canary, message: canary };
    await callApp("/api/users/contact/", { method: "POST", body: content });
    await callApp("/api/users/export/", { headers: bearer(accessToken) });
    await callApp(`/api/users/pinterest/callback/?code=${canary}-code&state=${canary}-state`);
    await callApp(`/api/users/me/?token=${canary}-query`, { headers: { referer: `https://x.example/${canary}` } });
    const headers = browserHeaders(cookie, inject("app").baseUrl);
    await callApp("/api/users/verify-email/resend/", { method: "POST", body: {}, headers });
    // Wait until the durable functions have written their logs too.
    await until(() => logOf().includes('"email_kind":"contact_copy"') && logOf().includes('"email_kind":"reset"'), {
      what: "the emails in the log",
      deadlineMs: 60_000,
    });
    const last = Object((await callApp("/api/nope/", { headers: bearer(token) })).json).request_id;
    const log = await until(() => (logOf().includes(last) ? logOf() : undefined), {
      what: "the last event in the log",
    });
    expect(log).toContain('"path":"/api/users/login/"');
    const cookieToken = cookie.split("=")[1] ?? "";
    expect([token.length, cookieToken.length].every((length) => length > 100)).toBe(true);
    for (const secret of [canary, token, cookieToken, accessToken, headers["x-csrftoken"]]) {
      expect(log).not.toContain(secret);
    }
    expect(log).not.toMatch(/pina_|pinr_|\$argon2id/);
  });

  test("no secret setting appears in the log or in a response", async () => {
    const values = SECRET_SETTINGS.map((name) => inject("app").env[name] ?? "");
    expect(values.every((value) => value.length >= 8)).toBe(true);
    const paths = ["/", "/login", "/api/health/", "/api/users/me/", "/api/auth/providers", "/api/nope"];
    const texts = [logOf(), ...(await Promise.all(paths.map(async (path) => (await callApp(path)).text)))];
    for (const text of texts) for (const value of values) expect(text).not.toContain(value);
  });

  test("browser assets contain no server code, secret names and source maps", () => {
    const files = filesBelow(inRepository(testDistDir, "static"));
    const scripts = files.filter((file) => file.endsWith(".js"));
    expect(scripts.length).toBeGreaterThan(5);
    expect(files.filter((file) => file.endsWith(".map"))).toEqual([]);
    const all = scripts.map((file) => readFileSync(file, "utf8")).join("\n");
    // The first two strings prove that the search works.
    expect(all).toContain("csrftoken");
    expect(all).toContain("accessToken");
    for (const word of [
      ...SECRET_SETTINGS,
      "postgres://",
      "argon2",
      "drizzle",
      "password_hash",
      "passwordHash",
      "Failed query",
      "nodemailer",
      "aes-256-gcm",
      "chat/completions",
    ]) {
      expect([word, all.includes(word)]).toEqual([word, false]);
    }
  });
});
