import "server-only";
import { and, eq, isNull, lt, ne, or, sql } from "drizzle-orm";
import { pinterestAccounts } from "#db/schema/accounts.ts";
import { pins } from "#db/schema/pins.ts";
import { publishAttempts } from "#db/schema/publishing.ts";
import { isUniqueViolation, laterValue, preparedOnce } from "#db/sql.ts";
import { type Ctx, inTransaction } from "#lib/context.ts";
import { unreachable } from "#lib/core/errors.ts";
import type { AttemptId, PinId } from "#lib/core/ids.ts";
import { msUntil, toIso, toIsoOrNull } from "#lib/core/time.ts";
import { addDigestEntry, removeDigestEntries } from "#lib/features/notifications/digests.ts";
import { type Attempt, findAttempts, type Pin, toOwnAttempt } from "#lib/features/pins/queries.ts";
import { recordWebhookEvent } from "#lib/features/webhooks/recording.ts";
import type { CreatePinOutcome, PinterestProblem } from "#lib/integrations/pinterest/port.ts";
import { CALL_LEASE_MS, TEXTS } from "./constants.ts";
import {
  type Decision,
  decideOnCreated,
  decideOnRefusal,
  decideOnRemoval,
  hasUnknownOutcome,
  type Move,
  nextBoardCheckAt,
  type Refusal,
  scanAt,
} from "./policy.ts";
import { findAttempt, type Locked, lockScheduledPin, type PublishingAccount } from "./queries.ts";
import type { PinAttempt } from "./schema.ts";

const nextNumber = (pinId: unknown) =>
  sql`(select coalesce(max(number), 0) + 1 from ${publishAttempts} where pin_id = ${pinId})`;

const openStatement = preparedOnce((db) =>
  db
    .insert(publishAttempts)
    .values({
      id: sql.placeholder("id"),
      pinId: sql.placeholder("pinId"),
      scheduleGeneration: sql.placeholder("scheduleGeneration"),
      number: nextNumber(sql.placeholder("pinId")),
      armedAt: sql.placeholder("armedAt"),
      state: "armed",
    })
    .prepare("open_attempt"),
);

/** A pin that may already be published gets an attempt with an unknown outcome, which only checks the board. */
export const openAttempt = async (tx: Ctx, pin: Pin): Promise<AttemptId> => {
  const attempt = {
    id: tx.newId("attempt"),
    pinId: pin.id,
    scheduleGeneration: pin.scheduleGeneration,
    armedAt: tx.now(),
  };
  if (pin.mayBePublished) {
    await tx.db.insert(publishAttempts).values({
      ...attempt,
      number: nextNumber(pin.id),
      state: "calling",
      answeredAt: attempt.armedAt,
      problem: "unknown",
      note: TEXTS.boardCheckFirst,
    });
  } else {
    await openStatement(tx.db).execute(attempt);
  }
  return attempt.id;
};

type RefusedAttempt = Attempt & { answeredAt: Date; problem: PinterestProblem["kind"] };

const isRefused = (attempt: Attempt): attempt is RefusedAttempt =>
  attempt.state !== "settled" && attempt.answeredAt !== null && ![null, "unknown"].includes(attempt.problem);

/** What an open attempt's refusal means. Measured from `answeredAt`, so the result is stable. */
const readRefusal = async (ctx: Ctx, attempt: Attempt): Promise<Refusal | null> => {
  if (!isRefused(attempt)) return null;
  const { answeredAt, problem } = attempt;
  const all = await findAttempts(ctx, attempt.pinId);
  const tries = all.filter(
    (other) => other.scheduleGeneration === attempt.scheduleGeneration && other.outcome === "later",
  ).length;
  return decideOnRefusal(
    { kind: problem, text: attempt.problemText ?? "", retryAfterSeconds: attempt.retryAfterSeconds },
    tries,
    answeredAt,
  );
};

