import { expect, test } from "vitest";
import { connect, freshFolder, ownAccount, SCOPES, send, spec, start } from "./sandbox-pinterest-client.ts";

const TRENDS = "/trends/keywords/{region}/top/{trend_type}";
const PATH = "/trends/keywords/GB%2BIE/top/seasonal";

test("R-SRV-10 trends follow the official description, with and without a forecast, and are always the same", async () => {
  await using pinterest = await start(freshFolder());
  const { access } = await ownAccount(pinterest.url, 1);
  const read = (query: string) => send(pinterest.url, "GET", `${PATH}?limit=5${query}`, access);
  const [plain, forecast, again] = [await read(""), await read("&include_prediction=true"), await read("")];
  expect([plain.status, forecast.status]).toEqual([200, 200]);
  for (const { body } of [plain, forecast]) expect(spec.checkReply("GET", TRENDS, 200, body)).toEqual({ ok: true });
  expect(again.body).toEqual(plain.body);
  const [first] = Object(forecast.body).trends;
  expect(Object.keys(first.time_series)).toHaveLength(52);
  expect(Object.keys(first.predicted_time_series)).toHaveLength(13);
  expect(plain.headers.get("x-ratelimit-limit")).toMatch(/^60, .*name="trends_read_app_id_user_id"/);
});

test("R-SRV-10 trends are filtered by interests and included keywords, as repeated parameters or with commas", async () => {
  await using pinterest = await start(freshFolder());
  const { access } = await ownAccount(pinterest.url, 1);
  const keywords = async (query: string): Promise<string[]> => {
    const { body } = await send(pinterest.url, "GET", `${PATH}?${query}`, access);
    return Object(body)
      .trends.map(({ keyword }: { keyword: string }) => keyword)
      .toSorted();
  };
  expect(await keywords("include_keywords=balcony&include_keywords=pumpkin")).toEqual([
    "pumpkin soup recipe",
    "small balcony ideas",
  ]);
  expect(await keywords("interests=beauty,travel")).toEqual(["weekend in lisbon", "winter nails"]);
});

test.each([
  [`/trends/keywords/XX/top/seasonal`, 400],
  [`/trends/keywords/US/top/weekly`, 400],
  [`${PATH}?limit=51`, 400],
  [`${PATH}?interests=moss`, 400],
  [`${PATH}?page=2`, 400],
  ["/terms/related?terms=bread", 403],
])("R-SRV-10 %s is refused with %d", async (path, status) => {
  await using pinterest = await start(freshFolder());
  const { access } = await ownAccount(pinterest.url, 1);
  expect((await send(pinterest.url, "GET", path, access)).status).toBe(status);
});

test("R-SRV-10 related terms need ads:read and follow the official description", async () => {
  await using pinterest = await start(freshFolder());
  const { access } = await connect(pinterest.url, "juniper.studio", `${SCOPES},ads:read`);
  const { status, body } = await send(pinterest.url, "GET", "/terms/related?terms=bread&terms=rye", access);
  expect(status).toBe(200);
  expect(spec.checkReply("GET", "/terms/related", 200, body)).toEqual({ ok: true });
  expect(body).toMatchObject({ id: "bread", related_terms_list: [{ term: "bread" }, { term: "rye" }] });
});

test("R-SRV-10 one account has no access to trends", async () => {
  await using pinterest = await start(freshFolder());
  const { access } = await connect(pinterest.url, "quiet.bicycle");
  expect(await send(pinterest.url, "GET", PATH, access)).toMatchObject({ status: 403, body: { code: 29 } });
});
