import { describe, expect, test } from "vitest";
import type { AppResponse } from "#tests/support/app-client.ts";
import { until } from "#tests/support/poll.ts";
import { appForFile, errorBody, newPerson, openSession, type Person, register } from "./wire-harness.ts";

const REGISTER = "/api/users/register/";
const LOGIN = "/api/users/login/";
const MINUTE_MS = 60_000;

const expectTooMany = (answer: AppResponse, windowSeconds: number) => {
  expect([answer.status, answer.json]).toEqual([429, errorBody("too_many")]);
  const seconds = Number(answer.headers.get("retry-after"));
  expect(Number.isInteger(seconds) && seconds > 0 && seconds <= windowSeconds).toBe(true);
};

const from = (address: string) => ({ "x-forwarded-for": address });
let hosts = 0;
/** An unused address. */
const newIpAddress = (): string => {
  hosts += 1;
  return `203.0.113.${hosts}`;
};

describe("R-SRV-09 behind one proxy, at the published limits", () => {
  const app = appForFile({ RATE_LIMIT_FACTOR: "1", TRUSTED_PROXIES: "1" });

  const tryRegister = (address: string) =>
    app().callApp(REGISTER, { method: "POST", body: {}, headers: from(address) });
  const tryLogin = ({ email }: Person, password: string, address: string) =>
    app().callApp(LOGIN, { method: "POST", body: { email, password }, headers: from(address) });
  const person = async (): Promise<Person> => {
    const { callApp } = app();
    const made = newPerson();
    const headers = from(newIpAddress());
    await register({ callApp: (path, options) => callApp(path, { ...options, headers }) }, made);
    return made;
  };

  test("R-SRV-09 allows ten registrations an hour from one address without affecting others", async () => {
    const address = newIpAddress();
    for (let i = 0; i < 10; i++) expect((await tryRegister(address)).status).toBe(400);
    expectTooMany(await tryRegister(address), 3_600);
    expectTooMany(await tryRegister(`198.51.100.77, ${address}`), 3_600);
    expect((await tryRegister(newIpAddress())).status).toBe(400);
  });

  test("R-SRV-09 allows ten attempts per account and address; other addresses and accounts are not affected", async () => {
    const [victim, neighbour, address] = [await person(), await person(), newIpAddress()];
    for (let i = 0; i < 10; i++) expect((await tryLogin(victim, `guess ${i}`, address)).status).toBe(401);
    expectTooMany(await tryLogin(victim, victim.password, address), 900);
    expectTooMany(await tryLogin({ ...victim, email: ` ${victim.email.toUpperCase()}` }, "x", address), 900);
    expect((await tryLogin(victim, victim.password, newIpAddress())).status).toBe(200);
    expect((await tryLogin(neighbour, neighbour.password, address)).status).toBe(200);
  });

  test("R-SRV-09 allows fifty logins per 15 minutes from one address", async () => {
    const someone = await person();
    const address = newIpAddress();
    const empty = () => app().callApp(LOGIN, { method: "POST", body: {}, headers: from(address) });
    for (let i = 0; i < 50; i++) expect((await empty()).status).toBe(400);
    expectTooMany(await tryLogin(someone, someone.password, address), 900);
    await app().moveClock(15 * MINUTE_MS);
    const isIn = async () => (await tryLogin(someone, someone.password, address)).status === 200;
    await until(isIn, { what: "the new window" });
  });

  test("R-SRV-09 sending a token does not raise the limit of registrations or logins", async () => {
    const address = newIpAddress();
    const { callApp } = app();
    const { token } = await openSession({
      callApp: (path, options) => callApp(path, { ...options, headers: from(newIpAddress()) }),
    });
    const headers = { ...from(address), authorization: `Bearer ${token}` };
    for (let i = 0; i < 10; i++) await tryRegister(address);
    expectTooMany(await app().callApp(REGISTER, { method: "POST", body: {}, headers }), 3_600);
  });

  test("R-SRV-09 a flood of logins from many addresses gets 503 with a time, and health checks go on", async () => {
    const someone = await person();
    const flood = Array.from({ length: 240 }, (_, n) =>
      tryLogin({ ...someone, email: `x${n}@example.com` }, "wrong", `198.18.${n}.1`),
    );
    const health = await app().callApp("/api/health/");
    const answers = await Promise.all(flood);
    expect(health.status).toBe(200);
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([401, 503]));
    const busy = answers.find(({ status }) => status === 503);
    expect([busy?.json, busy?.headers.get("retry-after")]).toEqual([errorBody("busy"), "5"]);
    expect((await tryLogin(someone, someone.password, newIpAddress())).status).toBe(200);
  });

  test("R-SRV-09 next-auth's own login shares the limit of the documented one", async () => {
    const [victim, address] = [await person(), newIpAddress()];
    for (let i = 0; i < 10; i++) await tryLogin(victim, `guess ${i}`, address);
    const csrf = await app().callApp("/api/auth/csrf");
    const cookie = csrf.headers
      .getSetCookie()
      .map((item) => item.split(";")[0])
      .join("; ");
    const answer = await app().callApp("/api/auth/callback/credentials", {
      method: "POST",
      headers: { ...from(address), cookie },
      body: { email: victim.email, password: victim.password, csrfToken: Object(csrf.json).csrfToken, json: "true" },
    });
    expectTooMany(answer, 900);
    expect(answer.headers.get("set-cookie")).toBeNull();
  });
});

describe("R-SRV-09 without a proxy", () => {
  const app = appForFile({ RATE_LIMIT_FACTOR: "0.2" });

  test("R-SRV-09 a forged X-Forwarded-For does not reset the limit", async () => {
    const statuses: number[] = [];
    for (let i = 0; i < 4; i++) {
      const headers = from(`198.51.100.${i}`);
      statuses.push((await app().callApp(REGISTER, { method: "POST", body: {}, headers })).status);
    }
    expect(statuses).toEqual([400, 400, 429, 429]);
  });
});
