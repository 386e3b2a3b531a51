import type { Hono } from "hono";
import { isPlaying } from "../kit/apply-faults.ts";
import { createApp, type StandInEnv } from "../kit/serve.ts";
import { authorize } from "./authorize.ts";
import { checkQuery } from "./boards-api.ts";
import { originOf, type Pinterest } from "./context.ts";
import { createPin } from "./create-pin.ts";
import { parseJson } from "./json-body.ts";
import { REFUSALS, RefusedError } from "./refusals.ts";
import { toWirePin } from "./wire.ts";

const CREATE_SCOPES = ["boards:read", "boards:write", "pins:read", "pins:write"];

/** `POST /pins` and `GET /pins/:id`. */
export function pinsApi(pinterest: Pinterest): Hono<StandInEnv> {
  const app = createApp();
  app.post("/pins", async (c) => {
    const caller = authorize(pinterest, c, { scopes: CREATE_SCOPES, category: "org_write" });
    const pin = createPin(pinterest, caller, c.req.query(), parseJson(await c.req.text()));
    c.set("created", pin.id);
    const status = isPlaying(c, "ok-instead-of-created") ? 200 : 201;
    return c.json(toWirePin(pin, pinterest.store.state, originOf(pinterest, c)), status);
  });
  app.get("/pins/:id", (c) => {
    const { account } = authorize(pinterest, c, { scopes: ["boards:read", "pins:read"], category: "org_read" });
    checkQuery(pinterest, c, "/pins/{pin_id}");
    const pin = pinterest.store.state.pins.get(c.req.param("id"));
    if (pin === undefined) throw new RefusedError(REFUSALS.pinGone);
    if (pin.accountId !== account.id) throw new RefusedError(REFUSALS.notPermitted);
    return c.json(toWirePin(pin, pinterest.store.state, originOf(pinterest, c)));
  });
  return app;
}
