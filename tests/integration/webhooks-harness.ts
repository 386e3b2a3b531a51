import type { IncomingHttpHeaders, RequestListener } from "node:http";
import { eq } from "drizzle-orm";
import { Webhook } from "standardwebhooks";
import { afterAll, beforeAll, beforeEach } from "vitest";
import { webhookMessages } from "#db/schema/webhooks.ts";
import type { FullCtx } from "#lib/context.ts";
import type { WebhookEndpointId } from "#lib/core/ids.ts";
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
      const created = await createEndpoint(ctx, { url: urlOf(path), events, description: "" });
      return { endpointId: created.id as WebhookEndpointId, secret: created.secret, path };
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

/** Verified by another implementation of Standard Webhooks, and read by the schema of its type. */
export const verified = ({ body, headers }: Received, secret: string): WebhookBody => {
  const read = new Webhook(secret).verify(body, headers as Record<string, string>) as WebhookBody;
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