const pauseAccount = async (ctx: Ctx, account: PublishingAccount, until: Date): Promise<void> => {
  const isLonger = or(isNull(pinterestAccounts.pausedUntil), lt(pinterestAccounts.pausedUntil, until));
  await ctx.db
    .update(pinterestAccounts)
    .set({ pausedUntil: until })
    .where(and(eq(pinterestAccounts.id, account.id), isLonger));
};

const toDecision = (refusal: Refusal): Decision => {
  switch (refusal.kind) {
    case "fail":
      return { kind: "failed", outcome: "rejected", reason: refusal.reason, mayBePublished: false };
    case "reconnect":
      return { kind: "held", outcome: "later", reason: refusal.reason };
    case "retry":
      return { kind: "retry", outcome: "later", reason: refusal.reason, at: refusal.at };
  }
};

const decide = (open: Attempt, account: PublishingAccount, refusal: Refusal | null, now: Date): Decision | null => {
  if (account.status === "removed") return decideOnRemoval(open, now);
  return decideOnCreated(open, now) ?? (refusal && toDecision(refusal));
};

/** Nothing to settle yet: the call is in flight, its outcome is unknown, or another worker is about to make it. */
const continueAttempt = async (tx: Ctx, { pin }: Locked, open: Attempt): Promise<Move> => {
  const now = tx.now();
  if (!hasUnknownOutcome(open)) return { kind: "wait", afterMs: CALL_LEASE_MS };
  const until = nextBoardCheckAt(open);
  await tx.db
    .update(pins)
    .set({ wakeAt: scanAt(until, now) })
    .where(eq(pins.id, pin.id));
  return { kind: "check_board", afterMs: msUntil(until, now) };
};

/** Null for a refused attempt when the refusal isn't given. */
const settleLocked = (ctx: Ctx, input: PinAttempt, refusal: Refusal | null): Promise<Move | null> =>
  inTransaction(ctx, async (tx) => {
    const locked = await lockScheduledPin(tx, input);
    if (!locked) return { kind: "done", result: "superseded" };
    const { pin, account, open } = locked;
    if (open?.id !== input.attemptId) return { kind: "wait", afterMs: 0 };
    if (isRefused(open) && !refusal) return null;
    const decision = decide(open, account, refusal, tx.now());
    return decision
      ? applyDecision(tx, { pinId: pin.id, attemptId: open.id }, decision)
      : continueAttempt(tx, locked, open);
  });

/** Moves a pin according to its attempt log. Reads only the database, so any worker can run it again at any time. */
export const settleAttempt = async (ctx: Ctx, input: PinAttempt): Promise<Move> => {
  const settled = await settleLocked(ctx, input, null);
  if (settled) return settled;
  const found = await findAttempt(ctx, input);
  const refusal = found && (await readRefusal(ctx, found.attempt));
  // Before the pin is locked, as accounts are locked first everywhere.
  if (found && refusal?.kind === "retry" && refusal.pauseAccount) await pauseAccount(ctx, found.account, refusal.at);
  return (await settleLocked(ctx, input, refusal)) ?? { kind: "wait", afterMs: 0 };
};

type PinChange = Partial<typeof pins.$inferInsert>;

export const toPinChange = (decision: Decision, now: Date): PinChange => {
  switch (decision.kind) {
    case "published":
      return {
        status: "published",
        pinterestPinId: decision.pinterestPinId,
        publishedAt: decision.publishedAt,
        reason: null,
        mayBePublished: false,
        wakeAt: null,
      };
    case "failed":
      return { status: "failed", reason: decision.reason, mayBePublished: decision.mayBePublished, wakeAt: null };
    case "draft":
      return {
        status: "draft",
        reason: decision.reason,
        scheduledAt: null,
        wakeAt: null,
        // Keep a mark from an earlier schedule: its next run checks the board before it sends anything.
        ...(decision.mayBePublished && { mayBePublished: true }),
      };
    case "retry":
      return {
        reason: decision.reason,
        wakeAt: scanAt(decision.at, now),
        notBefore: decision.at,
        ...(decision.outcome === "absent" && { mayBePublished: false }),
      };
    case "held":
      // Already due, so that the scan starts a run as soon as the account is reconnected.
      return { reason: decision.reason, wakeAt: now };
    default:
      return unreachable(decision);
  }
};

