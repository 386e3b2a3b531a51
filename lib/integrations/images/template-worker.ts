/** The thread that draws templates, started by `template-thread.ts`. */
import "server-only";
import { parentPort } from "node:worker_threads";
import { messageOf } from "#lib/core/errors.ts";
import { drawImage } from "./template-drawing.ts";
import type { ThreadRequest, ThreadResponse } from "./template-thread.ts";

const respond = (response: ThreadResponse): void => parentPort?.postMessage(response);

const answer = async ({ id, request }: ThreadRequest): Promise<void> => {
  try {
    respond({ id, kind: "drawn", drawing: await drawImage(request) });
  } catch (error) {
    respond({ id, kind: "failed", problem: messageOf(error) });
  }
};

parentPort?.on("message", (request: ThreadRequest) => void answer(request));
