import { describe, expect, test } from "vitest";
import { callApp } from "#tests/support/contract-client.ts";
import { until } from "#tests/support/poll.ts";
import { ABSENT_PIN, type Creator, creatorWithDrafts, errorBody, errorOf, ISO, pinsOf } from "./pins-harness.ts";

const BATCH = "/api/users/pinterest/batch-publish-pins/";

const schedule = ({ user }: Creator, post_ids: unknown, interval_minutes: unknown = 60, path = BATCH) =>
  user.call(path, { method: "POST", body: { post_ids, interval_minutes } });

describe("POST /api/users/pinterest/batch-publish-pins/", () => {
  test("R-API-13 R-SCH-06 R-SCH-09 R-ENT-11 A-37 returns only last_publish, and the first pin is published once", async () => {
    const creator = await creatorWithDrafts("moss", "fern");
    const [newest, oldest] = await pinsOf(creator);
    const { status, json } = await schedule(creator, [oldest?.id, newest?.id], 30);
    expect(status).toBe(200);
    expect(json).toEqual({ last_publish: ISO });
    const published = await until(async () => (await pinsOf(creator, "?status=published"))[0], {
      deadlineMs: 60_000,
      what: "the first pin",
    });
    expect(published.id).toBe(oldest?.id);
    expect((await fetch(published.pinterest_url ?? "")).status).toBe(200);
    const [waiting] = await pinsOf(creator, "?status=scheduled");
    expect(waiting).toMatchObject({ id: newest?.id, scheduled_at: Object(json).last_publish });
  });

  test("works without the trailing slash and ignores unknown fields", async () => {
    const creator = await creatorWithDrafts("moss");
    const [post] = await pinsOf(creator);
    const body = { post_ids: [post?.id], interval_minutes: 60, user_id: "usr_x", status: "published" };
    expect((await creator.user.call(BATCH.slice(0, -1), { method: "POST", body })).status).toBe(200);
  });

  test("R-API-30 401 without a token", async () => {
    const answer = await callApp(BATCH, { method: "POST", body: { post_ids: [ABSENT_PIN], interval_minutes: 60 } });
    expect(answer.status).toBe(401);
    expect(answer.json).toEqual(errorBody("unauthenticated"));
  });

  test("R-SCH-04 R-SCH-05 A-36 invalid input returns 400 and changes nothing", async () => {
    const creator = await creatorWithDrafts("moss");
    const [post] = await pinsOf(creator);
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
      expect((await schedule(creator, ids)).status).toBe(400);
    }
    expect((await schedule(creator, [])).json).toMatchObject(
      errorBody("invalid", "Please select at least one post to publish"),
    );
    for (const minutes of [0, -1, 0.5, 1.5, 43_201, 1e12, "60", "soon", "", null, undefined, [60], true]) {
      const answer = await schedule(creator, [id], minutes === undefined ? Number.NaN : minutes);
      const text = "The interval must be a whole number of minutes from 1 to 43,200.";
      expect([minutes, answer.status, answer.json]).toEqual([minutes, 400, errorOf("interval_minutes", text)]);
    }
    for (const body of ["", "{", "[]", "null", '"text"']) {
      expect((await creator.user.call(BATCH, { method: "POST", body })).status).toBe(400);
    }
    expect(await pinsOf(creator)).toMatchObject([{ id, status: "draft" }]);
  });

  test("R-SCH-06 R-SCH-09 A-34 accepts a start; an invalid, past, or too distant one returns 400 and changes nothing", async () => {
    const creator = await creatorWithDrafts("moss");
    const [post] = await pinsOf(creator);
    const startAt = (start: unknown) =>
      creator.user.call(BATCH, { method: "POST", body: { post_ids: [post?.id], interval_minutes: 60, start } });
    const inDays = (days: number) => new Date(Date.now() + days * 86_400_000).toISOString();
    const odd = "The start time must include a UTC offset and be within the next year.";
    for (const start of ["tomorrow", "", "2027-01-01", "2027-02-30T10:00:00Z", inDays(1).slice(0, -1), 5, {}, true]) {
      expect([start, (await startAt(start)).json]).toEqual([start, errorOf("start", odd)]);
    }
    for (const [days, text] of [
      [-1, "This time has passed. Choose a later one."],
      [400, odd],
    ] as const) {
      const answer = await startAt(inDays(days));
      expect([answer.status, answer.json]).toEqual([400, errorBody("invalid", text)]);
    }
    expect(await pinsOf(creator)).toMatchObject([{ status: "draft", scheduled_at: null }]);
    const start = inDays(2);
    expect((await startAt(start.replace("Z", "+00:00"))).json).toEqual({ last_publish: start });
    expect(await pinsOf(creator)).toMatchObject([{ status: "scheduled", scheduled_at: start }]);
  });

  test("R-SCH-10 R-API-31 another user's or unknown pin returns 404, a pin that is not a draft 409; nothing changes", async () => {
    const [creator, stranger] = [await creatorWithDrafts("moss", "fern"), await creatorWithDrafts("ivy")];
    const [first, second] = await pinsOf(creator);
    const [foreign] = await pinsOf(stranger);
    for (const id of [foreign?.id, ABSENT_PIN, "'; drop table pins; --"]) {
      const answer = await schedule(creator, [first?.id, id]);
      expect([answer.status, answer.json]).toEqual([404, errorBody("not_found")]);
    }
    expect((await schedule(creator, [second?.id])).status).toBe(200);
    const answer = await schedule(creator, [first?.id, second?.id]);
    expect([answer.status, answer.json]).toEqual([409, errorBody("wrong_state", "Only drafts can be scheduled.")]);
    expect((await pinsOf(creator)).find(({ id }) => id === first?.id)).toMatchObject({ status: "draft" });
    expect(await pinsOf(stranger)).toMatchObject([{ status: "draft" }]);
  });
});
