import "server-only";
import { randomUUID } from "node:crypto";
import { and, eq, gt, inArray, isNotNull, lt, ne, or, sql } from "drizzle-orm";
import { videoUploads } from "#db/schema/formats.ts";
import { pins } from "#db/schema/pins.ts";
import { type Ctx, databaseTime } from "#lib/context.ts";
import { AppError, messageOf } from "#lib/core/errors.ts";
import { addMs, msUntil, SECOND_MS } from "#lib/core/time.ts";
import { withAccessToken } from "#lib/features/accounts/access-tokens.ts";
import { findVideos, type Pin, type PinVideo } from "#lib/features/pins/queries.ts";
import { openVideo } from "#lib/features/pins/storage-outages.ts";
import type {
  PinterestProblem,
  PinterestResult,
  VideoRegistration,
  VideoStatus,
} from "#lib/integrations/pinterest/port.ts";
import {
  ARRIVAL_MAX_MS,
  CHECK_FIRST_DELAY_MS,
  CHECK_MAX_DELAY_MS,
  PROCESSING_MAX_MS,
  TEXTS,
  UPLOAD_LEASE_MS,
  UPLOAD_LIFE_MS,
  UPLOAD_RENEW_MS,
  UPLOAD_TURN_MS,
  UPLOADS_PER_ACCOUNT,
} from "./constants.ts";

type VideoCtx = Ctx<"pinterest" | "storage">;
type Upload = typeof videoUploads.$inferSelect;

/** What happens next with a pin's video at Pinterest. `reason` is for the pin while it waits. */
type VideoStep =
  | { kind: "ready"; mediaId: string }
  | { kind: "wait"; afterMs: number; reason: string }
  | { kind: "refused"; problem: PinterestProblem }
  | { kind: "storage_down" };

const refused = (kind: PinterestProblem["kind"], text: string): VideoStep => ({
  kind: "refused",
  problem: { kind, text },
});

/** Problems with the account's token become those of the call. */
const call = async <T>(
  ctx: VideoCtx,
  { accountId }: Pin,
  send: (accessToken: string) => Promise<PinterestResult<T>>,
): Promise<PinterestResult<T>> => {
  try {
    return await withAccessToken(ctx, accountId, send);
  } catch (error) {
    if (!(error instanceof AppError) || !(error.retry || error.code === "reconnect_needed")) throw error;
    const kind = error.code === "reconnect_needed" ? ("token_dead" as const) : ("unavailable" as const);
    const { retryAfterSeconds } = error;
    const problem = { kind, text: error.message, ...(retryAfterSeconds !== undefined && { retryAfterSeconds }) };
    return { kind: "problem", problem };
  }
};

const findUpload = async (ctx: Ctx, { id }: Pin): Promise<Upload | null> => {
  const [row] = await ctx.db.select().from(videoUploads).where(eq(videoUploads.pinId, id));
  return row ?? null;
};

const inMs = (ms: number) => sql`now() + make_interval(secs => ${ms / SECOND_MS})`;

const isHeldBy = (pin: Pin, holder: string) =>
  and(eq(videoUploads.pinId, pin.id), eq(videoUploads.holder, holder), eq(videoUploads.state, "uploading"));

/** Takes over from a run that is dead and from an upload that is too old; null when another run was faster. */
const claimUpload = async (ctx: Ctx, pin: Pin): Promise<string | null> => {
  const fresh = { state: "uploading" as const, holder: randomUUID(), leaseUntil: inMs(UPLOAD_LEASE_MS) };
  const empty = { mediaId: null, uploadedAt: null, checks: 0, checkedAt: null };
  const isDead = and(eq(videoUploads.state, "uploading"), lt(videoUploads.leaseUntil, sql`now()`));
  const isOld = and(isNotNull(videoUploads.uploadedAt), lt(videoUploads.uploadedAt, inMs(-UPLOAD_LIFE_MS)));
  const claimed = await ctx.db
    .insert(videoUploads)
    .values({ ...fresh, pinId: pin.id })
    .onConflictDoUpdate({ target: videoUploads.pinId, set: { ...fresh, ...empty }, setWhere: or(isDead, isOld) })
    .returning({ holder: videoUploads.holder });
  return claimed[0]?.holder ?? null;
};

/** The next run registers and uploads again. */
const dropUpload = async (ctx: Ctx, pin: Pin, holder: string): Promise<void> => {
  await ctx.db.delete(videoUploads).where(and(eq(videoUploads.pinId, pin.id), eq(videoUploads.holder, holder)));
};

