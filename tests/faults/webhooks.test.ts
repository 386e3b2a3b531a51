import { afterAll, beforeAll, expect, test } from "vitest";
import { inTransaction } from "#lib/context.ts";
import type { WebhookEndpointId } from "#lib/core/ids.ts";
import { SECOND_MS } from "#lib/core/time.ts";
import { SENDING_LEASE_MS } from "#lib/features/webhooks/constants.ts";
import { listDeliveries } from "#lib/features/webhooks/deliveries.ts";
import { createEndpoint } from "#lib/features/webhooks/endpoints.ts";
import { recordWebhookEvent } from "#lib/features/webhooks/recording.ts";
import { sweepWebhooks } from "#lib/features/webhooks/sending.ts";
import { type PageServer, startPages } from "#tests/support/page-server.ts";
import { until } from "#tests/support/poll.ts";
import { insertCreators } from "./support/creators.ts";
import { productForFile } from "./support/product.ts";

const SUBJECTS = 10;
const EVENTS_EACH = 4;
const ALL = SUBJECTS * EVENTS_EACH;
/** The answer to every seventh request is an error, to every fifth a slow one, in which the process is killed. */
const SLOW_MS = 1_500;

interface Received {
  id: string;
  subject: string;
  n: number;
  isAccepted: boolean;
}

const received: Received[] = [];
let receiver: PageServer;
beforeAll(async () => {
  receiver = await startPages((request, response) => {
    let body = "";
    request.on("data", (text) => {
      body += text;
    });
    request.on("end", () => {
      const { link, reason } = JSON.parse(body).data;
      const isAccepted = (received.length + 1) % 7 !== 0;
      received.push({ id: String(request.headers["webhook-id"]), subject: link, n: Number(reason), isAccepted });
      setTimeout(() => response.writeHead(isAccepted ? 200 : 500).end(), received.length % 5 === 0 ? SLOW_MS : 0);
    });
  });
});
afterAll(() => receiver.close());
const product = productForFile(() => ({ LINK_CHECK_ALLOWED_HOSTS: receiver.host }));

test("killed while webhooks are sent: each event arrives at least once, in order per subject, repeats have its id", async () => {
  const [creator] = await insertCreators(product(), 1);
  if (!creator) throw new Error("One was inserted.");
  const { userId } = creator;
  const actor = { kind: "user", userId, loginId: product().ctx.newId("login"), address: "" } as const;
  const ctx = { ...product().ctx, actor };
  const { id } = await createEndpoint(ctx, { url: `http://${receiver.host}/`, events: ["link.dead"], description: "" });
  const endpointId = id as WebhookEndpointId;
  for (let at = 0; at < ALL; at += 1) {
    const [subject, n] = [`https://moss.example/${at % SUBJECTS}`, Math.floor(at / SUBJECTS)];
    const event = { userId, type: "link.dead", subject, occasion: n } as const;
    const data = () => ({ link: subject, reason: String(n) });
    await inTransaction(ctx, (tx) => recordWebhookEvent(tx, { ...event, data }));
  }
  const states = async () =>
    (await listDeliveries(ctx, { endpointId, limit: 100 })).deliveries.map(({ state }) => state);
  await sweepWebhooks(product().ctx);
  for (const child of ["app", "executor", "app"] as const) {
    const before = received.length;
    await until(() => received.length >= before + 5 && received.length % 5 === 0, { deadlineMs: 60_000, everyMs: 10 });
    await product().app.kill9(child);
    expect(await states(), "killed too late to mean anything").toContain("pending");
    await product().app.restart(child);
    await product().passTime(SENDING_LEASE_MS + SECOND_MS);
    await sweepWebhooks(product().ctx);
  }
  const areDelivered = async () => {
    if ((await states()).every((state) => state === "delivered")) return true;
    await product().passTime(60 * SECOND_MS);
    await sweepWebhooks(product().ctx);
    return false;
  };
  await until(areDelivered, { deadlineMs: 120_000, everyMs: 3_000, what: "all events to be delivered" });

  const accepted = received.filter(({ isAccepted }) => isAccepted);
  const subjects = Map.groupBy(accepted, ({ subject }) => subject);
  expect(subjects.size).toBe(SUBJECTS);
  for (const arrived of subjects.values()) {
    expect(arrived.map(({ n }) => n)).toEqual(arrived.map(({ n }) => n).toSorted((a, b) => a - b));
    expect(new Set(arrived.map(({ n }) => n)).size).toBe(EVENTS_EACH);
  }
  expect(new Set(received.map((one) => one.id)).size).toBe(ALL);
  expect(received.length).toBeGreaterThan(ALL);
}, 300_000);
