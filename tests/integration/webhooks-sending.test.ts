import { expect, test } from "vitest";
import { listDeliveries, readDelivery } from "#lib/features/webhooks/deliveries.ts";
import { deliveryInput } from "#lib/features/webhooks/schema.ts";
import { publishingSetup } from "./publishing-harness.ts";
import { receiverSetup, sendDue, verified } from "./webhooks-harness.ts";

const receiver = receiverSetup();
const setup = publishingSetup(receiver.links);

test("a published pin reaches the endpoint, signed, and is listed with its request and answer", async () => {
  const creator = await setup.insertCreator();
  const own = await receiver.endpoint(creator.ctx);
  const scheduled = await setup.scheduled(creator, { title: "Ferns" });
  await setup.drive(scheduled);
  await sendDue(setup.job(), own);
  expect(receiver.received.map(({ path }) => path)).toEqual([own.path]);
  const [request] = receiver.received;
  if (!request) throw new Error("Nothing was received.");
  expect(verified(request, own.secret)).toMatchObject({
    type: "pin.published",
    data: { pin_id: scheduled.pinId, title: "Ferns" },
  });
  const { deliveries } = await listDeliveries(creator.ctx, { endpointId: own.endpointId, limit: 20 });
  expect(deliveries).toMatchObject([{ type: "pin.published", state: "delivered", attempts: 1 }]);
  const detail = await readDelivery(creator.ctx, deliveryInput.parse({ deliveryId: deliveries[0]?.id }));
  expect(detail).toMatchObject({
    request_body: request.body,
    attempt_log: [{ status: 204, problem: null, request_headers: { "webhook-id": request.headers["webhook-id"] } }],
  });
});
