import { describe, expect, test } from "vitest";
import { addMs, DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS } from "#lib/core/time.ts";
import {
  CALL_LEASE_MS,
  FIRST_CHECK_DELAY_MS,
  NEW_ATTEMPT_MS,
  RETRIES_MAX,
  SECOND_CHECK_DELAY_MS,
  TEXTS,
} from "#lib/features/publishing/constants.ts";
import {
  decideOnMatch,
  decideOnRefusal,
  decideOnRemoval,
  decideOnUnscheduling,
  findByImageOnly,
  findMatch,
  isInterval,
  isSameContent,
  latestCreation,
  nextBoardCheckAt,
  planSlots,
  spanMinutes,
} from "#lib/features/publishing/policy.ts";
import { scheduleBatchInput } from "#lib/features/publishing/schema.ts";
import { fc } from "#tests/support/properties.ts";

const start = new Date("2026-03-29T00:30:00.000Z");
const at = (ms: number) => new Date(start.getTime() + ms);

/** An attempt whose call has no answer yet. */
const called = { armedAt: start, calledAt: start, answeredAt: null };
const call = { ...called, boardChecks: 0, failedBoardChecks: 0, boardCheckedAt: null, retryAfterSeconds: null };

describe("slots", () => {
  test("R-SCH-09 A-34 pin k is due at start + k × interval, across a change of clocks too", () => {
    const slots = planSlots(["a", "b", "c"], start, 60);
    expect(slots).toEqual([
      { id: "a", dueAt: start },
      { id: "b", dueAt: at(HOUR_MS) },
      { id: "c", dueAt: at(2 * HOUR_MS) },
    ]);
  });

  test("R-SCH-09 A-35 any batch: in the given order with equal gaps, the first at once", () => {
    const batch = fc.uniqueArray(fc.string(), { minLength: 1, maxLength: 500 });
    fc.assert(
      fc.property(batch, fc.integer({ min: 1, max: 43_200 }), (ids, minutes) => {
        const slots = planSlots(ids, start, minutes);
        expect(slots.map(({ id }) => id)).toEqual(ids);
        expect(slots.map(({ dueAt }) => dueAt.getTime())).toEqual(
          ids.map((_, k) => start.getTime() + k * minutes * MINUTE_MS),
        );
      }),
    );
  });

  test("R-SCH-03 the duration shown is (selected - 1) × interval", () => {
    expect([spanMinutes(0, 60), spanMinutes(1, 60), spanMinutes(5, 30)]).toEqual([0, 0, 120]);
  });

  test("R-SCH-02 R-SCH-05 A-36 R-CONST-14 whole minutes from 1 to 43200", () => {
    expect([1, 60, 43_200].every(isInterval)).toBe(true);
    expect([0, -1, 0.5, 1.5, 43_201, Number.NaN, Number.POSITIVE_INFINITY].some(isInterval)).toBe(false);
  });
});

describe("schedule-batch input", () => {
  const parse = (change: Record<string, unknown>) =>
    scheduleBatchInput.safeParse({ post_ids: ["a"], interval_minutes: 60, ...change });
  const errorOf = (change: Record<string, unknown>) => parse(change).error?.issues[0]?.message;

  test("R-SCH-04 R-SCH-06 requires 1 to 500 posts without duplicates", () => {
    expect(errorOf({ post_ids: [] })).toBe("Please select at least one post to publish");
    expect(errorOf({ post_ids: undefined })).toBe("Please select at least one post to publish");
    expect(errorOf({ post_ids: ["a", "b", "a"] })).toBe(TEXTS.duplicates);
    expect(errorOf({ post_ids: Array.from({ length: 501 }, (_, k) => `p${k}`) })).toBe(TEXTS.tooMany);
    for (const ids of ["a", [1], [null], [[]], [""], ["x".repeat(101)]])
      expect(parse({ post_ids: ids }).success).toBe(false);
    expect(parse({ post_ids: Array.from({ length: 500 }, (_, k) => `p${k}`) }).success).toBe(true);
  });

  test("its messages are custom issues, since other kinds get the field name as a prefix", () => {
    const wrong = { post_ids: [], interval_minutes: 0, start: "tomorrow" };
    expect(new Set(parse(wrong).error?.issues.map(({ code }) => code))).toEqual(new Set(["custom"]));
  });

  test("R-SCH-05 intervals other than whole minutes are refused with one message", () => {
    for (const minutes of [0, -5, 1.5, 43_201, "60", null, undefined, Number.NaN]) {
      expect(errorOf({ interval_minutes: minutes })).toBe(TEXTS.intervalInvalid);
    }
  });

  test("a start is optional and needs an offset", () => {
    expect(parse({ start: null }).data).toMatchObject({ start: null });
    expect(parse({ start: "2026-11-20T10:00:00+05:45" }).data?.start).toEqual(new Date("2026-11-20T04:15:00Z"));
    for (const text of ["tomorrow", "2026-11-20", "2026-11-20T10:00:00", 5])
      expect(errorOf({ start: text })).toBe(TEXTS.startInvalid);
  });
});

