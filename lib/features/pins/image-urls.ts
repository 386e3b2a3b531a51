import "server-only";
import type { Ctx } from "#lib/context.ts";
import { equalInConstantTime, signText } from "#lib/core/crypto.ts";
import { DAY_MS, HOUR_MS, SECOND_MS } from "#lib/core/time.ts";
import { IMAGE_LINK_DAYS, IMAGE_PATH, SIGNED_IMAGE_FOLDER, VIDEO_PATH } from "./constants.ts";

/** A URL stays the same for this long, so that browsers can cache it, and then works for as long again. */
const WINDOW_MS = 12 * HOUR_MS;

type SignCtx = { now: () => Date; settings: Pick<Ctx["settings"], "tokenSecret"> };

/** Spreads the ends of the windows, so that a user's images don't all get new URLs at once. */
const offsetOf = (key: string): number => {
  let hash = 0;
  for (const char of key) hash = (hash * 31 + char.charCodeAt(0)) % WINDOW_MS;
  return hash;
};

/** 132 bits. */
const signatureOf = ({ settings }: SignCtx, key: string, expires: number): string =>
  signText(settings.tokenSecret, `image:${expires}:${key}`).slice(0, 22);

interface Signed {
  expires: number;
  path: string;
}

/** Lists are read again and again, and a signature costs more than anything else in their rows. */
const SIGNED_MAX = 20_000;
const signedPaths = new WeakMap<SignCtx["settings"], Map<string, Signed>>();

const knownPaths = ({ settings }: SignCtx): Map<string, Signed> => {
  const known = signedPaths.get(settings) ?? new Map<string, Signed>();
  signedPaths.set(settings, known);
  return known;
};

const remember = (known: Map<string, Signed>, key: string, signed: Signed): string => {
  known.delete(key);
  const [oldest] = known.size < SIGNED_MAX ? [] : known.keys();
  if (oldest !== undefined) known.delete(oldest);
  known.set(key, signed);
  return signed.path;
};

/** The part of a signed path below `/api/images/` or `/api/videos/`. */
const signedPath = (ctx: SignCtx, key: string, extraMs: number): string => {
  const offset = offsetOf(key);
  const end = (Math.floor((ctx.now().getTime() + offset) / WINDOW_MS) + 2) * WINDOW_MS - offset + extraMs;
  const expires = Math.floor(end / SECOND_MS);
  const known = knownPaths(ctx);
  const signed = known.get(key);
  if (signed?.expires === expires) return signed.path;
  const path = `${SIGNED_IMAGE_FOLDER}/${expires}/${signatureOf(ctx, key, expires)}/${key}`;
  return remember(known, key, { expires, path });
};

/** The path of an image for its owner; works for 12 to 24 hours, plus `extraMs`. Also works for its thumbnails. */
export const signedImageUrl = (ctx: SignCtx, key: string, extraMs = 0): string =>
  `${IMAGE_PATH}${signedPath(ctx, key, extraMs)}`;

/** The path of a video for its owner, likewise. */
export const signedVideoUrl = (ctx: SignCtx, key: string, extraMs = 0): string =>
  `${VIDEO_PATH}${signedPath(ctx, key, extraMs)}`;

/** The path of a pin's image: public once it is on Pinterest, signed before. */
export const pinImageUrl = (ctx: SignCtx, { imageKey, status }: { imageKey: string; status: string }): string =>
  status === "published" ? `${IMAGE_PATH}${imageKey}` : signedImageUrl(ctx, imageKey);

interface ExportedImage {
  imageKey: string;
  status: string;
  scheduledAt?: Date | null;
}

/**
 * A complete URL for a file that is read later; works for at least {@link IMAGE_LINK_DAYS} days, and until the time of a
 * scheduled pin: a bulk file of Pinterest's is uploaded at most two weeks before that.
 */
export const exportedImageUrl = (ctx: Ctx, pin: ExportedImage): string => {
  const { imageKey, status, scheduledAt } = pin;
  const untilDue = status === "scheduled" && scheduledAt ? scheduledAt.getTime() - ctx.now().getTime() : 0;
  // In whole windows, so that a repeated export has the same URLs.
  const extraMs = Math.max(IMAGE_LINK_DAYS * DAY_MS, Math.ceil(untilDue / WINDOW_MS) * WINDOW_MS);
  const path = status === "published" ? pinImageUrl(ctx, pin) : signedImageUrl(ctx, imageKey, extraMs);
  return `${ctx.settings.appUrl}${path}`;
};

/** Like {@link exportedImageUrl}. */
export const exportedVideoUrl = (ctx: Ctx, videoKey: string): string =>
  `${ctx.settings.appUrl}${signedVideoUrl(ctx, videoKey, IMAGE_LINK_DAYS * DAY_MS)}`;

/** For how many seconds a signed path still works; 0 when the signature is wrong or has expired. */
export const signedSecondsLeft = (
  ctx: SignCtx,
  { key, expires, signature }: { key: string; expires: number; signature: string },
): number => {
  const left = expires - Math.floor(ctx.now().getTime() / SECOND_MS);
  return left > 0 && equalInConstantTime(signature, signatureOf(ctx, key, expires)) ? left : 0;
};
