import { type Answer, KEYS_DIFFER, readAnswer } from "./answer.ts";
import { type HttpAnswer, openConnections } from "./http-client.ts";
import { signCanonical } from "./signature.ts";
import { isRecord, messageOf, parseJson } from "./values.ts";

/** The app's one endpoint, spoken to in signed requests. */
export interface AppClient {
  /** Calls a function; never throws. `target` is "step" or the id of one planned step, `body` canonical JSON. */
  call(functionId: string, target: string, runId: string, body: string, signal: AbortSignal): Promise<Answer>;
  /**
   * In-band sync.
   * @throws Error with one sentence when the app is away or refuses.
   */
  sync(signal: AbortSignal): Promise<Record<string, unknown>>;
  /** Ends the connections that are kept open. */
  close(): void;
}

const CALL_TIMEOUT_MS = 2 * 3_600_000;
const SYNC_TIMEOUT_MS = 15_000;

/** `appUrl` is the whole address of the endpoint, without a trailing slash. */
export function createAppClient(appUrl: string, signingKey: string): AppClient {
  const connection = openConnections(new URL(appUrl));
  const headersFor = (body: string) => ({
    "content-type": "application/json",
    "x-inngest-signature": signCanonical(body, signingKey, Date.now()),
  });
  return {
    async call(functionId, target, runId, body, signal) {
      const url = new URL(appUrl);
      url.searchParams.set("fnId", functionId);
      url.searchParams.set("stepId", target);
      const headers = { ...headersFor(body), "x-run-id": runId };
      try {
        const answer = await connection.send({
          url,
          method: "POST",
          headers,
          body,
          timeoutMs: CALL_TIMEOUT_MS,
          signal,
        });
        return readAnswer(answer, signingKey);
      } catch (error) {
        return { kind: "unreachable", reason: `The app did not answer: ${messageOf(error)}` };
      }
    },
    async sync(signal) {
      const body = JSON.stringify({ url: appUrl });
      const headers = { ...headersFor(body), "x-inngest-sync-kind": "in_band" };
      const request = { url: new URL(appUrl), method: "PUT", headers, body, timeoutMs: SYNC_TIMEOUT_MS, signal };
      return readSync(await connection.send(request));
    },
    close: connection.close,
  };
}

function readSync({ status, text }: HttpAnswer): Record<string, unknown> {
  if (status === 401) throw new Error(KEYS_DIFFER);
  const parsed = parseJson(text);
  if (status !== 200 || !isRecord(parsed) || !Array.isArray(parsed.functions)) {
    throw new Error(`The app answered the sync with status ${status}, not with its functions`);
  }
  return parsed;
}