const toMove = (decision: Decision, now: Date): Move =>
  decision.kind === "retry"
    ? { kind: "wait", afterMs: msUntil(decision.at, now) }
    : { kind: "done", result: decision.kind };

/** Each schedule of a pin is published or fails once. */
const announce = async (tx: Ctx, pin: typeof pins.$inferSelect, decision: Decision): Promise<void> => {
  const about = { userId: pin.userId, subject: pin.id, occasion: pin.scheduleGeneration };
  const { id, accountId, boardId, title, link, scheduledAt } = pin;
  const data = { pin_id: id, account_id: accountId, board_id: boardId, title, link };
  if (decision.kind === "published") {
    const { pinterestPinId, publishedAt } = decision;
    const published = { pinterest_pin_id: pinterestPinId, published_at: toIso(publishedAt) };
    await recordWebhookEvent(tx, { ...about, type: "pin.published", data: () => ({ ...data, ...published }) });
  }
  if (decision.kind === "failed") {
    const failed = { reason: decision.reason, may_be_published: decision.mayBePublished };
    const scheduled = { scheduled_at: toIsoOrNull(scheduledAt) };
    await recordWebhookEvent(tx, { ...about, type: "pin.failed", data: () => ({ ...data, ...scheduled, ...failed }) });
  }
};

/** Kept when the pin is published: another pin of it may be on the board. */
const duplicateNote = sql<string | null>`(
  select note from ${publishAttempts} where pin_id = ${pins.id} and note = ${TEXTS.duplicateCreated} limit 1)`;

const settleStatement = preparedOnce((db) =>
  db
    .update(publishAttempts)
    .set({
      state: "settled",
      outcome: laterValue("outcome", publishAttempts.outcome),
      settledAt: laterValue("settledAt", publishAttempts.settledAt),
      pinterestPinId: sql`coalesce(${sql.placeholder("pinterestPinId")}, ${publishAttempts.pinterestPinId})`,
    })
    .where(eq(publishAttempts.id, sql.placeholder("attemptId")))
    .prepare("settle_attempt"),
);

/** Settles the open attempt, if any, moves the pin, and reports a failure by email and to webhooks. The caller holds the pin's lock. */
export const applyDecision = async (
  tx: Ctx,
  target: { pinId: PinId; attemptId: AttemptId | null },
  decision: Decision,
): Promise<Move> => {
  const now = tx.now();
  if (target.attemptId) {
    const pinterestPinId = decision.kind === "published" ? decision.pinterestPinId : null;
    const settled = { attemptId: target.attemptId, outcome: decision.outcome, settledAt: now, pinterestPinId };
    await settleStatement(tx.db).execute(settled);
  }
  const [pin] = await tx.db
    .update(pins)
    .set({
      ...toPinChange(decision, now),
      ...(decision.kind === "published" && { reason: duplicateNote }),
      updatedAt: now,
    })
    .where(eq(pins.id, target.pinId))
    .returning();
  if (pin) await announce(tx, pin, decision);
  if (pin && decision.kind === "failed") {
    await addDigestEntry(tx, {
      userId: pin.userId,
      kind: "pins_failed",
      about: target.pinId,
      occasion: pin.scheduleGeneration,
      subject: pin.title || TEXTS.untitled,
      reason: decision.reason,
    });
  }
  tx.log.set({ publish_decision: decision.kind, outcome: decision.outcome });
  return toMove(decision, now);
};

const toColumns = (outcome: CreatePinOutcome) => {
  if (outcome.kind === "created") {
    return { pinterestPinId: outcome.pinterestPinId, httpStatus: outcome.httpStatus, note: outcome.note ?? null };
  }
  const { problem } = outcome;
  return {
    problem: outcome.kind === "unknown" ? ("unknown" as const) : problem.kind,
    problemText: problem.text,
    retryAfterSeconds: problem.retryAfterSeconds ?? null,
    httpStatus: problem.httpStatus ?? null,
    providerCode: problem.providerCode ?? null,
    providerMessage: problem.providerMessage ?? null,
  };
};

