import { describe, expect, test } from "vitest";
import { check, type ViolationKind } from "#tests/faults/chaos/checker.ts";
import type { History, PinHistory, PinRequestHistory, TaskHistory, Transfer } from "#tests/faults/chaos/history.ts";

const at = (minute: number): Date => new Date(Date.UTC(2027, 2, 28, 0, minute));
const USER = "usr_1";
const COST = 2;
const GRANTED = 10;

const task = (id: string, changes: Partial<TaskHistory> = {}): TaskHistory => {
  return { id, status: "SUCCESS", reason: null, finishedAt: at(2), ...changes };
};

const pin = (id: string, changes: Partial<PinHistory> = {}): PinHistory => ({
  id,
  status: "published",
  reason: null,
  scheduledAt: at(10),
  pinterestPinId: `8${id}`,
  mayBePublished: false,
  calls: [at(10)],
  ...changes,
});

const pinRequest = (n: number, changes: Partial<PinRequestHistory> = {}): PinRequestHistory => ({
  n,
  url: `https://example.com/${n}`,
  keyword: `garden request ${n}`,
  userId: USER,
  generationFault: "generation",
  publishingFault: "publishing",
  wantedAt: at(10),
  tasks: [task(`task${n}`)],
  pins: [pin(`pin${n}`)],
  ...changes,
});

const transfer = (kind: string, cause: string, lines: Record<string, number>): Transfer => ({
  id: `${kind} ${cause}`,
  userId: USER,
  cause: `${kind === "grant" ? "grant" : kind === "reserve" ? "reserve" : "settle"}:${cause}`,
  kind,
  lines: Object.entries(lines).map(([account, credits]) => ({ account, credits })),
});

const reserve = (id: string) => transfer("reserve", id, { purchased: -COST, held: COST });
const spend = (id: string) => transfer("spend", id, { held: -COST, spent: COST });
const release = (id: string) => transfer("release", id, { held: -COST, purchased: COST });
const grant = transfer("grant", "x", { issued: -GRANTED, purchased: GRANTED });
const reservation = (reference: string, settledAt: Date | null = at(2)) => {
  return { reference, userId: USER, credits: COST, createdAt: at(0), settledAt };
};

/** Requests that created these pins in time, and one that was rejected. */
const logged = (...ids: string[]) => [
  { at: at(10), url: "https://example.com/1", created: null },
  ...ids.map((created) => ({ at: at(10), url: null, created })),
];

/** Two pins that were generated, paid and published correctly. */
const good = (): History => ({
  pinRequests: [pinRequest(0), pinRequest(1)],
  created: [0, 1].map((n) => ({ id: `8pin${n}`, url: `https://example.com/${n}`, createdAt: at(10) })),
  requests: logged("8pin0", "8pin1"),
  transfers: [grant, ...["task0", "task1"].flatMap((id) => [reserve(id), spend(id)])],
  reservations: [reservation("task0"), reservation("task1")],
  balances: [{ userId: USER, available: GRANTED - 2 * COST, held: 0 }],
  modelCalls: [0, 1].map((n) => ({ at: at(1), keyword: `garden request ${n}` })),
});

const kindsOf = (history: History): ViolationKind[] => [...new Set(check(history).violations.map(({ kind }) => kind))];

/** The valid history with its first pin request changed. */
const withFirst = (changes: Partial<PinRequestHistory>, rest: Partial<History> = {}): History => {
  return { ...good(), pinRequests: [pinRequest(0, changes), pinRequest(1)], ...rest };
};
const onlySecond = { created: good().created.slice(1), requests: logged("8pin1") };

/** The first task failed and its credits were returned. */
const refunded = (changes: Partial<TaskHistory> = {}): History =>
  withFirst(
    {
      tasks: [task("task0", { status: "FAILURE", reason: "The model refused.", ...changes })],
      pins: [],
      wantedAt: null,
    },
    {
      ...onlySecond,
      transfers: [grant, reserve("task0"), release("task0"), reserve("task1"), spend("task1")],
      balances: [{ userId: USER, available: GRANTED - COST, held: 0 }],
    },
  );

test("R-SRV-01 R-SRV-03 the checker finds nothing in valid histories", () => {
  expect(check(good()).violations).toEqual([]);
  expect(check(refunded()).violations).toEqual([]);
  const failed = { status: "failed", reason: "The board is gone.", pinterestPinId: null };
  expect(check(withFirst({ pins: [pin("pin0", failed)] }, onlySecond)).violations).toEqual([]);
  const unclear = { ...failed, mayBePublished: true };
  expect(check(withFirst({ pins: [pin("pin0", unclear)] })).violations).toEqual([]);
});

