import { beforeAll, describe, expect, test, vi } from "vitest";
import { until } from "#tests/support/poll.ts";
import { act as actOn } from "./wire-act.ts";
import { databaseAt } from "./wire-database.ts";
import {
  appForFile,
  bearer,
  errorBody,
  insertCreator,
  logIn,
  newPerson,
  openSession,
  register,
  type Session,
  sessionCookieIn,
} from "./wire-harness.ts";

// Emails are sent by a durable function, which is slow on a busy machine.
vi.setConfig({ testTimeout: 90_000 });

/** Low enough to be reached, high enough for the other requests of this file. */
const app = appForFile({ RATE_LIMIT_FACTOR: "5" });
const database = databaseAt(() => app().databaseUrl);
const MINUTE_MS = 60_000;
const NEW_PASSWORD = "Fresh-Moss-42!";

const from = ({ cookie }: Pick<Session, "cookie">) => ({ cookie, origin: app().baseUrl });
const act = (name: string, argument: unknown, headers: Record<string, string>) => actOn(app(), name, argument, headers);
const isAlive = async ({ token }: Session) =>
  (await app().callApp("/api/users/me/", { headers: bearer(token) })).status === 200;
const loginIdOf = async ({ person }: Session): Promise<string> => {
  const sql = database();
  const rows = await sql`select l.id from logins l join users u on u.id = l.user_id
    where u.email = ${person.email} order by l.created_at desc limit 1`;
  return rows[0]?.id ?? "";
};
const userOf = async ({ person }: Pick<Session, "person">) =>
  (await database()`select * from users where email = ${person.email}`)[0];

const ACTIONS = [
  "confirmByPasswordAction",
  "changePasswordAction",
  "requestEmailChangeAction",
  "cancelEmailChangeAction",
  "endLoginAction",
  "endOtherLoginsAction",
  "deleteUserAction",
];

let owner: Session;
let stranger: Session;

beforeAll(async () => {
  [owner, stranger] = [await openSession(app()), await openSession(app())];
}, 120_000);

