import { beforeAll, describe, expect, inject, test } from "vitest";
import { recentSpan } from "#lib/features/analytics/policy.ts";
import { clientOf } from "#tests/support/app-client.ts";
import { databaseAt } from "./wire-database.ts";
import { type Creator, errorBody, insertCreator } from "./wire-harness.ts";

const database = databaseAt(() => inject("app").databaseUrl);

interface Attempt {
  id: string;
  method?: "DELETE" | "POST" | "PUT";
  /** Requests of user B with another user's ids or with unknown ids. */
  send: (ids: Ids) => { path: string; body?: unknown };
}

interface Ids {
  accountId: string;
  groupId: string;
  pinIds: string[];
  videoId: string;
}

const UNKNOWN_IDS: Ids = {
  accountId: `acc_${"0".repeat(26)}`,
  groupId: `grp_${"0".repeat(26)}`,
  pinIds: [`pin_${"0".repeat(26)}`],
  videoId: `vid_${"0".repeat(26)}`,
};

let owner: Creator & { videoId: string };
let stranger: Creator;

beforeAll(async () => {
  const client = clientOf(inject("app"));
  const creator = await insertCreator(client);
  owner = { ...creator, videoId: await saveVideo(creator) };
  stranger = await insertCreator(client);
}, 120_000);

/** Saves a video for a user; returns its id. */
const saveVideo = async ({ user, keywords }: Creator): Promise<string> => {
  const path = "/api/users/save_tiktok_videos/";
  const videos = [{ video_url: "https://www.tiktok.com/@moss/video/7300000000000000003", title: keywords[0] }];
  await user.call(path, { method: "POST", body: { videos } });
  return Object((await user.call(path)).json).results[0].id;
};

const at = (rest: string) => `/api/users/pinterest/${rest}`;
const batch = (post_ids: string[]) => ({ path: at("batch-publish-pins/"), body: { post_ids, interval_minutes: 5 } });

const lastWeek = (): string => {
  const { firstDay, lastDay } = recentSpan(new Date(), 7);
  return `start_date=${firstDay}&end_date=${lastDay}`;
};

/** Every call that takes an id, with each parameter that may contain one. */
const ATTEMPTS: Attempt[] = [
  { id: "R-API-06", method: "PUT", send: ({ accountId }) => ({ path: at("accounts/"), body: { accountId } }) },
  { id: "R-API-07", send: ({ accountId }) => ({ path: at(`auth/?account_id=${accountId}`) }) },
  { id: "R-API-08", send: ({ accountId }) => ({ path: at(`boards/${accountId}/`) }) },
  ...["", "top-pins/", "report/"].map((place) => ({
    id: `A-83 results ${place}`,
    send: ({ accountId }: Ids) => ({ path: at(`results/${accountId}/${place}?${lastWeek()}`) }),
  })),
  {
    id: "R-API-10",
    method: "POST",
    send: ({ accountId }) => ({
      path: at("generate-pins/"),
      body: { pinterest_account: accountId, board_id: "1", quality: "standard", keyword_data: [{ keyword: "a" }] },
    }),
  },
  { id: "R-API-11", send: ({ groupId }) => ({ path: at(`track-pin-generation/?group_id=${groupId}`) }) },
  ...["all", "published", "scheduled", "draft", "failed"].map((status) => ({
    id: `R-API-12 ${status}`,
    send: ({ accountId }: Ids) => ({ path: at(`generated-pins/${accountId}/?status=${status}`) }),
  })),
  { id: "R-API-12 paged", send: ({ accountId }) => ({ path: at(`generated-pins/${accountId}/?limit=1`) }) },
  { id: "R-API-13", method: "POST", send: ({ pinIds }) => batch(pinIds) },
  {
    id: "R-API-13 first their own",
    method: "POST",
    send: ({ pinIds }) => batch([...stranger.pinIds, ...pinIds.slice(0, 1)]),
  },
  {
    id: "R-API-13 last their own",
    method: "POST",
    send: ({ pinIds }) => batch([...pinIds.slice(0, 1), ...stranger.pinIds]),
  },
  { id: "R-API-25", method: "DELETE", send: ({ videoId }) => ({ path: `/api/users/tiktok_videos/${videoId}/` }) },
];

/** Everything that the two users own, from the database. */
const everything = async (): Promise<string> => {
  const sql = database();
  const accounts = [owner.accountId, stranger.accountId];
  return JSON.stringify([
    await sql`select * from pinterest_accounts where id in ${sql(accounts)} order by id`,
    await sql`select * from pins where account_id in ${sql(accounts)} order by id`,
    await sql`select * from saved_videos where user_id = any
      (select user_id from pinterest_accounts where id in ${sql(accounts)}) order by id`,
    await sql`select * from generation_groups where account_id in ${sql(accounts)} order by id`,
    await sql`select count(*) from generation_tasks where group_id in ${sql([owner.groupId, stranger.groupId])}`,
    await sql`select count(*) from oauth_states where account_id in ${sql(accounts)}`,
  ]);
};

describe("R-API-31 R-ROLE-04 another user's ids", () => {
  test.each(ATTEMPTS.map((attempt) => [attempt.id, attempt] as const))(
    "R-API-31 %s is 404 as if it were not there, changes nothing, and tells nothing",
    async (_, { method = "GET", send }) => {
      const before = await everything();
      const credits = async () => (await stranger.user.call("/api/users/credits/")).text;
      const balance = await credits();
      const texts: string[] = [];
      for (const ids of [owner, UNKNOWN_IDS]) {
        const { path, body } = send(ids);
        const answer = await stranger.user.call(path, { method, ...(body !== undefined && { body }) });
        expect([path, answer.status, answer.json]).toEqual([
          path,
          404,
          errorBody("not_found", "We can't find this. It may have been deleted."),
        ]);
        expect(answer.headers.get("set-cookie")).toBeNull();
        texts.push(answer.text.replace(/req_\w+/, ""));
        const theirs = [owner.username, owner.user.email, owner.accountId, owner.groupId, ...owner.keywords];
        for (const secret of [...theirs, ...owner.pinIds]) expect(answer.text).not.toContain(secret);
      }
      expect(texts[0]).toBe(texts[1]);
      expect([await everything(), await credits()]).toEqual([before, balance]);
    },
  );

  test("R-ROLE-04 lists contain only the user's own items", async () => {
    const videos = await stranger.user.call("/api/users/save_tiktok_videos/?counts=true&hashtags=true");
    expect(videos.json).toEqual({ results: [], counts: { total: 0, found: 0, views: 0 }, hashtags: [] });
    for (const path of [at("accounts/"), at(`generated-pins/${stranger.accountId}/`)]) {
      const answer = await stranger.user.call(path);
      expect(answer.text).toContain(stranger.accountId);
      for (const secret of [owner.accountId, owner.username, ...owner.pinIds, ...owner.keywords]) {
        expect(answer.text).not.toContain(secret);
      }
    }
  });

  test("R-API-12 a cursor of another user's list reveals nothing", async () => {
    const first = await owner.user.call(at(`generated-pins/${owner.accountId}/?limit=1`));
    const cursor = /[?&]cursor=([^&>]+)/.exec(first.headers.get("link") ?? "")?.[1];
    expect(cursor).toBeDefined();
    const { status, text } = await stranger.user.call(at(`generated-pins/${stranger.accountId}/?cursor=${cursor}`));
    expect(status).toBe(200);
    for (const secret of [owner.accountId, ...owner.pinIds, ...owner.keywords]) expect(text).not.toContain(secret);
  });
});