describe("R-SRV-03 the checker finds lost pins", () => {
  test.each<[string, History]>([
    ["never started", withFirst({ tasks: [], pins: [] }, onlySecond)],
    ["never finished", withFirst({ tasks: [task("task0", { status: "STARTED", finishedAt: null })] })],
    ["succeeded without a draft", withFirst({ pins: [] }, onlySecond)],
    ["given up without a reason", refunded({ reason: null })],
    ["still scheduled", withFirst({ pins: [pin("pin0", { status: "scheduled" })] }, onlySecond)],
    ["back to draft", withFirst({ pins: [pin("pin0", { status: "draft" })] }, onlySecond)],
    ["published, but not at Pinterest", { ...good(), ...onlySecond }],
    ["published with an unknown id", withFirst({ pins: [pin("pin0", { pinterestPinId: "8pin1" })] })],
    ["failed without a reason", withFirst({ pins: [pin("pin0", { status: "failed" })] }, onlySecond)],
    ["failed, but at Pinterest", withFirst({ pins: [pin("pin0", { status: "failed", reason: "No." })] })],
    ["created, but not in the request log", { ...good(), requests: logged("8pin1") }],
    ["only in the request log", { ...good(), requests: logged("8pin0", "8pin1", "8pin2") }],
  ])("%s", (_, history) => {
    expect(kindsOf(history)).toContain("lost");
  });
});

describe("R-SRV-03 the checker finds duplicates", () => {
  const again = { id: "8again", url: "https://example.com/0", createdAt: at(11) };
  const twice = { created: [...good().created, again], requests: logged("8pin0", "8pin1", "8again") };
  test.each<[string, History]>([
    ["created again", { ...good(), ...twice }],
    [
      "created again, though it failed",
      withFirst({ pins: [pin("pin0", { status: "failed", reason: "?", mayBePublished: true })] }, twice),
    ],
    ["two drafts for one pin request", withFirst({ pins: [pin("pin0"), pin("pin2")] })],
    ["two tasks for one pin request", withFirst({ tasks: [task("task0"), task("task2")] })],
    ["created without a link", { ...good(), ...twice, created: [...good().created, { ...again, url: null }] }],
    ["created without a pin of ours", withFirst({ pins: [] })],
    ["twice in the request log", { ...good(), requests: logged("8pin0", "8pin0", "8pin1") }],
  ])("%s", (_, history) => {
    expect(kindsOf(history)).toContain("duplicated");
  });
});

describe("R-SCH-09 the checker finds early calls", () => {
  const tooSoon = { at: at(9), url: "https://example.com/1", created: null };
  const early = {
    ...good().created[0],
    id: "8pin0",
    url: "https://example.com/0",
    createdAt: new Date(at(10).getTime() - 1),
  };
  test.each<[string, History]>([
    ["created a millisecond before its time", { ...good(), created: [early, ...good().created.slice(1)] }],
    ["called before its time, though rejected", withFirst({ pins: [pin("pin0", { calls: [at(9), at(10)] })] })],
    ["requested before its time, though rejected", { ...good(), requests: [...logged("8pin0", "8pin1"), tooSoon] }],
    ["scheduled for another time", withFirst({ pins: [pin("pin0", { scheduledAt: at(9) })] })],
    ["created without having been scheduled", withFirst({ wantedAt: null })],
  ])("%s", (_, history) => {
    expect(kindsOf(history)).toEqual(["early"]);
  });
});

describe("R-SRV-01 R-SRV-02 the checker finds wrong credits", () => {
  const { transfers } = good();
  const without = (kind: string, cause: string) => transfers.filter((item) => item.id !== `${kind} ${cause}`);
  const lopsided = transfer("grant", "y", { issued: -3, purchased: 2 });
  test.each<[string, History]>([
    ["generated without a reservation", { ...good(), reservations: [reservation("task1")] }],
    ["generated, but not paid", { ...good(), transfers: without("spend", "task0") }],
    ["paid and refunded", { ...good(), transfers: [...transfers, release("task0")] }],
    ["paid twice", { ...good(), transfers: [...transfers, { ...spend("task0"), id: "again" }] }],
    [
      "failed without a refund",
      { ...refunded(), transfers: refunded().transfers.filter(({ kind }) => kind !== "release") },
    ],
    ["refunded twice", { ...refunded(), transfers: [...refunded().transfers, { ...release("task0"), id: "again" }] }],
    ["still held after the end", { ...good(), reservations: [reservation("task0", null), reservation("task1")] }],
    ["a transfer that does not sum to zero", { ...good(), transfers: [...transfers, lopsided] }],
    ["a balance that is too high", { ...good(), balances: [{ userId: USER, available: 7, held: 0 }] }],
    ["a negative balance", { ...good(), balances: [{ userId: USER, available: -1, held: 0 }] }],
    ["credits held without a reservation", { ...good(), balances: [{ userId: USER, available: 6, held: 2 }] }],
    ["a model called before the reservation", { ...good(), modelCalls: [{ at: at(-1), keyword: "garden request 0" }] }],
    ["a model called long after its end", { ...good(), modelCalls: [{ at: at(4), keyword: "garden request 0" }] }],
    ["a model called without a keyword", { ...good(), modelCalls: [{ at: at(1), keyword: "" }] }],
  ])("%s", (_, history) => {
    expect(kindsOf(history)).toEqual(["credit"]);
  });
});