/** Renews the lease until `stop`. A run whose lease is gone stops sending. */
const holdLease = (ctx: Ctx, pin: Pin, holder: string) => {
  const lost = new AbortController();
  const renew = async () => {
    const renewed = await ctx.db
      .update(videoUploads)
      .set({ leaseUntil: inMs(UPLOAD_LEASE_MS) })
      .where(isHeldBy(pin, holder))
      .returning({ pinId: videoUploads.pinId });
    if (renewed.length === 0) lost.abort();
  };
  const timer = setInterval(() => {
    // A failure is repaired by the next renewal; if none succeeds, another run takes over.
    renew().catch((error: unknown) => ctx.log.set({ upload_lease_problem: messageOf(error) }));
  }, UPLOAD_RENEW_MS);
  return { signal: AbortSignal.any([lost.signal, ctx.stopping]), stop: () => clearInterval(timer) };
};

/** Stores the media id before the first byte is sent. @returns whether this run still holds the upload */
const recordRegistration = async (ctx: Ctx, pin: Pin, holder: string, mediaId: string): Promise<boolean> => {
  const recorded = await ctx.db
    .update(videoUploads)
    .set({ mediaId, leaseUntil: inMs(UPLOAD_LEASE_MS) })
    .where(isHeldBy(pin, holder))
    .returning({ pinId: videoUploads.pinId });
  return recorded.length > 0;
};

const sendVideo = async (
  ctx: VideoCtx,
  { pin, holder, video }: { pin: Pin; holder: string; video: PinVideo },
  registration: VideoRegistration,
): Promise<PinterestResult<null> | "missing" | "unavailable"> => {
  const stored = await openVideo(ctx, video.videoKey);
  if (stored === "missing" || stored === "unavailable") return stored;
  const lease = holdLease(ctx, pin, holder);
  try {
    ctx.log.count("pinterest_video_uploads");
    return await ctx.pinterest.uploadVideo(registration, { ...stored, contentType: video.contentType }, lease.signal);
  } finally {
    lease.stop();
  }
};

/** Registers and uploads in one go: an upload that was cut can't be continued, only started again. */
const uploadHeld = async (ctx: VideoCtx, pin: Pin, holder: string): Promise<VideoStep | "sent"> => {
  const [video] = await findVideos(ctx, [pin.id]);
  if (!video) return refused("rejected", TEXTS.videoMissing);
  const registered = await call(ctx, pin, (accessToken) => ctx.pinterest.registerVideo(accessToken));
  if (registered.kind === "problem") return { kind: "refused", problem: registered.problem };
  const { value: registration } = registered;
  if (!(await recordRegistration(ctx, pin, holder, registration.mediaId))) {
    return { kind: "wait", afterMs: UPLOAD_LEASE_MS, reason: TEXTS.uploading };
  }
  const sent = await sendVideo(ctx, { pin, holder, video }, registration);
  if (sent === "missing") return refused("rejected", TEXTS.videoMissing);
  if (sent === "unavailable") return { kind: "storage_down" };
  if (sent.kind === "ok") return "sent";
  // A stopping process leaves the pin to another one.
  if (ctx.stopping.aborted) return { kind: "wait", afterMs: SECOND_MS, reason: TEXTS.uploading };
  const { problem } = sent;
  return {
    kind: "refused",
    problem: problem.httpStatus === undefined ? { ...problem, text: TEXTS.uploadCut } : problem,
  };
};

const countOtherUploads = async (ctx: Ctx, { id, accountId }: Pin): Promise<number> =>
  ctx.db.$count(
    videoUploads,
    and(
      eq(videoUploads.state, "uploading"),
      ne(videoUploads.pinId, id),
      gt(videoUploads.leaseUntil, sql`now()`),
      inArray(videoUploads.pinId, ctx.db.select({ id: pins.id }).from(pins).where(eq(pins.accountId, accountId))),
    ),
  );

const startUpload = async (ctx: VideoCtx, pin: Pin): Promise<VideoStep> => {
  if ((await countOtherUploads(ctx, pin)) >= UPLOADS_PER_ACCOUNT) {
    return { kind: "wait", afterMs: UPLOAD_TURN_MS, reason: TEXTS.uploading };
  }
  const holder = await claimUpload(ctx, pin);
  if (!holder) return { kind: "wait", afterMs: CHECK_FIRST_DELAY_MS, reason: TEXTS.uploading };
  const step = await uploadHeld(ctx, pin, holder).catch(async (error: unknown) => {
    await dropUpload(ctx, pin, holder);
    throw error;
  });
  if (step !== "sent") {
    await dropUpload(ctx, pin, holder);
    return step;
  }
  await ctx.db.update(videoUploads).set({ state: "processing", uploadedAt: sql`now()` }).where(isHeldBy(pin, holder));
  return { kind: "wait", afterMs: CHECK_FIRST_DELAY_MS, reason: TEXTS.processing };
};