const recordDuplicate = async (tx: Ctx, { pinId, id }: Attempt): Promise<void> => {
  tx.log.set({ duplicate_created: true });
  const note = TEXTS.duplicateCreated;
  await tx.db.update(publishAttempts).set({ note }).where(eq(publishAttempts.id, id));
  await tx.db.update(pins).set({ reason: note }).where(eq(pins.id, pinId));
};

const mayHaveCreated = ({ calledAt, outcome, problem }: Attempt): boolean =>
  calledAt !== null &&
  outcome !== "later" &&
  outcome !== "rejected" &&
  (outcome !== null || problem === null || problem === "unknown");

/**
 * The call of an attempt that was given up created its pin after all. The pin is published, unless a later attempt's
 * call may have created a second one.
 */
const settleLate = async (tx: Ctx, late: Attempt, pinterestPinId: string): Promise<void> => {
  const { pinId, id: attemptId, calledAt } = late;
  const [pin] = await tx.db.select().from(pins).where(eq(pins.id, pinId)).for("update");
  // After the lock, under which calls begin.
  const later = (await findAttempts(tx, pinId)).filter(({ number }) => number > late.number);
  if (pin?.status === "published" || later.some(mayHaveCreated)) return recordDuplicate(tx, late);
  if (!pin || pin.status === "deleted") return;
  const isOpen = and(eq(publishAttempts.pinId, pinId), ne(publishAttempts.state, "settled"));
  const abandoned = { state: "settled", outcome: "abandoned", settledAt: tx.now() } as const;
  await tx.db.update(publishAttempts).set(abandoned).where(isOpen);
  const publishedAt = tx.now();
  await applyDecision(tx, { pinId, attemptId }, { kind: "published", outcome: "created", pinterestPinId, publishedAt });
  await tx.db
    .update(pins)
    .set({ scheduledAt: pin.scheduledAt ?? calledAt })
    .where(eq(pins.id, pinId));
  await removeDigestEntries(tx, { userIds: [pin.userId], kind: "pins_failed", about: [pinId] });
};

/** Records the answer. A pin id that another attempt already recorded makes the outcome unknown. */
export const recordAnswer = async (ctx: Ctx, { attemptId }: PinAttempt, outcome: CreatePinOutcome): Promise<void> => {
  const isWaiting = and(eq(publishAttempts.id, attemptId), isNull(publishAttempts.answeredAt));
  const answeredAt = sql`now()`;
  ctx.log.set({ create_outcome: outcome.kind });
  try {
    // One transaction: after a death between the two, no one would find that the answer came late.
    await inTransaction(ctx, async (tx) => {
      const [answered] = await tx.db
        .update(publishAttempts)
        .set({ ...toColumns(outcome), answeredAt })
        .where(isWaiting)
        .returning();
      const wasGivenUp = answered?.outcome === "absent" || answered?.outcome === "unclear";
      if (outcome.kind === "created" && wasGivenUp) {
        await settleLate(tx, toOwnAttempt(answered), outcome.pinterestPinId);
      }
    });
  } catch (error) {
    if (!isUniqueViolation(error)) throw error;
    await ctx.db
      .update(publishAttempts)
      .set({ problem: "unknown", note: TEXTS.pinIdTaken, answeredAt })
      .where(isWaiting);
  }
};

/** Records a refusal only if the attempt has not called yet, so that it can't replace the answer of another run's call. */
export const recordRefusal = async (ctx: Ctx, { attemptId }: PinAttempt, outcome: CreatePinOutcome): Promise<void> => {
  const isArmed = and(
    eq(publishAttempts.id, attemptId),
    eq(publishAttempts.state, "armed"),
    isNull(publishAttempts.answeredAt),
  );
  ctx.log.set({ create_outcome: outcome.kind });
  await ctx.db
    .update(publishAttempts)
    .set({ ...toColumns(outcome), answeredAt: sql`now()` })
    .where(isArmed);
};
