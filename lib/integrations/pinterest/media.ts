import { randomUUID } from "node:crypto";
import http, { type IncomingMessage } from "node:http";
import https from "node:https";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { z } from "zod";
import { MINUTE_MS } from "#lib/core/time.ts";
import { readReply, send, toNoResponseReason } from "./http.ts";
import type { PinterestPort, PinterestProblem, PinterestResult, VideoFile, VideoRegistration } from "./port.ts";
import { noResponseProblem } from "./problems.ts";

const mediaId = z.string().regex(/^\d{1,40}$/);

/** `POST /media`. The parameters are the fields of the upload's form. */
const registrationShape = z
  .object({
    media_id: mediaId,
    upload_url: z.url({ protocol: /^https?$/ }),
    upload_parameters: z.record(z.string(), z.string()),
  })
  .transform(
    (raw): VideoRegistration => ({
      ...{ mediaId: raw.media_id, uploadUrl: raw.upload_url, parameters: raw.upload_parameters },
    }),
  );

/** `GET /media/{media_id}` */
const mediaShape = z
  .object({ status: z.enum(["registered", "processing", "succeeded", "failed"]) })
  .transform(({ status }) => status);

const partHead = (boundary: string, name: string, more = ""): string =>
  `--${boundary}\r\nContent-Disposition: form-data; name="${name.replaceAll('"', "%22")}"${more}\r\n`;

/** The form as it is sent: all fields, then the file, as the storage behind the upload URL requires. */
const formOf = ({ parameters }: VideoRegistration, { contentType, bytes }: VideoFile) => {
  const boundary = `form-${randomUUID()}`;
  const fields = Object.entries(parameters).map(([name, value]) => `${partHead(boundary, name)}\r\n${value}\r\n`);
  const name = contentType === "video/mp4" ? "video.mp4" : "video.mov";
  const file = `${partHead(boundary, "file", `; filename="${name}"`)}Content-Type: ${contentType}\r\n\r\n`;
  const [head, tail] = [Buffer.from(fields.join("") + file), Buffer.from(`\r\n--${boundary}--\r\n`)];
  return { boundary, head, tail, bytes: head.length + bytes + tail.length };
};

async function* bodyOf(head: Buffer, video: VideoFile, tail: Buffer): AsyncGenerator<Uint8Array> {
  yield head;
  yield* video.body as AsyncIterable<Buffer>;
  yield tail;
}

const CUT: PinterestProblem = { kind: "unavailable", text: "The video upload to Pinterest was interrupted." };

/** The storage answers in XML, of which only the message may be of use. */
const refusalOf = (status: number, text: string): PinterestProblem => {
  const message = /<Message>([^<]{1,300})<\/Message>/.exec(text)?.[1];
  return {
    // Another registration gets another form, which may be accepted.
    kind: "unavailable",
    text: "Pinterest didn't accept the video upload.",
    httpStatus: status,
    ...(message !== undefined && { providerMessage: message }),
  };
};

const ANSWER_CHARS_MAX = 10_000;

const readAnswer = async (response: IncomingMessage): Promise<{ status: number; text: string }> => {
  let text = "";
  for await (const chunk of response.setEncoding("utf8")) {
    text += chunk;
    if (text.length >= ANSWER_CHARS_MAX) break;
  }
  return { status: response.statusCode ?? 0, text: text.slice(0, ANSWER_CHARS_MAX) };
};

/** Without `fetch`, which keeps the whole body in case of a redirect. @throws Error whose cause is the connection's */
const post = (url: string, headers: Record<string, string>, body: Readable, signal: AbortSignal) =>
  new Promise<{ status: number; text: string }>((resolve, reject) => {
    let isAnswered = false;
    const fail = (cause: unknown) => {
      // An answer may come before everything is sent, and counts.
      if (!isAnswered) reject(new Error("The upload failed.", { cause }));
    };
    const { request } = new URL(url).protocol === "https:" ? https : http;
    const sending = request(url, { method: "POST", headers, signal, agent: false });
    sending.once("response", (response) => {
      isAnswered = true;
      readAnswer(response).then(resolve, reject);
    });
    // The connection may end after everything was sent.
    sending.on("error", fail);
    pipeline(body, sending).catch(fail);
  });

/** Sends the form as a stream. The length is sent as well, since the storage refuses uploads of unknown length. */
const upload = async (
  registration: VideoRegistration,
  video: VideoFile,
  signal: AbortSignal,
): Promise<PinterestResult<null>> => {
  const { boundary, head, tail, bytes } = formOf(registration, video);
  try {
    const headers = { "content-type": `multipart/form-data; boundary=${boundary}`, "content-length": String(bytes) };
    const body = Readable.from(bodyOf(head, video, tail), { objectMode: false });
    const { status, text } = await post(registration.uploadUrl, headers, body, signal);
    // Some forms ask the storage to redirect after a success.
    if (status >= 200 && status < 400) return { kind: "ok", value: null };
    return { kind: "problem", problem: refusalOf(status, text) };
  } catch (error) {
    const reason = toNoResponseReason(error);
    return { kind: "problem", problem: reason === "unsent" ? noResponseProblem(reason) : CUT };
  } finally {
    video.body.destroy();
  }
};

interface MediaOptions {
  apiUrl: string;
  timeoutMs: number;
}

type MediaCalls = Pick<PinterestPort, "registerVideo" | "uploadVideo" | "readVideoStatus">;

/** Longer than the largest video takes over a slow line. */
export const UPLOAD_TIMEOUT_MS = 20 * MINUTE_MS;

export const createMediaCalls = ({ apiUrl, timeoutMs }: MediaOptions): MediaCalls => ({
  registerVideo: async (accessToken) => {
    const headers = { authorization: `Bearer ${accessToken}`, "content-type": "application/json" };
    const body = JSON.stringify({ media_type: "video" });
    return readReply(
      await send({ method: "POST", url: `${apiUrl}/media`, headers, body, timeoutMs }),
      registrationShape,
    );
  },
  uploadVideo: (registration, video, signal) =>
    upload(registration, video, AbortSignal.any([signal, AbortSignal.timeout(UPLOAD_TIMEOUT_MS)])),
  readVideoStatus: async (accessToken, id) => {
    const headers = { authorization: `Bearer ${accessToken}` };
    const url = `${apiUrl}/media/${encodeURIComponent(id)}`;
    return readReply(await send({ method: "GET", url, headers, timeoutMs }), mediaShape);
  },
});