const delayOf = (checks: number): number =>
  Math.min(CHECK_MAX_DELAY_MS, CHECK_FIRST_DELAY_MS * 2 ** Math.min(checks, 10));

const keepWaiting = async (ctx: Ctx, { pinId, holder, checks }: Upload): Promise<VideoStep> => {
  await ctx.db
    .update(videoUploads)
    .set({ checks: checks + 1, checkedAt: sql`now()` })
    .where(and(eq(videoUploads.pinId, pinId), eq(videoUploads.holder, holder), eq(videoUploads.checks, checks)));
  return { kind: "wait", afterMs: delayOf(checks + 1), reason: TEXTS.processing };
};

const applyStatus = async (ctx: Ctx, pin: Pin, upload: Upload, status: VideoStatus, now: Date): Promise<VideoStep> => {
  const ageMs = now.getTime() - (upload.uploadedAt ?? now).getTime();
  if (status === "succeeded" && upload.mediaId !== null) {
    await ctx.db
      .update(videoUploads)
      .set({ state: "ready" })
      .where(and(eq(videoUploads.pinId, pin.id), eq(videoUploads.holder, upload.holder)));
    return { kind: "ready", mediaId: upload.mediaId };
  }
  const hasNotArrived = status === "registered" && ageMs > ARRIVAL_MAX_MS;
  if (status !== "failed" && !hasNotArrived && ageMs <= PROCESSING_MAX_MS) return keepWaiting(ctx, upload);
  await dropUpload(ctx, pin, upload.holder);
  if (hasNotArrived) return refused("unavailable", TEXTS.uploadCut);
  return refused("rejected", status === "failed" ? TEXTS.processingFailed : TEXTS.processingStuck);
};

const checkProcessing = async (ctx: VideoCtx, pin: Pin, upload: Upload): Promise<VideoStep> => {
  const { mediaId } = upload;
  if (mediaId === null) return startUpload(ctx, pin);
  const now = await databaseTime(ctx);
  const nextAt = addMs(upload.checkedAt ?? upload.uploadedAt ?? now, delayOf(upload.checks));
  if (nextAt > now) return { kind: "wait", afterMs: msUntil(nextAt, now), reason: TEXTS.processing };
  const answer = await call(ctx, pin, (accessToken) => ctx.pinterest.readVideoStatus(accessToken, mediaId));
  if (answer.kind === "ok") return applyStatus(ctx, pin, upload, answer.value, now);
  if (answer.problem.kind !== "not_found") return { kind: "refused", problem: answer.problem };
  await dropUpload(ctx, pin, upload.holder);
  return refused("unavailable", TEXTS.uploadCut);
};

/**
 * The next step of bringing a pin's video to Pinterest; safe to repeat and to run twice at once. It never creates a
 * pin. A refusal ends the caller's attempt, and a later one goes on from where the upload is.
 */
export const advanceVideo = async (ctx: VideoCtx, pin: Pin): Promise<VideoStep> => {
  const upload = await findUpload(ctx, pin);
  const now = await databaseTime(ctx);
  if (!upload) return startUpload(ctx, pin);
  if (upload.uploadedAt && upload.uploadedAt < addMs(now, -UPLOAD_LIFE_MS)) return startUpload(ctx, pin);
  if (upload.state === "processing") return checkProcessing(ctx, pin, upload);
  if (upload.state === "ready" && upload.mediaId !== null) return { kind: "ready", mediaId: upload.mediaId };
  if (upload.leaseUntil < now) return startUpload(ctx, pin);
  return { kind: "wait", afterMs: msUntil(upload.leaseUntil, now), reason: TEXTS.uploading };
};

/** The media id of a processed video, or null while `advanceVideo` has work to do. */
export const findReadyVideo = async (ctx: Ctx, pin: Pin): Promise<string | null> => {
  const upload = await findUpload(ctx, pin);
  const isOld = upload?.uploadedAt && upload.uploadedAt < addMs(await databaseTime(ctx), -UPLOAD_LIFE_MS);
  return upload?.state === "ready" && !isOld ? upload.mediaId : null;
};

/** A retry uploads the video again, since Pinterest may have refused the pin because of it. */
export const forgetVideo = async (ctx: Ctx, pin: Pin): Promise<void> => {
  await ctx.db.delete(videoUploads).where(eq(videoUploads.pinId, pin.id));
};
