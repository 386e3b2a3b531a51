import { sql } from "drizzle-orm";
import fc from "fast-check";
import { expect, test } from "vitest";
import { DAY_MS, HOUR_MS, MINUTE_MS } from "#lib/core/time.ts";
import { checkLedger } from "#lib/features/credits/ledger-check.ts";
import { contextOf } from "#tests/support/context.ts";
import { apply, copyOf, type Model, newModel } from "#tests/support/ledger-model.ts";
import { type OpTemplate, template } from "#tests/support/ledger-op-templates.ts";
import type { Answer, Op } from "#tests/support/ledger-ops.ts";
import { insertLedgerUser, type LedgerUser, perform } from "#tests/support/ledger-user.ts";
import { creditsHarness } from "./credits-harness.ts";

const harness = creditsHarness();

/** Override with LEDGER_SEED; the same seed repeats the same operations. */
const SEED = Number(process.env.LEDGER_SEED ?? 5);
/** The `ledger` suite runs more. */
const RUNS = Number(process.env.LEDGER_RUNS ?? 15);
const [WAVES, OPS] = [25, 8];

/** Half an hour away from every boundary, so that the seconds a run takes make no difference. */
const START = Date.parse("2026-10-03T12:30:00Z");
const WAVE_SHAPES = [
  [2, 2, 2, 2],
  [4, 1, 3, 0],
  [0, 4, 0, 4],
  [1, 3, 1, 3],
] as const;

const wave = fc.record({
  shape: fc.constantFrom(...WAVE_SHAPES),
  templates: fc.array(template, { minLength: OPS, maxLength: OPS }),
  /** Usually no time passes; sometimes a clock is set back. */
  hoursOn: fc.oneof(
    { weight: 6, arbitrary: fc.constant(0) },
    { weight: 3, arbitrary: fc.integer({ min: 1, max: 48 }) },
    { weight: 2, arbitrary: fc.integer({ min: 1, max: 30 * 24 }) },
    { weight: 1, arbitrary: fc.integer({ min: -36, max: -1 }) },
  ),
});

type Wave = typeof wave extends fc.Arbitrary<infer W> ? W : never;

const PERIOD_CREDITS = [15, 40] as const;

/** A user with every state that the results so far allow, because two orders can look the same. */
interface Subject {
  ledgerUser: LedgerUser;
  models: Model[];
}

const inHours = (now: number, count: number | null): number | null =>
  count === null ? null : Math.floor(now / HOUR_MS + count) * HOUR_MS;

/** Assigns a user and a time. What it refers to is taken from the first possible state. */
const toOp = (one: OpTemplate, { ledgerUser, models }: Subject, now: number): Op => {
  const [model = newModel()] = models;
  const lastPaid = model.lastPaid ?? { subscription: 0, startsAt: START };
  const name = (what: string, number: number) => `${ledgerUser.userId}.${what}${number}`;
  switch (one.kind) {
    case "need":
      return one;
    case "connect":
      return { ...one, account: ledgerUser.newReference() };
    case "grant":
      return { ...one, name: name("gift", one.nth) };
    case "buy":
      return { ...one, pack: name("txn", one.nth) };
    case "reserve":
      return { ...one, costs: one.costs.map((credits) => ({ credits, reference: ledgerUser.newReference() })) };
    case "settle": {
      const known = Object.keys(model.reservations);
      return { ...one, reference: known[one.pick % Math.max(1, known.length)] ?? "tsk_unknown" };
    }
    case "renew": {
      // A minute apart, so that no two subscriptions start a period at the same time.
      const startsAt = Math.floor((now - one.daysAgo * DAY_MS) / HOUR_MS) * HOUR_MS - (one.second ? MINUTE_MS : 0);
      const endsAt = inHours(now, one.endsInHours);
      const subscription = one.second ? 1 : 0;
      const credits = PERIOD_CREDITS[one.size];
      return { kind: "pay", subscription, startsAt, credits, plan: "basic", endsAt, canRestore: true };
    }
    case "raise": {
      const endsAt = model.planEndsAt;
      const { credits, canRestore } = one;
      return { kind: "pay", ...lastPaid, credits, plan: "growth", endsAt, canRestore };
    }
    case "again": {
      const subscription = one.second ? 1 : 0;
      const own = Object.values(model.opened).filter((opened) => opened.subscription === subscription);
      const [newest] = own.toSorted((a, b) => b.startsAt - a.startsAt);
      const first = { startsAt: START - (one.second ? MINUTE_MS : 0), level: PERIOD_CREDITS[0] };
      const { startsAt, level } = newest ?? first;
      return { kind: "pay", subscription, startsAt, credits: level, plan: "basic", endsAt: null, canRestore: true };
    }
    case "end":
      return { kind: "end", plan: one.plan, endsAt: inHours(now, one.inHours) };
    case "refund":
      return { ...one, pack: name("txn", one.nth), adjustment: name("adj", one.adjustment) };
    case "refundPlan":
      return { ...one, ...lastPaid, adjustment: name("adj", one.adjustment) };
    case "reverse":
      return { ...one, adjustment: name("adj", one.adjustment) };
  }
};

const same = (one: unknown, other: unknown): boolean => JSON.stringify(one) === JSON.stringify(other);

