/**
 * A thread that repeats a small request until it is stopped, then posts the duration of each in milliseconds. It is a
 * separate thread because the sender's thread is busy and would measure its own delays.
 */
import { get } from "node:http";
import { setTimeout as delay } from "node:timers/promises";
import { parentPort, workerData } from "node:worker_threads";
import { z } from "zod";

const { url, token } = z.object({ url: z.url(), token: z.string() }).parse(workerData);

/** Pause between two requests. */
const PAUSE_MS = 50;

/** Uses a new connection each time, so that it never meets one that the server is closing. */
const sendRequest = (): Promise<void> =>
  new Promise((resolve, reject) => {
    const headers = { authorization: `Bearer ${token}` };
    get(url, { agent: false, headers }, (response) => {
      response.resume();
      const isRight = response.statusCode === 200;
      response.on("end", () =>
        isRight ? resolve() : reject(new Error(`The small request returned ${response.statusCode}.`)),
      );
    }).on("error", reject);
  });

let isOver = false;
parentPort?.once("message", () => {
  isOver = true;
});

const times: number[] = [];
await sendRequest();
parentPort?.postMessage("ready");
while (!isOver) {
  const startedAt = performance.now();
  await sendRequest();
  times.push(performance.now() - startedAt);
  await delay(PAUSE_MS);
}
parentPort?.postMessage(times);
