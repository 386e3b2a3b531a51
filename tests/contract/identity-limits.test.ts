import { describe, expect, test } from "vitest";
import type { Answered } from "#tests/support/app-client.ts";
import { until } from "#tests/support/poll.ts";
import { appForFile, errorBody, newPerson, openSession, type Person, register } from "./wire-house.ts";

const REGISTER = "/api/users/register/";
const LOGIN = "/api/users/login/";
const MINUTE_MS = 60_000;

const expectTooMany = (answer: Answered, windowSeconds: number) => {
  expect([answer.status, answer.json]).toEqual([429, errorBody("too_many")]);
  const seconds = Number(answer.headers.get("retry-after"));
  expect(Number.isInteger(seconds) && seconds > 0 && seconds <= windowSeconds).toBe(true);
};

const from = (address: string) => ({ "x-forwarded-for": address });
let hosts = 0;
/** An address that nobody called from yet. */
const newAddress = (): string => {
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
    const headers = from(newAddress());
    await register({ callApp: (path, options) => callApp(path, { ...options, headers }) }, made);
    return made;
  };

  test("R-SRV-09 ten registrations an hour from one address; others are not stopped", async () => {
    const address = newAddress();
    for (let i = 0; i < 10; i++) expect((await tryRegister(address)).status).toBe(400);
    expectTooMany(await tryRegister(address), 3_600);
    expectTooMany(await tryRegister(`198.51.100.77, ${address}`), 3_600);
    expect((await tryRegister(newAddress())).status).toBe(400);
  });

  test("R-SRV-09 ten tries at one account; the owner elsewhere gets in, and other accounts do", async () => {
    const [victim, neighbour, address] = [await person(), await person(), newAddress()];
    for (let i = 0; i < 10; i++) expect((await tryLogin(victim, `guess ${i}`, address)).status).toBe(401);
    expectTooMany(await tryLogin(victim, victim.password, address), 900);
    expectTooMany(await tryLogin({ ...victim, email: ` ${victim.email.toUpperCase()}` }, "x", address), 900);
    expect((await tryLogin(victim, victim.password, newAddress())).status).toBe(200);
    expect((await tryLogin(neighbour, neighbour.password, address)).status).toBe(200);
  });

  test("R-SRV-09 fifty logins a quarter of an hour from one address, and then again after it", async () => {
    const someone = await person();
    const address = newAddress();
    const empty = () => app().callApp(LOGIN, { method: "POST", body: {}, headers: from(address) });
    for (let i = 0; i < 50; i++) expect((await empty()).status).toBe(400);
    expectTooMany(await tryLogin(someone, someone.password, address), 900);
    await app().moveClock(15 * MINUTE_MS);
    const isIn = async () => (await tryLogin(someone, someone.password, address)).status === 200;
    await until(isIn, { what: "the new window" });
  });

  test("R-SRV-09 a token at hand gives no further registrations or logins", async () => {
    const address = newAddress();
    const { callApp } = app();
    const { token } = await openSession({
      callApp: (path, options) => callApp(path, { ...options, headers: from(newAddress()) }),
    });
    const headers = { ...from(address), authorization: `Bearer ${token}` };
    for (let i = 0; i < 10; i++) await tryRegister(address);
    expectTooMany(await app().callApp(REGISTER, { method: "POST", body: {}, headers }), 3_600);
  });

  test("R-SRV-09 next-auth's own login counts with the documented one, and answers 429 too", async () => {
    const [victim, address] = [await person(), newAddress()];
    for (let i = 0; i < 10; i++) await tryLogin(victim, `guess ${i}`, address);
    const csrf = await app().callApp("/api/auth/csrf");
    const cookie = csrf.headers
      .getSetCookie()
      .map((one) => one.split(";")[0])
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

  test("R-SRV-09 X-Forwarded-For is a caller's invention: it gives no fresh count", async () => {
    const statuses: number[] = [];
    for (let i = 0; i < 4; i++) {
      const headers = from(`198.51.100.${i}`);
      statuses.push((await app().callApp(REGISTER, { method: "POST", body: {}, headers })).status);
    }
    expect(statuses).toEqual([400, 400, 429, 429]);
  });
});
