import { describe, expect, test } from "vitest";
import { callApp } from "#tests/support/contract-client.ts";
import { until } from "#tests/support/poll.ts";
import { ABSENT_PIN, errorBody, errorOf, ISO, type Maker, makerWithDrafts, postsOf } from "./posts-house.ts";

const BATCH = "/api/users/pinterest/batch-publish-pins/";

const schedule = ({ user }: Maker, post_ids: unknown, interval_minutes: unknown = 60, path = BATCH) =>
  user.call(path, { method: "POST", body: { post_ids, interval_minutes } });

describe("POST /api/users/pinterest/batch-publish-pins/", () => {
  test("R-API-13 R-SCH-06 R-SCH-09 R-ENT-11 A-37 exactly last_publish; the first one is published once", async () => {
    const maker = await makerWithDrafts("moss", "fern");
    const [newest, oldest] = await postsOf(maker);
    const { status, json } = await schedule(maker, [oldest?.id, newest?.id], 30);
    expect(status).toBe(200);
    expect(json).toEqual({ last_publish: ISO });
    const published = await until(async () => (await postsOf(maker, "?status=published"))[0], {
      deadlineMs: 60_000,
      what: "the first pin",
    });
    expect(published.id).toBe(oldest?.id);
    expect((await fetch(published.pinterest_url ?? "")).status).toBe(200);
    const [waiting] = await postsOf(maker, "?status=scheduled");
    expect(waiting).toMatchObject({ id: newest?.id, scheduled_at: Object(json).last_publish });
  });

  test("the path works without its slash; unknown fields are ignored", async () => {
    const maker = await makerWithDrafts("moss");
    const [post] = await postsOf(maker);
    const body = { post_ids: [post?.id], interval_minutes: 60, user_id: "usr_x", status: "published" };
    expect((await maker.user.call(BATCH.slice(0, -1), { method: "POST", body })).status).toBe(200);
  });

  test("R-API-30 401 without a token", async () => {
    const answer = await callApp(BATCH, { method: "POST", body: { post_ids: [ABSENT_PIN], interval_minutes: 60 } });
    expect(answer.status).toBe(401);
    expect(answer.json).toEqual(errorBody("unauthenticated"));
  });

  test("R-SCH-04 R-SCH-05 A-36 bad input: 400, and nothing changes", async () => {
    const maker = await makerWithDrafts("moss");
    const [post] = await postsOf(maker);
    const id = post?.id;
    for (const ids of [
      [],
      "x",
      null,
      [1],
      [id, id],
      [""],
      Array.from({ length: 501 }, (_, k) => `pin_${k}`),
      undefined,
    ]) {
      expect((await schedule(maker, ids)).status).toBe(400);
    }
    expect((await schedule(maker, [])).json).toMatchObject(
      errorBody("invalid", "Please select at least one post to publish"),
    );
    for (const minutes of [0, -1, 0.5, 1.5, 43_201, 1e12, "60", "soon", "", null, undefined, [60], true]) {
      const answer = await schedule(maker, [id], minutes === undefined ? Number.NaN : minutes);
      const text = "The interval must be a whole number of minutes from 1 to 43200.";
      expect([minutes, answer.status, answer.json]).toEqual([minutes, 400, errorOf("interval_minutes", text)]);
    }
    for (const body of ["", "{", "[]", "null", '"text"']) {
      expect((await maker.user.call(BATCH, { method: "POST", body })).status).toBe(400);
    }
    expect(await postsOf(maker)).toMatchObject([{ id, status: "draft" }]);
  });

  test("R-SCH-06 R-SCH-09 A-34 a start may be named; one that is none, has passed or is too far is 400, and nothing changes", async () => {
    const maker = await makerWithDrafts("moss");
    const [post] = await postsOf(maker);
    const startAt = (start: unknown) =>
      maker.user.call(BATCH, { method: "POST", body: { post_ids: [post?.id], interval_minutes: 60, start } });
    const inDays = (days: number) => new Date(Date.now() + days * 86_400_000).toISOString();
    const odd = "The start must be a time with its offset, at most one year ahead.";
    for (const start of ["tomorrow", "", "2027-01-01", "2027-02-30T10:00:00Z", inDays(1).slice(0, -1), 5, {}, true]) {
      expect([start, (await startAt(start)).json]).toEqual([start, errorOf("start", odd)]);
    }
    for (const [days, text] of [
      [-1, "This time has passed. Choose one that is still to come."],
      [400, odd],
    ] as const) {
      const answer = await startAt(inDays(days));
      expect([answer.status, answer.json]).toEqual([400, errorBody("invalid", text)]);
    }
    expect(await postsOf(maker)).toMatchObject([{ status: "draft", scheduled_at: null }]);
    const start = inDays(2);
    expect((await startAt(start.replace("Z", "+00:00"))).json).toEqual({ last_publish: start });
    expect(await postsOf(maker)).toMatchObject([{ status: "scheduled", scheduled_at: start }]);
  });

  test("R-SCH-10 R-API-31 another user's pin or an absent one: 404; one's own but no draft: 409; nothing changes", async () => {
    const [maker, stranger] = [await makerWithDrafts("moss", "fern"), await makerWithDrafts("ivy")];
    const [first, second] = await postsOf(maker);
    const [foreign] = await postsOf(stranger);
    for (const id of [foreign?.id, ABSENT_PIN, "'; drop table pins; --"]) {
      const answer = await schedule(maker, [first?.id, id]);
      expect([answer.status, answer.json]).toEqual([404, errorBody("not_found")]);
    }
    expect((await schedule(maker, [second?.id])).status).toBe(200);
    const answer = await schedule(maker, [first?.id, second?.id]);
    expect([answer.status, answer.json]).toEqual([409, errorBody("wrong_state", "Only drafts can be scheduled.")]);
    expect((await postsOf(maker)).find(({ id }) => id === first?.id)).toMatchObject({ status: "draft" });
    expect(await postsOf(stranger)).toMatchObject([{ status: "draft" }]);
  });
});
