/**
 * A thread that asks something small again and again until it is told to stop, and then says how long each answer took,
 * in milliseconds. Not the sender's own thread: that is busy with what it sends, and would measure itself.
 */
import { get } from "node:http";
import { setTimeout as delay } from "node:timers/promises";
import { parentPort, workerData } from "node:worker_threads";
import { z } from "zod";

const { url, token } = z.object({ url: z.url(), token: z.string() }).parse(workerData);

/** Pause between two calls. */
const ASK_EVERY_MS = 50;

/** On a connection of its own, so that none is met that the server has just given up. */
const ask = (): Promise<void> =>
  new Promise((resolve, reject) => {
    const headers = { authorization: `Bearer ${token}` };
    get(url, { agent: false, headers }, (answer) => {
      answer.resume();
      const isRight = answer.statusCode === 200;
      answer.on("end", () => (isRight ? resolve() : reject(new Error(`The small call got ${answer.statusCode}.`))));
    }).on("error", reject);
  });

let isOver = false;
parentPort?.once("message", () => {
  isOver = true;
});

const times: number[] = [];
await ask();
parentPort?.postMessage("ready");
while (!isOver) {
  const startedAt = performance.now();
  await ask();
  times.push(performance.now() - startedAt);
  await delay(ASK_EVERY_MS);
}
parentPort?.postMessage(times);
