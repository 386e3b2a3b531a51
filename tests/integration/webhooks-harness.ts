import type { IncomingHttpHeaders, RequestListener } from "node:http";
import { eq } from "drizzle-orm";
import { Webhook } from "standardwebhooks";
import { afterAll, beforeAll, beforeEach } from "vitest";
import { webhookMessages } from "#db/schema/webhooks.ts";
import type { FullCtx } from "#lib/context.ts";
import type { WebhookEndpointId } from "#lib/core/ids.ts";
import { SECOND_MS } from "#lib/core/time.ts";
import { WEBHOOK_EVENT_TYPES } from "#lib/features/webhooks/constants.ts";
import { createEndpoint } from "#lib/features/webhooks/endpoints.ts";
import { WEBHOOK_DATA, type WebhookBody, type WebhookType } from "#lib/features/webhooks/schema.ts";
import { sendNext } from "#lib/features/webhooks/sending.ts";
import { type NameServer, startNameServer } from "#tests/support/name-server.ts";
import { type PageServer, startPages } from "#tests/support/page-server.ts";

const NAME = "hooks.test";

/** What a receiver got. */
export interface Received {
  path: string;
  headers: IncomingHttpHeaders;
  body: string;
}

export interface TestEndpoint {
  endpointId: WebhookEndpointId;
  secret: string;
  path: string;
}

type Answer = number | RequestListener;

/** The answer of a receiver that is down. */
export const hangUp: RequestListener = ({ socket }) => void socket.destroy();

/** An endpoint at a URL that nothing is sent to. */
export const addEndpoint = async (
  ctx: FullCtx,
  events = WEBHOOK_EVENT_TYPES,
  url = "https://example.com/hook",
): Promise<{ endpointId: WebhookEndpointId; secret: string }> => {
  const created = await createEndpoint(ctx, { url, events, description: "" });
  return { endpointId: created.id as WebhookEndpointId, secret: created.secret };
};

/** A receiver of webhooks on loopback whose answers tests choose, and the settings with which it may be called. */
export const receiverSetup = () => {
  const received: Received[] = [];
  let answers: Answer[] = [];
  let receiver: PageServer;
  let names: NameServer;
  beforeAll(async () => {
    receiver = await startPages((request, response) => {
      let body = "";
      request.setEncoding("utf8");
      request.on("data", (text: string) => {
        body += text;
      });
      request.on("end", () => {
        received.push({ path: request.url ?? "", headers: request.headers, body });
        const answer = answers.shift() ?? 204;
        if (typeof answer === "function") answer(request, response);
        else response.writeHead(answer).end(answer >= 400 ? "No, thanks." : undefined);
      });
    });
    names = await startNameServer({ [NAME]: () => ["127.0.0.1"], "inside.test": () => ["10.0.0.7"] });
  });
  beforeEach(() => {
    answers = [];
    received.length = 0;
  });
  afterAll(() => Promise.all([receiver.close(), names.close()]));
  let paths = 0;
  const urlOf = (path: string): string => `http://${NAME}:${receiver.port}${path}`;
  return {
    links: () => ({ allowedHosts: [`${NAME}:${receiver.port}`], nameServers: [names.address] }),
    received,
    urlOf,
    /** The next answers, in order; later ones are 204. */
    answerWith: (...next: Answer[]) => {
      answers = next;
    },
    endpoint: async (ctx: FullCtx, events = WEBHOOK_EVENT_TYPES): Promise<TestEndpoint> => {
      paths += 1;
      const path = `/hook-${paths}`;
      return { ...(await addEndpoint(ctx, events, urlOf(path))), path };
    },
  };
};

/** Sends as the durable function does, without its waits. @returns the last move */
export const sendDue = async (ctx: FullCtx, { endpointId }: Pick<TestEndpoint, "endpointId">) => {
  for (;;) {
    const move = await sendNext(ctx, { endpointId });
    if (move.kind !== "sent") return move;
  }
};

const headerOf = ({ headers }: Received, name: string): string => String(headers[`webhook-${name}`]);

/**
 * Signed as another implementation of Standard Webhooks signs it, and read by the schema of its type. Its `verify` would
 * compare the timestamp with a clock that tests move.
 */
export const verified = (request: Received, secret: string): WebhookBody => {
  const { body } = request;
  const sentAt = new Date(Number(headerOf(request, "timestamp")) * SECOND_MS);
  const signature = new Webhook(secret).sign(headerOf(request, "id"), sentAt, body);
  if (!headerOf(request, "signature").split(" ").includes(signature)) throw new Error("The signature is wrong.");
  const read = JSON.parse(body) as WebhookBody;
  return { ...read, data: WEBHOOK_DATA[read.type].strict().parse(read.data) as WebhookBody["data"] };
};

/** The recorded events of a user, the oldest first. */
export const recordedEvents = async (ctx: FullCtx, type?: WebhookType): Promise<WebhookBody[]> => {
  const userId = ctx.actor.kind === "user" ? ctx.actor.userId : null;
  if (userId === null) throw new Error("Only a user has events.");
  const rows = await ctx.db
    .select()
    .from(webhookMessages)
    .where(eq(webhookMessages.userId, userId))
    .orderBy(webhookMessages.id);
  return rows.map(({ body }) => JSON.parse(body) as WebhookBody).filter((body) => !type || body.type === type);
};
