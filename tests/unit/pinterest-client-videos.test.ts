import { once } from "node:events";
import { createServer, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import { Readable } from "node:stream";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { expect, onTestFinished, test } from "vitest";
import { createMediaCalls } from "#lib/integrations/pinterest/media.ts";

setFlagsFromString("--expose-gc");
const collect = runInNewContext("gc") as () => void;

const CHUNK = 100_000;

/** A storage that answers uploads; the URL of its form. */
const storage = async (answer: RequestListener): Promise<string> => {
  const server = createServer(answer).listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
};

/** @returns also how many chunks were still in memory before the last one */
const upload = async (uploadUrl: string, chunks: number) => {
  const made: WeakRef<ArrayBufferLike>[] = [];
  let living = Number.NaN;
  const video = async function* () {
    for (let at = 0; at < chunks; at += 1) {
      if (at === chunks - 1) {
        collect();
        living = made.filter((one) => one.deref() !== undefined).length;
      }
      const chunk = new Uint8Array(CHUNK);
      made.push(new WeakRef(chunk.buffer));
      yield chunk;
    }
  };
  const { uploadVideo } = createMediaCalls({ apiUrl: uploadUrl, timeoutMs: 10_000 });
  const file = { contentType: "video/mp4" as const, bytes: chunks * CHUNK, body: Readable.from(video()) };
  const registration = { mediaId: "1", uploadUrl, parameters: { key: "a", policy: "b" } };
  const sent = await uploadVideo(registration, file, new AbortController().signal);
  return { sent, living };
};

test("a video is sent whole, with its length, without being kept in memory", async () => {
  let [received, length] = [0, Number.NaN];
  const url = await storage((request, response) => {
    length = Number(request.headers["content-length"]);
    request.on("data", (chunk: Buffer) => {
      received += chunk.length;
    });
    request.on("end", () => response.writeHead(204).end());
  });
  const { sent, living } = await upload(url, 300);
  expect(sent).toEqual({ kind: "ok", value: null });
  expect(received).toBe(length);
  expect(received).toBeGreaterThan(300 * CHUNK);
  expect(living).toBeLessThan(60);
});

test("a redirect after the upload is a success, and is not followed", async () => {
  const paths: string[] = [];
  const url = await storage((request, response) => {
    paths.push(request.url ?? "");
    request.resume().on("end", () => response.writeHead(303, { location: "/elsewhere" }).end());
  });
  expect((await upload(url, 1)).sent).toEqual({ kind: "ok", value: null });
  expect(paths).toEqual(["/"]);
});

test("a refusal comes with the storage's message, a cut without one, and a refused connection was not sent", async () => {
  const refusing = await storage((request, response) => {
    request.resume().on("end", () => response.writeHead(403).end("<Error><Message>Policy expired.</Message></Error>"));
  });
  expect((await upload(refusing, 1)).sent).toMatchObject({
    problem: { kind: "unavailable", httpStatus: 403, providerMessage: "Policy expired." },
  });
  const cutting = await storage((request) => request.once("data", () => request.socket.destroy()));
  expect((await upload(cutting, 50)).sent).toMatchObject({
    problem: { kind: "unavailable", text: expect.stringContaining("interrupted") },
  });
  const { sent: unreachable } = await upload("http://127.0.0.1:1/", 1);
  expect(unreachable).toMatchObject({ kind: "problem" });
  expect(JSON.stringify(unreachable)).not.toContain("interrupted");
});
