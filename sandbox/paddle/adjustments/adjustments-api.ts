import type { Hono } from "hono";
import { createApp, type StandInEnv } from "../../kit/serve.ts";
import type { Paddle } from "../context.ts";
import { edit } from "../edit.ts";
import { invalidField } from "../refusals.ts";
import { answer, answerPage, filterBy, readRequest } from "../respond.ts";
import { type AdjustmentOrder, createAdjustment } from "./adjustments.ts";

const SIZE = { usual: 10, most: 50 };
const FILTERS = ["id", "action", "customer_id", "status", "subscription_id", "transaction_id"];

/** `GET|POST /adjustments`. */
export function adjustmentsApi(paddle: Paddle): Hono<StandInEnv> {
  const app = createApp();
  app.get("/adjustments", async (c) => {
    const { query } = await readRequest(paddle, c, "/adjustments");
    const found = filterBy(paddle.store.state.adjustments.values(), query, FILTERS);
    return answerPage(paddle, c, found, (adjustment) => adjustment, SIZE);
  });
  app.post("/adjustments", async (c) => {
    const { body } = await readRequest<AdjustmentOrder>(paddle, c, "/adjustments");
    if (body.action !== "refund" && body.action !== "credit") {
      throw invalidField("action", "must be refund or credit; chargebacks are made by the bank");
    }
    const { action, transaction_id, reason, type = "partial", items = null } = body;
    const order = { action, transaction_id, reason, type, items };
    const adjustment = edit(paddle, (one) => createAdjustment(paddle, one, order));
    c.set("created", adjustment.id);
    return answer(c, adjustment, 201);
  });
  return app;
}
