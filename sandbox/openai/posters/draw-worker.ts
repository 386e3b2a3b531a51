import { parentPort } from "node:worker_threads";
import { drawPoster } from "./draw.ts";
import type { DrawAnswer, DrawOrder } from "./pool.ts";

/** The drawing thread: takes one spec at a time and answers with the encoded picture as base64. */
const port = parentPort;
if (!port) throw new Error("draw-worker.ts runs as a worker thread");

port.on("message", async (order: DrawOrder) => {
  const answer: DrawAnswer = await drawPoster(order.spec).then(
    (bytes) => ({ id: order.id, base64: bytes.toString("base64") }),
    (error: unknown) => ({ id: order.id, error: error instanceof Error ? error.message : String(error) }),
  );
  port.postMessage(answer);
});
