import "server-only";
import { and, eq, isNull, lt, or } from "drizzle-orm";
import { pinterestAccounts } from "#db/schema/accounts.ts";
import { pins } from "#db/schema/pins.ts";
import { publishAttempts } from "#db/schema/publishing.ts";
import { type Ctx, inTransaction } from "#lib/context.ts";
import { unreachable } from "#lib/core/errors.ts";
import type { AttemptId, PinId } from "#lib/core/ids.ts";
import { addMs, msUntil } from "#lib/core/time.ts";
import { addEntry } from "#lib/features/notifications/digests.ts";
import { type Attempt, findAttempts } from "#lib/features/pins/queries.ts";
import { CALL_LEASE_MS, PATIENCE_MS, TEXTS } from "./constants.ts";
import { isUnclear, type Move, nextLookAt, type Refusal, type Ruling, ruleOnRefusal, ruleOnRemoval } from "./policy.ts";
import { findAttempt, type Locked, lockScheduledPin, type PublishingAccount } from "./queries.ts";
import type { PinAttempt } from "./schema.ts";

/** What the recorded refusal of an open attempt means, else null. Counted from the answer, so that it stays the same. */
const readRefusal = async (ctx: Ctx, attempt: Attempt): Promise<Refusal | null> => {
  const { answeredAt, problem } = attempt;
  if (attempt.state === "settled" || !answeredAt || !problem || problem === "unknown") return null;
  const all = await findAttempts(ctx, attempt.pinId);
  const tries = all.filter(
    (other) => other.scheduleGeneration === attempt.scheduleGeneration && other.outcome === "later",
  ).length;
  return ruleOnRefusal(
    { kind: problem, text: attempt.problemText ?? "", retryAfterSeconds: attempt.retryAfterSeconds },
    tries,
    answeredAt,
  );
};

/** Holds back a whole account. Written before the pin is locked: accounts are locked first everywhere. */
const pauseAccount = async (ctx: Ctx, account: PublishingAccount, until: Date): Promise<void> => {
  const isLonger = or(isNull(pinterestAccounts.pausedUntil), lt(pinterestAccounts.pausedUntil, until));
  await ctx.db
    .update(pinterestAccounts)
    .set({ pausedUntil: until })
    .where(and(eq(pinterestAccounts.id, account.id), isLonger));
};

const toRuling = (refusal: Refusal): Ruling => {
  switch (refusal.kind) {
    case "fail":
      return { kind: "failed", outcome: "rejected", reason: refusal.reason, mayBePublished: false };
    case "reconnect":
      return { kind: "held", outcome: "later", reason: refusal.reason };
    case "again":
      return { kind: "again", outcome: "later", reason: refusal.reason, at: refusal.at };
  }
};

const rule = (open: Attempt, account: PublishingAccount, refusal: Refusal | null, now: Date): Ruling | null => {
  if (account.status === "removed") return ruleOnRemoval(open, now);
  if (open.pinterestPinId) {
    const { pinterestPinId } = open;
    return { kind: "published", outcome: "created", pinterestPinId, publishedAt: open.answeredAt ?? now };
  }
  return refusal && toRuling(refusal);
};

/** Nothing to settle yet: a call on its way, an unclear outcome, or an attempt that another worker is about to call. */
const goOn = async (tx: Ctx, { pin }: Locked, open: Attempt): Promise<Move> => {
  const now = tx.now();
  if (!isUnclear(open)) return { kind: "wait", afterMs: CALL_LEASE_MS };
  const until = nextLookAt(open);
  await tx.db
    .update(pins)
    .set({ wakeAt: addMs(until > now ? until : now, PATIENCE_MS) })
    .where(eq(pins.id, pin.id));
  return { kind: "look", afterMs: msUntil(until, now) };
};

/**
 * Moves a pin by what its attempt's receipt says (BRIEF §3, R-SRV-04). Reads nothing but the database, so it may run
 * again at any time and by anybody.
 */
export const settleAttempt = async (ctx: Ctx, input: PinAttempt): Promise<Move> => {
  const found = await findAttempt(ctx, input);
  const refusal = found && (await readRefusal(ctx, found.attempt));
  if (found && refusal?.kind === "again" && refusal.pauseAccount) await pauseAccount(ctx, found.account, refusal.at);
  return inTransaction(ctx, async (tx) => {
    const locked = await lockScheduledPin(tx, input);
    if (!locked) return { kind: "done", result: "superseded" };
    const { pin, account, open } = locked;
    // Settled by somebody else meanwhile: the next claim knows what follows.
    if (open?.id !== input.attemptId) return { kind: "wait", afterMs: 0 };
    const ruling = rule(open, account, refusal, tx.now());
    return ruling ? applyRuling(tx, { pinId: pin.id, attemptId: open.id }, ruling) : goOn(tx, locked, open);
  });
};

type PinChange = Partial<typeof pins.$inferInsert>;

const toPinChange = (ruling: Ruling, now: Date): PinChange => {
  switch (ruling.kind) {
    case "published":
      return {
        status: "published",
        pinterestPinId: ruling.pinterestPinId,
        publishedAt: ruling.publishedAt,
        reason: null,
        mayBePublished: false,
        wakeAt: null,
      };
    case "failed":
      return { status: "failed", reason: ruling.reason, mayBePublished: ruling.mayBePublished, wakeAt: null };
    case "draft":
      return {
        status: "draft",
        reason: ruling.reason,
        scheduledAt: null,
        wakeAt: null,
        // A mark of an earlier schedule stays: the next one looks before it sends.
        ...(ruling.mayBePublished && { mayBePublished: true }),
      };
    case "again":
      return {
        reason: ruling.reason,
        wakeAt: ruling.at,
        ...(ruling.outcome === "absent" && { mayBePublished: false }),
      };
    case "held":
      // Past at once, so that the sweep starts it as soon as the account is connected again.
      return { reason: ruling.reason, wakeAt: now };
    default:
      return unreachable(ruling);
  }
};

const toMove = (ruling: Ruling, now: Date): Move =>
  ruling.kind === "again" ? { kind: "wait", afterMs: msUntil(ruling.at, now) } : { kind: "done", result: ruling.kind };

/**
 * Settles the open attempt, if there is one, and moves the pin; the owner of one that failed is told by mail. The caller holds the pin's lock and has checked that
 * the pin is scheduled and the attempt open.
 */
export const applyRuling = async (
  tx: Ctx,
  on: { pinId: PinId; attemptId: AttemptId | null },
  ruling: Ruling,
): Promise<Move> => {
  const now = tx.now();
  if (on.attemptId) {
    await tx.db
      .update(publishAttempts)
      .set({
        state: "settled",
        outcome: ruling.outcome,
        settledAt: now,
        ...(ruling.kind === "published" && { pinterestPinId: ruling.pinterestPinId }),
      })
      .where(eq(publishAttempts.id, on.attemptId));
  }
  const [pin] = await tx.db
    .update(pins)
    .set({ ...toPinChange(ruling, now), updatedAt: now })
    .where(eq(pins.id, on.pinId))
    .returning({ userId: pins.userId, title: pins.title, scheduleGeneration: pins.scheduleGeneration });
  if (pin && ruling.kind === "failed") {
    await addEntry(tx, {
      // Rows of this table hold the ids of users.
      userId: pin.userId,
      kind: "pins_failed",
      about: on.pinId,
      occasion: pin.scheduleGeneration,
      subject: pin.title || TEXTS.untitled,
      reason: ruling.reason,
    });
  }
  tx.log.set({ ruling: ruling.kind, outcome: ruling.outcome });
  return toMove(ruling, now);
};
