import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Handle } from "#sandbox/kit/serve.ts";
import {
  control,
  createPin,
  decide,
  freshFolder,
  get,
  type Json,
  ownAccount,
  pinBody,
  REDIRECT,
  start,
  token,
} from "./sandbox-pinterest-client.ts";

let shared: Handle;
beforeAll(async () => {
  shared = await start(freshFolder());
});
afterAll(() => shared.close());

const change = (url: string, settings: Json) => control(url, "PATCH", "/settings", settings);

describe("settings", () => {
  test("R-SRV-04 a pin appears in its board's listing after the lag", async () => {
    await using handle = await start(freshFolder());
    await change(handle.url, { listingLagSeconds: 3_600 });
    const { boards, access } = await ownAccount(handle.url);
    await createPin(handle.url, access, pinBody(boards[0]?.id));
    const listed = async () => (await get(handle.url, `/boards/${boards[0]?.id}/pins`, access)).body.items.length;
    expect(await listed()).toBe(0);
    await control(handle.url, "POST", "/clock", { offsetMs: 3_601_000 });
    expect(await listed()).toBe(1);
  });

  test("R-SRV-04 trial access: no pins in production, and writes are counted per day for all users", async () => {
    await using handle = await start(freshFolder());
    await change(handle.url, { access: "trial" });
    const [ada, bob] = [await ownAccount(handle.url), await ownAccount(handle.url)];
    const refused = await createPin(handle.url, ada.access, pinBody(ada.boards[0]?.id));
    expect([refused.status, refused.body.code]).toEqual([403, 29]);
    expect(refused.body.message).toContain("Trial access");
    expect(refused.headers.get("x-ratelimit-limit")).toMatch(/^300, 1000;w=86400;name="[^"]+", 300;w=86400;name="/);
    await change(handle.url, { environment: "sandbox", orgWriteLimit: 3 });
    expect((await createPin(handle.url, ada.access, pinBody(ada.boards[0]?.id))).status).toBe(201);
    expect((await createPin(handle.url, bob.access, pinBody(bob.boards[0]?.id))).status).toBe(201);
    const over = await createPin(handle.url, bob.access, pinBody(bob.boards[0]?.id));
    expect([over.status, over.body.code, over.headers.get("x-ratelimit-remaining")]).toEqual([429, 8, "0"]);
    expect(Number(over.headers.get("x-ratelimit-reset"))).toBeGreaterThan(80_000);
    await control(handle.url, "POST", "/clock", { offsetMs: 86_400_000 });
    expect((await createPin(handle.url, bob.access, pinBody(bob.boards[0]?.id))).status).toBe(201);
  });

  test("R-SRV-04 calls of all kinds have a limit per second and user", async () => {
    await using handle = await start(freshFolder());
    await change(handle.url, { overallLimit: 2 });
    const [ada, bob] = [await ownAccount(handle.url), await ownAccount(handle.url)];
    const answers = await Promise.all(Array.from({ length: 40 }, () => get(handle.url, "/user_account", ada.access)));
    const over = answers.filter(({ status }) => status === 429);
    expect(over.length).toBeGreaterThan(0);
    expect(over[0]?.headers.get("x-ratelimit-limit")).toMatch(/^2, 2;w=1;name="safety_net_app_id_user_id", 1000;w=60/);
    expect((await get(handle.url, "/user_account", bob.access)).status).toBe(200);
  });
});

describe("faults", () => {
  const play = (scenario: string, where: Json = {}) => control(shared.url, "POST", "/faults", { scenario, where });

  test("A-86 denial, another state, no code", async () => {
    const { username } = await ownAccount(shared.url);
    const back = async (scenario: string) => {
      await play(scenario, { account: username });
      return Object.fromEntries((await decide(shared.url, { username })).searchParams);
    };
    expect(await back("consent-denied")).toEqual({ error: "access_denied", state: "s-1" });
    const tampered = await back("tampered-state");
    expect([tampered.state === "s-1", tampered.code?.length]).toEqual([false, 40]);
    expect(await back("missing-code")).toEqual({ state: "s-1" });
  });

  test("R-ACC-07 fewer scopes are granted than requested, and they apply", async () => {
    const { username, boards } = await ownAccount(shared.url, 1);
    const code = (await decide(shared.url, { username })).searchParams.get("code") ?? "";
    await play("fewer-scopes", { account: username });
    const { body } = await token(shared.url, { grant_type: "authorization_code", code, redirect_uri: REDIRECT });
    expect(body.scope).toBe("boards:read pins:read user_accounts:read");
    const refused = await createPin(shared.url, body.access_token, pinBody(boards[0]?.id));
    expect(refused.body.message).toMatch(/Missing: \['boards:write', 'pins:write'\]$/);
  });

  test("R-ACC-02 null counts; R-BRD-07 short pages continue; 200 instead of 201", async () => {
    const { username, boards, access } = await ownAccount(shared.url, 12);
    await play("null-counts", { account: username });
    expect((await get(shared.url, "/user_account", access)).body).toMatchObject({ username, board_count: null });
    await play("short-pages", { account: username });
    const { body } = await get(shared.url, "/boards?page_size=8", access);
    expect([body.items.length, typeof body.bookmark]).toEqual([4, "string"]);
    await play("ok-instead-of-created", { account: username });
    expect((await createPin(shared.url, access, pinBody(boards[0]?.id))).status).toBe(200);
  });

  test("R-SRV-05 an access token expires early; its refresh token still works once", async () => {
    const { username, access, refresh } = await ownAccount(shared.url);
    await control(shared.url, "POST", `/accounts/${username}/expire`);
    expect(await get(shared.url, "/user_account", access)).toMatchObject({ status: 401, body: { code: 2 } });
    const renew = () => token(shared.url, { grant_type: "refresh_token", refresh_token: refresh });
    const statuses = (await Promise.all([renew(), renew()])).map(({ status }) => status);
    expect(statuses.sort()).toEqual([200, 401]);
  });

  test("R-SRV-04 the log contains the id of a pin whose response was lost", async () => {
    const { username, boards, access } = await ownAccount(shared.url);
    await play("reply-lost-after-creating", { account: username });
    await expect(createPin(shared.url, access, pinBody(boards[0]?.id, { title: "Lost" }))).rejects.toThrow();
    const { requests } = (await control(shared.url, "GET", "/log?match=POST /v5/pins")).body;
    const entry = requests.find(({ labels }) => labels?.account === username);
    expect(entry).toMatchObject({
      status: 0,
      cut: true,
      acted: 201,
      fault: "reply-lost-after-creating",
      labels: { board: boards[0]?.id, title: "Lost", link: "https://juniper.example/wreaths" },
    });
    const { pins } = (await control(shared.url, "GET", `/pins?account=${username}`)).body;
    expect(pins.map(({ id }) => id)).toEqual([entry?.created]);
  });
});