describe("R-SRV-04 refusals", () => {
  const rule = (kind: Parameters<typeof decideOnRefusal>[0]["kind"], tries = 0, retryAfterSeconds?: number) =>
    decideOnRefusal(
      { kind, text: "Words.", ...(retryAfterSeconds !== undefined && { retryAfterSeconds }) },
      tries,
      start,
    );

  test("permanent refusals fail at once with their reason", () => {
    expect(rule("rejected")).toEqual({ kind: "fail", reason: "Words." });
    expect(rule("not_found")).toEqual({ kind: "fail", reason: "Words." });
  });

  test("Pinterest's wait is honored, up to a day; without one the delay grows", () => {
    expect(rule("rate_limited", 0, 120)).toMatchObject({ at: at(120 * SECOND_MS), pauseAccount: true });
    expect(rule("rate_limited", 0, 999_999)).toMatchObject({ at: at(DAY_MS) });
    const pauses = [0, 1, 2, 3, 20].map((tries) => rule("unavailable", tries));
    expect(pauses).toMatchObject([1, 2, 4, 8, 60].map((minutes) => ({ at: at(minutes * MINUTE_MS) })));
    expect(rule("busy")).toMatchObject({ at: at(5 * SECOND_MS), pauseAccount: false });
  });

  test("retries end after many tries; pauses of the account never do", () => {
    expect(rule("rate_limited", RETRIES_MAX)).toMatchObject({ kind: "fail" });
    expect(rule("trial_access", RETRIES_MAX)).toMatchObject({ kind: "retry", pauseAccount: true });
    expect(rule("spam_block", RETRIES_MAX)).toMatchObject({ kind: "retry", at: at(DAY_MS), pauseAccount: true });
  });

  test("a dead token or missing permission needs a reconnect", () => {
    expect(rule("token_dead")).toEqual({ kind: "reconnect", reason: TEXTS.reconnectNeeded });
    expect(rule("missing_scope")).toEqual({ kind: "reconnect", reason: "Words." });
  });
});