/** Every state reached by some order of the operations in which each returns its actual result. */
const followers = (model: Model, done: readonly { op: Op; answer: Answer }[], now: number): Model[] => {
  if (done.length === 0) return [model];
  return done.flatMap(({ op, answer }, at) => {
    const next = copyOf(model);
    return same(apply(next, op, now), answer) ? followers(next, done.toSpliced(at, 1), now) : [];
  });
};

const keyOf = (model: Model): string => JSON.stringify({ ...model, causes: model.causes.toSorted() });

/** The database's state of a user in the model's form. */
type Held = Pick<Model, "allowance" | "purchased" | "held" | "period" | "granted" | "isEmailSent" | "emails"> & {
  userId: string;
  transfers: number;
};

const HELD = ["allowance", "purchased", "held", "period", "granted", "isEmailSent", "emails", "transfers"] as const;

const readHeld = async (userIds: readonly string[]): Promise<Map<string, Held>> => {
  const ids = sql.join(
    userIds.map((id) => sql`${id}`),
    sql`, `,
  );
  const rows = await harness().database.db.execute<
    Held & { sums: string; balance: string } & Record<string, unknown>
  >(sql`
    with lines as (
      select t.user_id, count(distinct t.id)::int as transfers, count(distinct t.cause)::int as causes,
        coalesce(sum(l.credits), 0)::int as zero,
        coalesce(sum(l.credits) filter (where l.account = 'allowance'), 0)::int as allowance,
        coalesce(sum(l.credits) filter (where l.account = 'purchased'), 0)::int as purchased,
        coalesce(sum(l.credits) filter (where l.account = 'held'), 0)::int as held
      from credit_transfers t join credit_lines l on l.transfer_id = t.id where t.user_id in (${ids}) group by t.user_id)
    select b.user_id as "userId", b.allowance, b.purchased, b.held, b.period, b.granted,
      b.low_notified_at is not null as "isEmailSent", coalesce(s.transfers, 0) as transfers,
      (select count(*)::int from email_outbox m where m.user_id = b.user_id and m.content->>'kind' = 'credits_low') as emails,
      concat_ws(' ', 0, coalesce(s.transfers, 0), coalesce(s.allowance, 0), coalesce(s.purchased, 0), coalesce(s.held, 0)) as balance,
      concat_ws(' ', coalesce(s.zero, 0), coalesce(s.causes, 0), b.allowance, b.purchased, b.held) as sums
    from credit_balances b left join lines s on s.user_id = b.user_id where b.user_id in (${ids})`);
  for (const { sums, balance } of rows) expect(sums, "entries, causes and balance").toBe(balance);
  return new Map(rows.map((row) => [row.userId, row]));
};

const EMPTY = {
  allowance: 0,
  purchased: 0,
  held: 0,
  period: "",
  granted: 0,
  isEmailSent: false,
  emails: 0,
  transfers: 0,
};

const pickHeld = (from: Omit<Held, "userId">) => HELD.map((field) => from[field]);

/** Runs a wave for all users concurrently, then requires that some order of it explains every result and state. */
const runWave = async (subjects: readonly Subject[], { shape, templates }: Wave, now: number) => {
  const queue = [...templates];
  const acts = subjects.map((subject, at) =>
    queue.splice(0, shape[at]).map((one) => ({ subject, op: toOp(one, subject, now) })),
  );
  const done = await Promise.all(
    acts.map((own) =>
      Promise.all(own.map(async ({ subject, op }) => ({ op, answer: await perform(subject.ledgerUser, op) }))),
    ),
  );
  const held = await readHeld(subjects.map(({ ledgerUser }) => ledgerUser.userId));
  for (const [at, subject] of subjects.entries()) {
    const own = done[at] ?? [];
    const has = pickHeld(held.get(subject.ledgerUser.userId) ?? EMPTY);
    const possible = subject.models
      .flatMap((model) => followers(model, own, now))
      .filter((model) => same(pickHeld({ ...model, transfers: model.causes.length }), has));
    if (possible.length === 0) {
      const before = subject.models.map((model) => ({ ...model, causes: model.causes.length }));
      expect.fail(`No order explains it.\n${JSON.stringify({ now: new Date(now), before, own, has }, null, 1)}`);
    }
    subject.models = [...new Map(possible.map((model) => [keyOf(model), model])).values()];
  }
};

test(`R-SRV-01, A-25: ${RUNS * WAVES * OPS} concurrent random operations match the model (seed ${SEED})`, async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(wave, { minLength: WAVES, maxLength: WAVES }), async (waves) => {
      const ctx = contextOf(harness(), { kind: "job", name: "model" });
      const ledgerUsers = await Promise.all(WAVE_SHAPES[0].map(() => insertLedgerUser(ctx)));
      const subjects = ledgerUsers.map((ledgerUser): Subject => ({ ledgerUser, models: [newModel()] }));
      let now = START;
      for (const one of waves) {
        now += one.hoursOn * HOUR_MS;
        await harness().moveClock(now - harness().now().getTime());
        await runWave(subjects, one, now);
      }
    }),
    { numRuns: RUNS, seed: SEED, endOnFailure: true },
  );
  const { faults, transfers } = await checkLedger(contextOf(harness(), { kind: "job", name: "model" }));
  expect(faults).toEqual([]);
  expect(transfers).toBeGreaterThan(RUNS * WAVES);
}, 900_000);
