import type { Hono } from "hono";
import { isPlaying } from "../kit/apply-faults.ts";
import { createApp, type StandInEnv } from "../kit/serve.ts";
import { authorize, type Caller } from "./authorize.ts";
import { checkQuery, listedPins } from "./boards-api.ts";
import { readBody } from "./boards-write-api.ts";
import { originOf, type Pinterest } from "./context.ts";
import { createPin } from "./create-pin.ts";
import { parseJson } from "./json-body.ts";
import type { Pin, PinChanges } from "./model.ts";
import { paginate } from "./paging.ts";
import { invalidRequest, REFUSALS, RefusedError } from "./refusals.ts";
import { toWirePin } from "./wire.ts";

const WRITE = {
  scopes: ["boards:read", "boards:write", "pins:read", "pins:write"],
  category: "org_write",
} as const;
const READ = { scopes: ["boards:read", "pins:read"], category: "org_read" } as const;
const ONE = "/pins/{pin_id}";

interface PinUpdate {
  title?: string | null;
  description?: string | null;
  link?: string | null;
  alt_text?: string | null;
}

/** `GET|POST /pins` and `GET|PATCH|DELETE /pins/:id`. Ids that are no number belong to other calls. */
export function pinsApi(pinterest: Pinterest): Hono<StandInEnv> {
  const { store } = pinterest;
  const app = createApp();
  app.post("/pins", async (c) => {
    const caller = authorize(pinterest, c, WRITE);
    const pin = createPin(pinterest, caller, c.req.query(), parseJson(await c.req.text()));
    c.set("created", pin.id);
    const status = isPlaying(c, "ok-instead-of-created") ? 200 : 201;
    return c.json(toWirePin(pin, store.state, originOf(pinterest, c)), status);
  });
  app.get("/pins", (c) => {
    const { account } = authorize(pinterest, c, READ);
    const query = checkQuery(pinterest, c, "/pins");
    const { items, bookmark } = paginate(listedPins(pinterest, store.state.pinsByAccount.get(account.id) ?? []), query);
    const origin = originOf(pinterest, c);
    return c.json({ items: items.map((pin) => toWirePin(pin, store.state, origin)), bookmark });
  });
  app.get("/pins/:id{[0-9]+}", (c) => {
    const caller = authorize(pinterest, c, READ);
    checkQuery(pinterest, c, ONE);
    const pin = ownPin(pinterest, caller, c.req.param("id"));
    return c.json(toWirePin(pin, store.state, originOf(pinterest, c)));
  });
  app.patch("/pins/:id{[0-9]+}", async (c) => {
    const caller = authorize(pinterest, c, WRITE);
    if (!pinterest.settings.pinEdit) throw new RefusedError(REFUSALS.restrictedFeature);
    const changes = toChanges(await readBody(pinterest, c, ONE));
    const pin = ownPin(pinterest, caller, c.req.param("id"));
    store.commit({ kind: "pinChanged", pinId: pin.id, changes });
    return c.json(toWirePin(pin, store.state, originOf(pinterest, c)));
  });
  app.delete("/pins/:id{[0-9]+}", (c) => {
    const caller = authorize(pinterest, c, WRITE);
    const pin = ownPin(pinterest, caller, c.req.param("id"));
    store.commit({ kind: "pinRemoved", pinId: pin.id });
    return c.body(null, 204);
  });
  return app;
}

/** The caller's own pin. @throws RefusedError 404/50 when there is none, 403/29 when it is another's. */
export function ownPin({ store }: Pinterest, { account }: Caller, id: string): Pin {
  const pin = store.state.pins.get(id);
  if (pin === undefined) throw new RefusedError(REFUSALS.pinGone);
  if (pin.accountId !== account.id) throw new RefusedError(REFUSALS.notPermitted);
  return pin;
}

/** @throws RefusedError 400 for what the description allows and this stand-in cannot change. */
function toChanges({ alt_text, ...update }: PinUpdate): PinChanges {
  const { title, description, link, ...others } = update;
  const unplayed = Object.keys(others)[0];
  if (unplayed !== undefined) throw new RefusedError(invalidRequest(`${unplayed} is not played by this stand-in`));
  const changes = { title, description, link, altText: alt_text };
  return Object.fromEntries(Object.entries(changes).filter(([, value]) => value !== undefined));
}
