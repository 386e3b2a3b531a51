import fc from "fast-check";
import { beforeAll, describe, expect, test } from "vitest";
import { softPasskey } from "#tests/support/passkey.ts";
import { attack, corrupted, eachFieldCorrupted, expectDocumented, hostile } from "./fuzz-harness.ts";
import { databaseAt } from "./wire-database.ts";
import { appForFile, type Creator, insertCreator, logIn, newPerson, type Person, register } from "./wire-harness.ts";

const app = appForFile({ RATE_LIMIT_FACTOR: "100000" });
const database = databaseAt(() => app().databaseUrl);

let person: Person;
let creator: Creator;

beforeAll(async () => {
  creator = await insertCreator(app(), 2);
  person = newPerson();
  await register(app(), person);
}, 120_000);

const countOf = async (
  table: "users" | "logins" | "generation_groups" | "credit_transfers" | "contact_messages",
): Promise<number> => {
  const sql = database();
  const [row] = await sql`select count(*)::int as n from ${sql(table)}`;
  return row?.n;
};

const attackWith = (good: Record<string, unknown>, send: (body: unknown) => Promise<void>): Promise<void> =>
  attack(corrupted(good), send, eachFieldCorrupted(good));

describe("hostile bodies", { timeout: 120_000 }, () => {
  test("R-API-01 register: 201 or 400, and one user per 201", async () => {
    const [users, logins] = [await countOf("users"), await countOf("logins")];
    let created = 0;
    const good = { ...newPerson(), confirmPassword: "" };
    good.confirmPassword = good.password;
    await attackWith(good, async (body) => {
      const answer = await app().callApp("/api/users/register/", { method: "POST", body });
      expectDocumented(answer, [201, 400], true);
      if (answer.status === 201) created += 1;
    });
    expect([await countOf("users"), await countOf("logins")]).toEqual([users + created, logins]);
  });

  test("R-API-02 login: 400, 401, or 429 after many failures, and no login", async () => {
    const logins = await countOf("logins");
    // Of another person, because failures make the next sign-in wait.
    await attackWith({ email: newPerson().email, password: "not the password" }, async (body) => {
      const answer = await app().callApp("/api/users/login/", { method: "POST", body });
      expectDocumented(answer, [400, 401, 429], true);
      expect(answer.headers.get("set-cookie")).toBeNull();
    });
    expect(await countOf("logins")).toBe(logins);
    expect((await logIn(app(), person)).token).not.toBe("");
  });

  test("the second step and passkeys: 400 or 401, and no login", async () => {
    const logins = await countOf("logins");
    const send = (path: string) => async (body: unknown) => {
      const answer = await app().callApp(path, { method: "POST", body });
      expectDocumented(answer, [400, 401], false);
      expect(answer.headers.get("set-cookie")).toBeNull();
    };
    await attackWith({ challenge: "c".repeat(43), code: "123456" }, send("/api/users/login/verify/"));
    const { json } = await app().callApp("/api/auth/passkey/options/", { method: "POST", body: {} });
    const { token, options } = Object(json);
    const response = softPasskey({ origin: app().baseUrl }).use(options);
    await attackWith({ token, response }, send("/api/auth/passkey/"));
    await attackWith(response.response, (answer) =>
      send("/api/auth/passkey/")({ token, response: { ...response, response: answer } }),
    );
    expect(await countOf("logins")).toBe(logins);
  });

  test("R-API-20 reset, R-API-21 confirm: 200 or 400, and no password changes", async () => {
    const sql = database();
    const hashes = async () => JSON.stringify(await sql`select id, password_hash from users order by id`);
    const before = await hashes();
    await attackWith({ email: person.email }, async (body) => {
      const answer = await app().callApp("/api/users/password-reset/", { method: "POST", body });
      expectDocumented(answer, [200, 400], false);
    });
    await attackWith({ token: "t".repeat(43), new_password: "Fresh-Moss-42!" }, async (body) => {
      const answer = await app().callApp("/api/users/password-reset-confirm/", { method: "POST", body });
      expectDocumented(answer, [400], false);
    });
    expect(await hashes()).toBe(before);
  });

  test("R-API-19 contact: 200 or 400 with its three keys, and one message per 200", async () => {
    const messages = await countOf("contact_messages");
    let sent = 0;
    await attackWith({ name: "Ada", email: person.email, subject: "Hello", message: "Hello." }, async (body) => {
      const { status, json } = await app().callApp("/api/users/contact/", { method: "POST", body });
      expect(Object.keys(Object(json)).toSorted()).toEqual(["errors", "message", "success"]);
      expect([status, Object(json).success]).toEqual(status === 200 ? [200, true] : [400, false]);
      if (status === 200) sent += 1;
    });
    expect(await countOf("contact_messages")).toBe(messages + sent);
  });

  test("R-API-06 remove account: 400 or 404, and the account stays connected", async () => {
    await attackWith({ accountId: `acc_${"1".repeat(26)}` }, async (body) => {
      const answer = await creator.user.call("/api/users/pinterest/accounts/", { method: "PUT", body });
      expectDocumented(answer, [400, 404], false);
    });
    const { json } = await creator.user.call("/api/users/pinterest/accounts/");
    expect(json).toMatchObject([{ id: creator.accountId, status: "connected" }]);
  });

  test("R-API-10 generate: 200, 400 or 404; one group per 200 that names a group, and credits never below zero", async () => {
    const groups = await countOf("generation_groups");
    let started = 0;
    const good = {
      pinterest_account: creator.accountId,
      board_id: creator.boardId,
      quality: "standard",
      keyword_data: [{ keyword: "moss", url: null }],
    };
    await attackWith(good, async (body) => {
      const answer = await creator.user.call("/api/users/pinterest/generate-pins/", { method: "POST", body });
      expectDocumented(answer, [200, 400, 404], false);
      if (Object(answer.json).group_id) started += 1;
    });
    expect(await countOf("generation_groups")).toBe(groups + started);
    const { available_credits } = Object((await creator.user.call("/api/users/credits/")).json);
    expect(available_credits).toBeGreaterThanOrEqual(0);
  });

  test("R-API-13 R-SCH-10 batch: 400 or 404, and nothing is scheduled", async () => {
    const good = { post_ids: [...creator.pinIds, `pin_${"1".repeat(26)}`], interval_minutes: 60, start: null };
    await attackWith(good, async (body) => {
      const ids = Object(body).post_ids;
      if (Array.isArray(ids) && ids.every((id) => creator.pinIds.includes(id))) return;
      const answer = await creator.user.call("/api/users/pinterest/batch-publish-pins/", { method: "POST", body });
      expectDocumented(answer, [400, 404], false);
    });
    const { json } = await creator.user.call(
      `/api/users/pinterest/generated-pins/${creator.accountId}/?status=scheduled`,
    );
    expect(json).toEqual({ posts: [] });
  });

  test("R-API-23 saving videos: 200 or 400, and every saved video can be read", async () => {
    const call = "/api/users/save_tiktok_videos/";
    const good = {
      video_url: "https://www.tiktok.com/@moss/video/7300000000000000004",
      ...{ title: "Moss #moss", description: null, author: "moss", author_url: "https://www.tiktok.com/@moss" },
      ...{
        thumbnail_url: "https://p16.tiktokcdn.com/a.jpeg",
        views_count: "1.2M",
        likes_count: "3",
        date_posted: "3d ago",
      },
      ...{ uploaded_at: "2026-11-19T08:00:00.000Z", duration_seconds: 45, hashtags: ["moss"] },
    };
    await attackWith(good, async (video) => {
      const answer = await creator.user.call(call, { method: "POST", body: { videos: [video] } });
      expectDocumented(answer, [200, 400], false);
    });
    await attackWith({ videos: [good] }, async (body) => {
      expectDocumented(await creator.user.call(call, { method: "POST", body }), [200, 400], false);
    });
    const { status, json } = await creator.user.call(`${call}?counts=true&hashtags=true`);
    expect([status, Object(json).counts.total]).toEqual([200, 1]);
    expect(JSON.stringify(json)).not.toMatch(/\\u0000|\\ud[89ab]|javascript:/i);
  });

  test("arbitrary bodies for every call that takes one", async () => {
    const paths = [
      "pinterest/accounts/",
      "pinterest/generate-pins/",
      "pinterest/batch-publish-pins/",
      "save_tiktok_videos/",
      "login/",
    ];
    await attack(fc.tuple(fc.constantFrom(...paths), hostile), async ([path, body]) => {
      const method = path === "pinterest/accounts/" ? "PUT" : "POST";
      const answer = await creator.user.call(`/api/users/${path}`, { method, body: JSON.stringify(body) });
      expectDocumented(answer, [400, 401, 404], path === "login/");
    });
  });
});