describe("R-SRV-03 matching a pin", () => {
  const texts = { title: "Fig & honey", description: "Two\nlines ", link: "https://Example.com/figs/" };
  const wanted = { ...texts, createdBy: at(MINUTE_MS) };
  const listed = (id: string, change: Record<string, unknown> = {}, createdAt = start) => ({
    id,
    ...texts,
    createdAt,
    imageUrl: null,
    ...change,
  });

  test("regardless of trimming, escaping and link spelling", () => {
    expect(
      isSameContent(wanted, { title: " Fig &amp; honey", description: "Two lines", link: "https://example.com/figs" }),
    ).toBe(true);
    expect(isSameContent({ ...wanted, link: null }, { ...wanted, link: "" })).toBe(true);
    expect(isSameContent(wanted, { ...wanted, title: "Fig and honey" })).toBe(false);
    expect(isSameContent(wanted, { ...wanted, link: "https://example.com/figs?a=1" })).toBe(false);
    expect(isSameContent({ ...wanted, link: "not a link" }, { ...wanted, link: "not a link" })).toBe(true);
  });

  test("matches the earliest pin that is not recorded", () => {
    const pins = [listed("3", {}, at(3_000)), listed("1", {}, at(1_000)), listed("2", {}, at(2_000))];
    expect(findMatch(wanted, pins, new Set(["1"]))).toMatchObject({ kind: "found", pin: { id: "2" } });
    expect(findMatch(wanted, pins, new Set(["1", "2", "3"]))).toEqual({ kind: "absent" });
  });

  test("a similar pin counts neither as a match nor as absent", () => {
    expect(findMatch(wanted, [listed("1", { description: "Cut short" })], new Set())).toEqual({ kind: "near" });
    expect(findMatch(wanted, [listed("1", { link: "https://pin.it/x" })], new Set())).toEqual({ kind: "near" });
  });

  test("a title that Pinterest rewrote is similar while the call can have created it; other texts are not ours", () => {
    const find = (change: Record<string, unknown>, createdAt = start) =>
      findMatch(wanted, [listed("1", { title: "Else", ...change }, createdAt)], new Set()).kind;
    expect(find({})).toBe("near");
    expect(find({ description: "Cut short" })).toBe("absent");
    expect(find({ link: "https://pin.it/x" })).toBe("absent");
    expect(find({}, at(MINUTE_MS + 1))).toBe("absent");
    const bare = listed("1", { title: "Else", description: "" });
    expect(findMatch({ ...wanted, description: " " }, [bare], new Set())).toEqual({ kind: "absent" });
  });

  describe("pins with other texts are compared by image", () => {
    const imageUrl = "https://i.pinimg.com/600x/1.jpg";
    const other = { title: "Else", description: "Else", link: null, imageUrl };
    const open = {
      ...call,
      calledAt: start as Date | null,
      answeredAt: null as Date | null,
      outcome: null as string | null,
      settledAt: null as Date | null,
    };
    const ids = (pins: ReturnType<typeof listed>[], recorded: string[] = [], attempts: (typeof open)[] = [open]) =>
      findByImageOnly(wanted, pins, { recordedIds: new Set(recorded), attempts, siblings }).map(({ id }) => id);
    const during = at(SECOND_MS);
    const siblings = [{ title: "A sibling", description: "", link: null }];

    test("that were created while a call can have created them, the earliest first", () => {
      const [first, late, bare] = [
        listed("1", other, during),
        listed("2", other, addMs(latestCreation(open), 1)),
        listed("3", { ...other, imageUrl: null }, during),
      ];
      expect(ids([listed("0", other, at(2 * SECOND_MS)), first, late, bare])).toEqual(["1", "0"]);
      expect(ids([first], ["1"])).toEqual([]);
      expect(ids([first, listed("4")])).toEqual([]);
      expect(ids([listed("5", other, at(-HOUR_MS))])).toEqual([]);
      expect(ids([listed("6", { ...siblings[0], imageUrl }, during), first])).toEqual(["1"]);
    });

    test("not since a later attempt that made no call, nor while a refused call ran", () => {
      const days = at(2 * DAY_MS);
      const checking = { ...open, armedAt: days, calledAt: null, answeredAt: days };
      const pins = [listed("2", other, at(2 * DAY_MS + 1)), listed("1", other, during)];
      expect(ids(pins, [], [checking, { ...open, outcome: "unclear" }])).toEqual(["1"]);
      expect(ids(pins, [], [{ ...open, outcome: "rejected" }])).toEqual([]);
    });

    test("until a settled attempt ended, such as one that stands for calls since a backup", () => {
      const restored = { ...open, outcome: "unclear", calledAt: null, settledAt: at(2 * DAY_MS) };
      expect(ids([listed("1", other, at(DAY_MS))], [], [{ ...restored, calledAt: start }])).toEqual(["1"]);
      expect(ids([listed("1", other, at(DAY_MS))], [], [restored])).toEqual(["1"]);
    });

    test("the same image decides at once; one that was not compared counts as similar", () => {
      const pins = [listed("1", other)];
      const match = (lookalikes: string[], uncompared: string[], recorded: string[] = []) =>
        findMatch(wanted, pins, new Set(recorded), {
          lookalikeIds: new Set(lookalikes),
          uncomparedIds: new Set(uncompared),
        }).kind;
      expect([match(["1"], []), match([], ["1"]), match(["1"], [], ["1"])]).toEqual(["lookalike", "near", "absent"]);
      const first = { search: call, boardChecks: 1, wasAbsentBefore: false };
      expect(decideOnMatch({ kind: "lookalike" }, first, start)).toMatchObject({
        kind: "failed",
        mayBePublished: true,
      });
    });
  });

  test("two board checks make it absent; a second absence or a similar pin is unknown", () => {
    const first = { search: call, boardChecks: 1, wasAbsentBefore: false };
    const second = { search: call, boardChecks: 2, wasAbsentBefore: false };
    expect(decideOnMatch({ kind: "absent" }, first, start)).toBeNull();
    expect(decideOnMatch({ kind: "absent" }, second, start)).toMatchObject({ kind: "retry", outcome: "absent" });
    expect(decideOnMatch({ kind: "near" }, first, start)).toBeNull();
    expect(decideOnMatch({ kind: "near" }, second, start)).toMatchObject({ kind: "failed", mayBePublished: true });
    const before = { search: call, boardChecks: 2, wasAbsentBefore: true };
    expect(decideOnMatch({ kind: "absent" }, before, start)).toMatchObject({ kind: "failed", outcome: "unclear" });
  });

  test("no check while a call may be in flight; two checks are 25 s apart while the listing may lag", () => {
    expect(nextBoardCheckAt(call)).toEqual(at(CALL_LEASE_MS));
    const answered = { ...call, answeredAt: at(500) };
    expect(nextBoardCheckAt(answered)).toEqual(at(500 + FIRST_CHECK_DELAY_MS));
    const looked = { ...answered, boardChecks: 1, boardCheckedAt: at(500 + FIRST_CHECK_DELAY_MS) };
    expect(nextBoardCheckAt(looked)).toEqual(at(500 + FIRST_CHECK_DELAY_MS + SECOND_CHECK_DELAY_MS));
    expect(nextBoardCheckAt({ ...looked, failedBoardChecks: 1, retryAfterSeconds: 900 })).toEqual(at(905_500));
    const again = decideOnMatch(
      { kind: "absent" },
      { search: answered, boardChecks: 2, wasAbsentBefore: false },
      at(30_500),
    );
    expect(again).toMatchObject({ at: at(500 + NEW_ATTEMPT_MS) });
  });

  test("R-SRV-03 after an outage of any length an outcome is settled within a minute", () => {
    const longAgo = { ...call, answeredAt: start, boardCheckedAt: at(DAY_MS), failedBoardChecks: 4_000 };
    // The last check failed just before Pinterest recovered.
    const firstCheck = nextBoardCheckAt(longAgo);
    const secondCheck = nextBoardCheckAt({
      ...longAgo,
      boardCheckedAt: firstCheck,
      failedBoardChecks: 0,
      boardChecks: 1,
    });
    const before = { search: longAgo, boardChecks: 2, wasAbsentBefore: false };
    const decision = decideOnMatch({ kind: "absent" }, before, secondCheck);
    expect(decision?.kind === "retry" && decision.at.getTime() - at(DAY_MS).getTime()).toBeLessThanOrEqual(
      45 * SECOND_MS,
    );
  });
});

