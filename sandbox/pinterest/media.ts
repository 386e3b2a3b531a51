import { randomBytes } from "node:crypto";
import { createWriteStream, mkdirSync, renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { Busboy } from "@fastify/busboy";
import type { Context, Hono } from "hono";
import { isSimulating } from "../kit/faults.ts";
import { createApp, originOf, type StandInEnv } from "../kit/serve.ts";
import { ApiError, ERRORS } from "./errors.ts";
import { type Media, newId } from "./model.ts";
import { authorize, checkQuery, readBody } from "./requests.ts";
import type { Pinterest } from "./wire.ts";

/** Where videos are uploaded to: a storage of its own at the real service. */
export const UPLOAD_PATH = "/media-upload";
const MAX_VIDEO_BYTES = 2_000_000_000;

export function isProcessed({ clock, settings }: Pinterest, { uploadedAt, video }: Media): boolean {
  if (uploadedAt === undefined || video === undefined) return false;
  return clock.now().getTime() - Date.parse(uploadedAt) >= settings.videoProcessingSeconds * 1_000;
}

function statusOf(pinterest: Pinterest, media: Media, c: Context<StandInEnv>): string {
  if (media.uploadedAt === undefined) return "registered";
  if (isSimulating(c, "video-processing-fails")) return "failed";
  if (isSimulating(c, "video-processing-stuck")) return "processing";
  if (!media.isVideo) return "failed";
  return isProcessed(pinterest, media) ? "succeeded" : "processing";
}

/** `POST /media` and `GET /media/{media_id}`. */
export function mediaApi(pinterest: Pinterest): Hono<StandInEnv> {
  const app = createApp();
  app.post("/media", async (c) => {
    const { account } = authorize(pinterest, c, "org_write", ["pins:read", "pins:write"]);
    await readBody(pinterest, c, "/media");
    const id = newId((taken) => pinterest.store.state.media.has(taken));
    const media: Media = { id, accountId: account.id, policy: randomBytes(24).toString("base64") };
    pinterest.store.append({ kind: "media", media });
    c.set("created", id);
    return c.json(toRegistration(media, originOf(c)), 201);
  });
  app.get("/media/:id", (c) => {
    const { account } = authorize(pinterest, c, "org_read", ["pins:read"]);
    checkQuery(pinterest, c, "/media/{media_id}");
    const media = pinterest.store.state.media.get(c.req.param("id"));
    if (media?.accountId !== account.id) throw new ApiError(ERRORS.mediaNotFound);
    return c.json({ media_id: media.id, media_type: "video", status: statusOf(pinterest, media, c) });
  });
  return app;
}

function toRegistration({ id, policy }: Media, origin: string): Record<string, unknown> {
  return {
    ...{ media_id: id, media_type: "video", upload_url: `${origin}${UPLOAD_PATH}` },
    upload_parameters: {
      ...{ "Content-Type": "multipart/form-data", key: `uploads/3:video:${id}`, policy },
      ...{ "x-amz-algorithm": "AWS4-HMAC-SHA256", "x-amz-signature": policy.slice(0, 16) },
    },
  };
}

/** The storage's error, in its own format. */
function refuse(c: Context<StandInEnv>, status: 400 | 403 | 411, code: string, message: string): Response {
  const xml = `<?xml version="1.0" encoding="UTF-8"?><Error><Code>${code}</Code><Message>${message}</Message></Error>`;
  return c.body(xml, status, { "content-type": "application/xml" });
}

interface Received {
  fields: Map<string, string>;
  path: string;
  /** Whether the file begins like an MP4 or QuickTime file. */
  isVideo: boolean;
  isTooLarge: boolean;
}

/** Streams the file to disk; fields after the file are not read, as at the real storage. */
async function receive(c: Context<StandInEnv>, path: string): Promise<Received | null> {
  const parser = new Busboy({
    headers: { "content-type": c.req.header("content-type") ?? "" },
    limits: { fileSize: MAX_VIDEO_BYTES, files: 1 },
  });
  const received: Received = { fields: new Map(), path, isVideo: false, isTooLarge: false };
  /** The error of the write, or null. */
  let writing: Promise<unknown> | undefined;
  parser.on("field", (name, value) => {
    if (writing === undefined) received.fields.set(name, value);
  });
  parser.on("file", (name, stream) => {
    if (name !== "file") return stream.resume();
    stream.once("data", (chunk: Buffer) => {
      received.isVideo = ["ftyp", "moov", "mdat", "wide"].includes(chunk.toString("latin1", 4, 8));
    });
    stream.once("limit", () => {
      received.isTooLarge = true;
    });
    writing = pipeline(stream, createWriteStream(path)).then(
      () => null,
      (error: unknown) => error,
    );
  });
  const body = c.req.raw.body;
  if (body === null) return null;
  await pipeline(Readable.fromWeb(body as Parameters<typeof Readable.fromWeb>[0]), parser);
  const problem = await writing;
  if (problem instanceof Error) throw problem;
  return writing === undefined ? null : received;
}

/** `POST /media-upload`: the form that `POST /media` describes. */
export function uploadApi(pinterest: Pinterest): Hono<StandInEnv> {
  const app = createApp();
  app.post(UPLOAD_PATH, async (c) => {
    const { mediaFolder, store, clock } = pinterest;
    if (c.req.header("content-length") === undefined) {
      return refuse(c, 411, "MissingContentLength", "You must provide the Content-Length HTTP header.");
    }
    mkdirSync(mediaFolder, { recursive: true });
    const part = join(mediaFolder, `${randomBytes(12).toString("hex")}.part`);
    try {
      const received = await receive(c, part);
      if (received === null) return refuse(c, 400, "InvalidArgument", "POST requires exactly one file upload.");
      if (received.isTooLarge) return refuse(c, 400, "EntityTooLarge", "Your upload exceeds the maximum allowed size.");
      const id = /^uploads\/3:video:(\d+)$/.exec(received.fields.get("key") ?? "")?.[1] ?? "";
      const media = store.state.media.get(id);
      if (media === undefined || received.fields.get("policy") !== media.policy) {
        return refuse(c, 403, "AccessDenied", "Invalid according to Policy.");
      }
      renameSync(part, join(mediaFolder, `${id}.mp4`));
      const { isVideo } = received;
      store.append({ kind: "mediaUploaded", mediaId: id, uploadedAt: clock.now().toISOString(), isVideo });
      return c.body(null, 204);
    } finally {
      rmSync(part, { force: true });
    }
  });
  return app;
}