describe("the actions of the settings screen", () => {
  test("R-API-30 they require a login and our origin", async () => {
    const before = await userOf(owner);
    const right = { newPassword: NEW_PASSWORD, password: owner.person.password };
    const argument = { ...right, email: `x${owner.person.email}`, loginId: await loginIdOf(owner) };
    for (const name of ACTIONS) {
      const ended = await act(name, argument, { origin: app().baseUrl, cookie: "next-auth.session-token=x" });
      expect([name, ended.result]).toMatchObject([name, { ok: false, code: "unauthenticated" }]);
      const foreign = await act(name, argument, { ...from(owner), origin: "https://evil.example" });
      expect([name, foreign.status >= 400, foreign.result]).toEqual([name, true, undefined]);
    }
    expect([await userOf(owner), await isAlive(owner)]).toEqual([before, true]);
  });

  test("R-API-31 another user's login is not found", async () => {
    for (const loginId of [await loginIdOf(owner), `lgn_${"0".repeat(26)}`]) {
      const { result } = await act("endLoginAction", { loginId }, from(stranger));
      expect(result).toEqual({ ok: false, code: "not_found", text: "We can't find this. It may have been deleted." });
    }
    expect(await isAlive(owner)).toBe(true);
  });

  test("bad input is rejected by field without a 500", async () => {
    const before = await userOf(owner);
    const hostile = [null, 7, [], {}, "x", { password: { $ne: "" } }, { loginId: "\u0000" }, { email: "\ud800" }];
    const long = "x".repeat(9_000);
    const more = { newPassword: long, password: long, email: long, loginId: long };
    const withoutInput = ["cancelEmailChangeAction", "endOtherLoginsAction", "deleteUserAction"];
    for (const name of ACTIONS.filter((item) => !withoutInput.includes(item))) {
      for (const argument of [...hostile, more]) {
        const { status, result } = await act(name, argument, from(owner));
        expect([name, argument, status]).toEqual([name, argument, 200]);
        expect(result).toMatchObject({ ok: false, code: expect.stringMatching(/^(invalid|not_found)$/) });
      }
    }
    for (const token of [7, "", "short", "t".repeat(43), "\u0000".repeat(40), "t".repeat(500)]) {
      const { result } = await act("confirmEmailChangeAction", { token }, from(owner));
      expect([result.ok, result.code ?? result.value]).toEqual(
        result.ok ? [true, { kind: "invalid_link" }] : [false, "invalid"],
      );
    }
    expect(await userOf(owner)).toEqual(before);
  });

  test("sensitive ones ask for a confirmation ten minutes after signing in; a wrong password is no confirmation", async () => {
    const session = await openSession(app());
    const late = from(session);
    await database()`update logins set confirmed_at = now() - interval '11 minutes' where id = ${await loginIdOf(session)}`;
    const email = `x${session.person.email}`;
    const sensitive = { changePasswordAction: { newPassword: NEW_PASSWORD }, deleteUserAction: {} };
    for (const [name, argument] of Object.entries({ ...sensitive, requestEmailChangeAction: { email } })) {
      const { result } = await act(name, argument, late);
      const text = "Please confirm that it's you to continue.";
      expect([name, result]).toEqual([name, { ok: false, code: "confirm_identity", text }]);
    }
    const wrong = await act("confirmByPasswordAction", { password: "not it" }, late);
    expect(wrong.result).toMatchObject({ ok: false, code: "invalid", fields: { password: [expect.any(String)] } });
    expect((await act("requestEmailChangeAction", { email }, late)).result.code).toBe("confirm_identity");
    const right = await act("confirmByPasswordAction", { password: session.person.password }, late);
    expect(right.result).toMatchObject({ ok: true });
    expect((await act("requestEmailChangeAction", { email }, late)).result).toEqual({ ok: true, value: { email } });
  });

  test("adding and changing a webhook asks for a confirmation, sending and reading don't", async () => {
    const session = await openSession(app());
    const url = "https://hooks.example/a";
    const added = await act("createWebhookAction", { url, events: ["pin.failed"] }, from(session));
    expect(added.result).toMatchObject({ ok: true, value: { url, secret: expect.stringMatching(/^whsec_.{44}$/) } });
    const of = { endpointId: added.result.value.id };
    await database()`update logins set confirmed_at = now() - interval '11 minutes' where id = ${await loginIdOf(session)}`;
    const sensitive: Record<string, object> = {
      createWebhookAction: { url, events: ["pin.failed"] },
      updateWebhookAction: { ...of, url: "https://other.example/" },
      rotateWebhookSecretAction: of,
      deleteWebhookAction: of,
    };
    for (const [name, argument] of Object.entries(sensitive)) {
      expect([name, (await act(name, argument, from(session))).result.code]).toEqual([name, "confirm_identity"]);
    }
    for (const [name, argument] of Object.entries({ sendTestEventAction: of, listDeliveriesAction: of })) {
      expect([name, (await act(name, argument, from(session))).result.ok]).toEqual([name, true]);
    }
    const { text } = await act("listWebhooksAction", null, from(session));
    expect(text).toContain(url);
    expect(text).not.toContain("whsec_");
  });

  test("changing the password ends all other logins and this one's tokens, and gives the browser new ones", async () => {
    const person = newPerson();
    await register(app(), person);
    const [here, there] = [await logIn(app(), person), await logIn(app(), person)];
    const { result, headers } = await act("changePasswordAction", { newPassword: NEW_PASSWORD }, from(here));
    expect(result).toEqual({ ok: true, value: { endedLogins: 1, accessToken: expect.any(String) } });
    expect([await isAlive(here), await isAlive(there)]).toEqual([false, false]);
    for (const { cookie } of [here, there]) {
      expect((await app().callApp("/api/users/me/", { headers: { cookie } })).status).toBe(401);
      const session = await app().callApp("/api/auth/session", { headers: { cookie } });
      expect(Object(session.json).user).toBeUndefined();
    }
    const renewed = { ...here, token: result.value.accessToken, cookie: sessionCookieIn(headers) };
    expect(await isAlive(renewed)).toBe(true);
    const byCookie = await app().callApp("/api/users/me/", { headers: { cookie: renewed.cookie } });
    expect(byCookie.status).toBe(200);
    expect(headers.getSetCookie().join()).toContain("known_browser=");
    // A tab that still has the old token: its cookie is the new one already, or is on its way.
    const old = (cookie: string) => app().callApp("/api/users/me/", { headers: { cookie, ...bearer(here.token) } });
    const covered = await old(renewed.cookie);
    expect([covered.status, covered.headers.get("x-renew-token")]).toEqual([200, "1"]);
    const early = await old(here.cookie);
    expect([early.status, early.json]).toEqual([401, errorBody("token_outdated")]);
  });

  test("R-SRV-09 limits password checks to ten per 15 minutes, times the factor", async () => {
    const guesser = await openSession(app());
    const factor = Number(app().env.RATE_LIMIT_FACTOR ?? 1);
    const guess = () => act("confirmByPasswordAction", { password: "" }, from(guesser));
    for (let i = 0; i < 10 * factor; i++) expect((await guess()).result.code).toBe("invalid");
    expect((await guess()).result.code).toBe("too_many");
    // Other users are not affected.
    expect((await act("confirmByPasswordAction", { password: "" }, from(stranger))).result.code).toBe("invalid");
  });
});

describe("deleting the account", () => {
  test("takes effect immediately, a durable function erases the rest, and the ledger is anonymous", async () => {
    const { user, accountId, groupId, keywords } = await insertCreator(app());
    const session = await logIn(app(), { ...newPerson(), email: user.email, password: "correct horse 1" });
    const sql = database();
    const [row] = await sql`select id from users where email = ${user.email}`;
    const { json } = await user.call(`/api/users/pinterest/generated-pins/${accountId}/`);
    const image: string = Object(json).posts[0].image_url;
    expect((await app().callApp(image)).status).toBe(200);
    expect((await act("deleteUserAction", {}, from(session))).result?.ok).toBe(true);
    expect([await isAlive(session), (await user.call("/api/users/credits/")).status]).toEqual([false, 401]);
    await app().moveClock(20 * MINUTE_MS);
    await until(
      async () => (await sql`select 1 from erasures where user_id = ${row?.id} and finished_at is not null`).length,
      { what: "the erasure", deadlineMs: 90_000 },
    );
    const left = [
      await sql`select 1 from pins where account_id = ${accountId}`,
      await sql`select 1 from pinterest_accounts where id = ${accountId}`,
      await sql`select 1 from generation_tasks where group_id = ${groupId} or keyword = ${keywords[0] ?? ""}`,
      await sql`select 1 from logins where user_id = ${row?.id}`,
      await sql`select 1 from users where email = ${user.email}`,
    ];
    expect(left.map((rows) => rows.length)).toEqual([0, 0, 0, 0, 0]);
    expect((await sql`select 1 from credit_transfers where user_id = ${row?.id}`).length).toBeGreaterThan(0);
    expect((await app().callApp(image)).status).toBe(404);
    const inbox = `${app().inboxUrl}/api/messages?to=${encodeURIComponent(user.email)}`;
    await until(async () => JSON.stringify(await (await fetch(inbox)).json()).includes("account was deleted"), {
      what: "the last email",
      deadlineMs: 60_000,
    });
  }, 240_000);
});
