import { beforeAll, describe, expect, inject, test } from "vitest";
import { pinMetrics } from "#db/schema/analytics.ts";
import type { PinId } from "#lib/core/ids.ts";
import { CALENDAR_PINS_MAX, TEXTS } from "#lib/features/calendar/constants.ts";
import { type AppResponse, callApp } from "#tests/support/contract-client.ts";
import { type Owner, ownersFor } from "./fixtures-harness.ts";
import { ABSENT_PIN, errorBody } from "./pins-harness.ts";

const { fixtures, insertOwner } = ownersFor(() => inject("app"));

const DAY_MS = 86_400_000;
const FROM = "2026-05-01T00:00:00+02:00";
const TO = "2026-06-01T00:00:00+02:00";
const OWN_IMAGE = expect.stringMatching(/^\/api\/images\/pins\//);
const SIGNED_IMAGE = expect.stringMatching(/^\/api\/images\/signed\//);

let owner: Owner;
let stranger: Owner;
beforeAll(async () => {
  [owner, stranger] = [await insertOwner(), await insertOwner()];
});

const pathOf = (accountId: string, range: Record<string, string>) =>
  `/api/users/pinterest/calendar/${encodeURIComponent(accountId)}/?${new URLSearchParams(range)}`;

const read = ({ user, account }: Owner, range: Record<string, string>): Promise<AppResponse> =>
  user.call(pathOf(account.id, range));

/** A body of 400 that names exactly this field. */
const namesField = (field: string, text: string) => ({
  ...errorBody("invalid", expect.stringContaining(text)),
  fields: { [field]: [text] },
});

describe("GET /api/users/pinterest/calendar/{accountId}/", () => {
  test("returns {posts, has_more} in exactly this shape, with and without the trailing slash", async () => {
    const { account, boardId } = owner;
    const at = (day: number) => new Date(`2026-05-${day}T10:00:00.000Z`);
    const [failed, published, scheduled] = await fixtures().pins(account, [
      { title: "Refused", status: "failed", scheduledAt: at(12), reason: "This board is gone." },
      { title: "Out", status: "published", publishedAt: at(10), pinterestPinId: `1${account.id}` },
      { title: "Soon", status: "scheduled", scheduledAt: at(14) },
      { title: "A draft" },
      { title: "At the end", status: "scheduled", scheduledAt: new Date(TO) },
    ]);
    await fixtures()
      .db.insert(pinMetrics)
      .values({
        ...{ pinId: published as PinId, accountId: account.id, state: "ready", fetchedAt: at(13) },
        ...{ firstDay: "2026-05-10", readyThrough: "2026-05-12", impressions: [10, 90], outboundClicks: [0, 3] },
      });
    const post = { format: "image", board_id: boardId, reason: null, impressions: null, outbound_clicks: null };
    const expected = [
      { ...post, id: published, title: "Out", status: "published", impressions: 90, outbound_clicks: 3 },
      { ...post, id: failed, title: "Refused", status: "failed", reason: "This board is gone." },
      { ...post, id: scheduled, title: "Soon", status: "scheduled" },
    ].map((one, n) => ({
      ...one,
      at: at(10 + 2 * n).toISOString(),
      image_url: one.status === "published" ? OWN_IMAGE : SIGNED_IMAGE,
    }));
    const path = pathOf(account.id, { from: FROM, to: TO });
    for (const same of [path, path.replace("/?", "?"), `${path}&status=draft&unknown=1`]) {
      const { status, json, headers } = await owner.user.call(same);
      expect([same, status, json]).toEqual([same, 200, { posts: expected, has_more: false }]);
      expect(headers.get("content-type")).toMatch(/^application\/json/);
      expect(headers.get("cache-control")).toMatch(/no-store/);
    }
  });

  test("has the first 3,000 pins of a range, and says that there are more", async () => {
    const { user, account } = await insertOwner();
    const start = Date.parse("2026-05-01T00:00:00Z");
    const newPins = Array.from({ length: CALENDAR_PINS_MAX + 1 }, (_, n) => ({
      ...{ title: `Pin ${n}`, status: "failed" as const, scheduledAt: new Date(start + n * 60_000) },
    }));
    const ids = await fixtures().pins(account, newPins);
    const { json } = await user.call(pathOf(account.id, { from: FROM, to: TO }));
    const { posts, has_more } = Object(json);
    expect([posts.length, has_more]).toEqual([CALENDAR_PINS_MAX, true]);
    expect([posts[0].id, posts.at(-1).id]).toEqual([ids[0], ids.at(-2)]);
  });

  test.each<[string, Record<string, string>, string]>([
    ["no range", { to: TO }, "from"],
    ["no end", { from: FROM }, "to"],
    ["a date without a time", { from: "2026-05-01", to: TO }, "from"],
    ["a time without an offset", { from: FROM, to: "2026-06-01T00:00:00" }, "to"],
    ["a day that doesn't exist", { from: "2026-02-30T00:00:00Z", to: TO }, "from"],
    ["words", { from: FROM, to: "next week" }, "to"],
    ["a reversed range", { from: TO, to: FROM }, "to"],
    ["an empty range", { from: FROM, to: FROM }, "to"],
    ["100 days and a millisecond", { from: "2026-05-01T00:00:00Z", to: "2026-08-09T00:00:00.001Z" }, "to"],
  ])("%s is 400 and names the field", async (_, range, field) => {
    const { status, json } = await read(owner, range);
    expect([status, json]).toEqual([400, namesField(field, TEXTS.rangeInvalid)]);
  });

  test("takes exactly 100 days, and names both fields when both are missing", async () => {
    expect((await read(owner, { from: "2026-05-01T00:00:00Z", to: "2026-08-09T00:00:00Z" })).status).toBe(200);
    const { status, json } = await read(owner, {});
    expect([status, Object(json).fields]).toEqual([400, { from: [TEXTS.rangeInvalid], to: [TEXTS.rangeInvalid] }]);
  });

  test("R-API-30 401 without a token, R-API-31 404 for another user's account, 405 for other methods", async () => {
    const path = pathOf(owner.account.id, { from: FROM, to: TO });
    const anonymous = await callApp(path);
    expect([anonymous.status, anonymous.json]).toEqual([401, errorBody("unauthenticated")]);
    for (const id of [owner.account.id, `acc_${"0".repeat(26)}`, "nonsense", "' or 1=1 --"]) {
      const { status, json } = await stranger.user.call(pathOf(id, { from: FROM, to: TO }));
      expect([id, status, json]).toEqual([id, 404, errorBody("not_found")]);
    }
    const other = await owner.user.call(path, { method: "POST", body: {} });
    expect([other.status, other.json]).toEqual([405, errorBody("method_not_allowed")]);
    expect(other.headers.get("allow")).toBe("GET");
  });
});

const MOVE = "/api/users/pinterest/move-pins/";
const inDays = (days: number): string => new Date(Date.now() + days * DAY_MS).toISOString();

describe("POST /api/users/pinterest/move-pins/", () => {
  const move = ({ user }: Owner, body: unknown) => user.call(MOVE, { method: "POST", body });

  /** A draft and a scheduled pin of an owner, and how to see that nothing of them changed. */
  const insertTwo = async () => {
    const scheduledAt = inDays(3);
    const made = await insertOwner();
    const [draft, scheduled] = await fixtures().pins(made.account, [
      { title: "Draft" },
      { title: "Scheduled", status: "scheduled", scheduledAt: new Date(scheduledAt) },
    ]);
    const stateOf = async () => {
      const { json } = await made.user.call(`/api/users/pinterest/generated-pins/${made.account.id}/`);
      const posts: Record<string, unknown>[] = Object(json).posts;
      return posts.map(({ id, status, scheduled_at }) => [id, status, scheduled_at]);
    };
    const before = await stateOf();
    expect(before).toEqual([
      [draft, "draft", null],
      [scheduled, "scheduled", scheduledAt],
    ]);
    return { ...made, draft: String(draft), scheduled: String(scheduled), scheduledAt, stateOf, before };
  };

  test("moves several pins, without the trailing slash and with unknown fields as well, and undoes it", async () => {
    const own = await insertTwo();
    const [first, second] = [inDays(5), inDays(6)];
    const moves = [
      { post_id: own.draft, from: null, to: first, status: "published" },
      { post_id: own.scheduled, from: own.scheduledAt, to: second, user_id: "usr_x" },
    ];
    const answer = await own.user.call(MOVE.slice(0, -1), { method: "POST", body: { moves, account: "acc_x" } });
    expect([answer.status, answer.json]).toEqual([200, { moved: 2 }]);
    expect(await own.stateOf()).toEqual([
      [own.draft, "scheduled", first],
      [own.scheduled, "scheduled", second],
    ]);
    const back = moves.map(({ post_id, from, to }) => ({ post_id, from: to, to: from }));
    expect((await move(own, { moves: back, is_undo: true })).json).toEqual({ moved: 2 });
    expect(await own.stateOf()).toEqual(own.before);
  });

  test("a time that just passed means now", async () => {
    const own = await insertTwo();
    const to = new Date(Date.now() - 30_000).toISOString();
    expect((await move(own, { moves: [{ post_id: own.draft, from: null, to }] })).json).toEqual({ moved: 1 });
  });

  test("what isn't a list of 1 to 500 moves is 400 and names the field", async () => {
    const own = await insertTwo();
    const good = { post_id: own.draft, from: null, to: inDays(2) };
    const many = Array.from({ length: 501 }, (_, n) => ({ ...good, post_id: `pin_${n}` }));
    const { movesInvalid, tooManyMoves, duplicates, nothingMoves, isUndoInvalid } = TEXTS;
    const bad: [string, unknown, string, string][] = [
      ["no moves", {}, "moves", movesInvalid],
      ["null", { moves: null }, "moves", movesInvalid],
      ["an object", { moves: good }, "moves", movesInvalid],
      ["an empty list", { moves: [] }, "moves", movesInvalid],
      ["501 moves", { moves: many }, "moves", tooManyMoves],
      ["the same pin twice", { moves: [good, { ...good, to: inDays(3) }] }, "moves", duplicates],
      ["no from", { moves: [{ post_id: own.draft, to: good.to }] }, "moves.0.from", movesInvalid],
      ["no to", { moves: [{ post_id: own.draft, from: null }] }, "moves.0.to", movesInvalid],
      ["a date", { moves: [{ ...good, to: "2099-05-01" }] }, "moves.0.to", movesInvalid],
      ["no offset", { moves: [{ ...good, to: good.to.slice(0, -1) }] }, "moves.0.to", movesInvalid],
      ["a number", { moves: [{ ...good, to: Date.now() }] }, "moves.0.to", movesInvalid],
      ["no new time", { moves: [{ ...good, to: null }] }, "moves.0.to", nothingMoves],
      ["no pin", { moves: [{ ...good, post_id: undefined }] }, "moves.0.post_id", "An ID is required."],
      ["no id", { moves: [{ ...good, post_id: "" }] }, "moves.0.post_id", "An ID is required."],
      ["a word for is_undo", { moves: [good], is_undo: "yes" }, "is_undo", isUndoInvalid],
    ];
    for (const [what, body, field, text] of bad) {
      const { status, json } = await move(own, body);
      expect([what, status, json]).toEqual([what, 400, namesField(field, text)]);
    }
    for (const body of ["", "{", "[]", "null", '"text"']) {
      expect([body, (await move(own, body)).status]).toEqual([body, 400]);
    }
    expect(await own.stateOf()).toEqual(own.before);
  });

  test.each([
    ["in the past", -1, "This time has passed. Choose a later one."],
    ["over a year ahead", 400, "The start time must include a UTC offset and be within the next year."],
  ])("a time %s is 400, names its move, and moves nothing", async (_, days, text) => {
    const own = await insertTwo();
    const moves = [
      { post_id: own.draft, from: null, to: inDays(2) },
      { post_id: own.scheduled, from: own.scheduledAt, to: inDays(days) },
    ];
    const { status, json } = await move(own, { moves });
    expect([status, json]).toEqual([400, namesField("moves.1.to", `${text} (“Scheduled”)`)]);
    expect(await own.stateOf()).toEqual(own.before);
  });

  test("R-API-31 another user's or an unknown pin is 404, and the others of the call stay", async () => {
    const [own, foreign] = [await insertTwo(), await insertTwo()];
    const good = { post_id: own.draft, from: null, to: inDays(2) };
    for (const post_id of [foreign.draft, ABSENT_PIN, "'; drop table pins; --"]) {
      const { status, json } = await move(own, { moves: [good, { ...good, post_id }] });
      expect([post_id, status, json]).toEqual([post_id, 404, errorBody("not_found")]);
    }
    expect(await own.stateOf()).toEqual(own.before);
    expect(await foreign.stateOf()).toEqual(foreign.before);
  });

  test("409 when a pin's time is no longer `from`, and the others of the call stay", async () => {
    const own = await insertTwo();
    const good = { post_id: own.draft, from: null, to: inDays(2) };
    for (const from of [null, inDays(1)]) {
      const { status, json } = await move(own, { moves: [good, { ...good, post_id: own.scheduled, from }] });
      expect([status, json]).toEqual([409, errorBody("wrong_state", `${TEXTS.movedMeanwhile} (“Scheduled”)`)]);
    }
    expect(await own.stateOf()).toEqual(own.before);
  });

  test("409 for a pin that is being published, and the others of the call stay", async () => {
    const own = await insertTwo();
    await fixtures().callingAttempt(own.scheduled as PinId);
    const moves = [
      { post_id: own.draft, from: null, to: inDays(2) },
      { post_id: own.scheduled, from: own.scheduledAt, to: inDays(4) },
    ];
    const { status, json } = await move(own, { moves });
    const text = "This pin is being published right now. (“Scheduled”)";
    expect([status, json]).toEqual([409, errorBody("wrong_state", text)]);
    expect(await own.stateOf()).toEqual(own.before);
  });

  test("R-API-30 401 without a token, 405 for other methods", async () => {
    const anonymous = await callApp(MOVE, { method: "POST", body: { moves: [] } });
    expect([anonymous.status, anonymous.json]).toEqual([401, errorBody("unauthenticated")]);
    for (const method of ["GET", "PUT", "PATCH", "DELETE"]) {
      const other = await owner.user.call(MOVE, { method });
      expect([method, other.status, other.json]).toEqual([method, 405, errorBody("method_not_allowed")]);
      expect(other.headers.get("allow")).toBe("POST");
    }
  });
});

test("the calendar's page has its pins before any script runs, in every view", async () => {
  const user = await fixtures().user();
  const { cookie } = await fixtures().login(user);
  const account = await fixtures().account(user);
  await fixtures().pins(account, [
    { title: "Out in May", status: "published", publishedAt: new Date("2026-05-11T10:00:00Z"), pinterestPinId: "77" },
    { title: "Soon in May", status: "failed", scheduledAt: new Date("2026-05-12T10:00:00Z"), reason: "Refused." },
    { title: "In July", status: "failed", scheduledAt: new Date("2026-07-12T10:00:00Z"), reason: "Refused." },
  ]);
  for (const view of ["month", "week", "list"]) {
    const path = `/app/calendar?${new URLSearchParams({ account: account.id, view, date: "2026-05-11" })}`;
    const { status, text } = await callApp(path, { headers: { cookie: `next-auth.session-token=${cookie}` } });
    const html = text.replaceAll(/<script\b[\s\S]*?<\/script>/g, "");
    expect([view, status]).toEqual([view, 200]);
    for (const title of ["Out in May", "Soon in May"]) expect(html, `${view}: ${title}`).toContain(title);
    expect(html).not.toContain("In July");
  }
});