describe("A-13 a removed account", () => {
  const call = {
    armedAt: start,
    calledAt: start,
    boardChecks: 0,
    failedBoardChecks: 0,
    boardCheckedAt: null,
    retryAfterSeconds: null,
  };
  const calling = { ...call, state: "calling" as const, answeredAt: null, problem: null, pinterestPinId: null };

  test("nothing sent: a draft; confirmed by Pinterest: published; unknown: a marked draft; in flight: not yet", () => {
    expect(decideOnRemoval(null, start)).toMatchObject({
      kind: "draft",
      reason: TEXTS.accountRemoved,
      mayBePublished: false,
    });
    expect(decideOnRemoval({ ...calling, state: "armed", calledAt: null }, start)).toMatchObject({
      kind: "draft",
      mayBePublished: false,
    });
    const answered = { ...calling, answeredAt: at(900) };
    expect(decideOnRemoval({ ...answered, pinterestPinId: "81" }, start)).toMatchObject({
      kind: "published",
      publishedAt: at(900),
    });
    expect(decideOnRemoval({ ...answered, problem: "unknown" }, start)).toMatchObject({
      kind: "draft",
      mayBePublished: true,
    });
    expect(decideOnRemoval({ ...answered, problem: "busy" }, start)).toMatchObject({
      kind: "draft",
      mayBePublished: false,
    });
    expect(decideOnRemoval(calling, at(CALL_LEASE_MS - 1))).toBeNull();
    expect(decideOnRemoval(calling, at(CALL_LEASE_MS))).toMatchObject({ kind: "draft", mayBePublished: true });
  });

  test("an unscheduled pin behaves the same, with a reason only when the outcome is unknown", () => {
    expect(decideOnUnscheduling(null, start)).toMatchObject({ kind: "draft", reason: null, mayBePublished: false });
    expect(decideOnUnscheduling(calling, at(CALL_LEASE_MS - 1))).toBeNull();
    expect(decideOnUnscheduling(calling, at(CALL_LEASE_MS))).toMatchObject({
      kind: "draft",
      reason: TEXTS.unscheduledUnclear,
      mayBePublished: true,
    });
  });

  test("R-SRV-03 a call's lease is longer than the longest call: four requests of 60 s and a refresh of 35 s", () => {
    expect(CALL_LEASE_MS).toBeGreaterThan((4 * 60 + 35) * SECOND_MS);
  });
});
