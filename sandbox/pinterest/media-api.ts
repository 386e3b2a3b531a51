import type { Context, Hono } from "hono";
import { isPlaying } from "../kit/apply-faults.ts";
import { createApp, type StandInEnv } from "../kit/serve.ts";
import { authorize } from "./authorize.ts";
import { checkQuery } from "./boards-api.ts";
import { readBody } from "./boards-write-api.ts";
import { originOf, type Pinterest } from "./context.ts";
import type { Media } from "./model.ts";
import { newId } from "./new-id.ts";
import { paginate } from "./paging.ts";
import { REFUSALS, RefusedError } from "./refusals.ts";

const READ = { scopes: ["pins:read"], category: "org_read" } as const;
const KEY_FOLDER = "uploads/";

/** `POST /media` registers a video, `GET /media/:id` says how far it is, `GET /media` lists the account's. */
export function mediaApi(pinterest: Pinterest): Hono<StandInEnv> {
  const { store, clock } = pinterest;
  const app = createApp();
  app.post("/media", async (c) => {
    const { account } = authorize(pinterest, c, { scopes: ["pins:read", "pins:write"], category: "org_write" });
    const { media_type } = await readBody<{ media_type: string }>(pinterest, c, "/media");
    const id = newId((taken) => store.state.media.has(taken));
    store.commit({ kind: "media", media: { id, accountId: account.id, registeredAt: clock.now().toISOString() } });
    c.set("created", id);
    const upload_url = `${originOf(pinterest, c)}/media-upload`;
    return c.json({ media_id: id, media_type, upload_url, upload_parameters: { key: `${KEY_FOLDER}${id}` } }, 201);
  });
  app.get("/media", (c) => {
    const { account } = authorize(pinterest, c, READ);
    const query = checkQuery(pinterest, c, "/media");
    const own = [...store.state.media.values()].filter(({ accountId }) => accountId === account.id);
    const { items, bookmark } = paginate(own, query);
    return c.json({ items: items.map((media) => toWireMedia(pinterest, c, media)), bookmark });
  });
  app.get("/media/:id", (c) => {
    const { account } = authorize(pinterest, c, READ);
    checkQuery(pinterest, c, "/media/{media_id}");
    const media = store.state.media.get(c.req.param("id"));
    if (media?.accountId !== account.id) throw new RefusedError(REFUSALS.mediaGone);
    return c.json(toWireMedia(pinterest, c, media));
  });
  return app;
}

/** `POST /media-upload`: the storage, which knows no bearer; the form holds the parameters and then `file`. */
export function mediaUpload({ store, clock }: Pinterest): Hono<StandInEnv> {
  const app = createApp();
  app.post("/media-upload", async (c) => {
    const form = await c.req.parseBody();
    const key = typeof form.key === "string" ? form.key : "";
    const media = store.state.media.get(key.replace(KEY_FOLDER, ""));
    if (media === undefined || !(form.file instanceof File)) return c.text("The form is not complete", 403);
    store.commit({ kind: "media", media: { ...media, uploadedAt: clock.now().toISOString() } });
    return c.body(null, 204);
  });
  return app;
}

function toWireMedia(pinterest: Pinterest, c: Context<StandInEnv>, media: Media): Record<string, string> {
  const status = isPlaying(c, "media-failed") ? "failed" : statusOf(pinterest, media);
  return { media_id: media.id, media_type: "video", status };
}

function statusOf({ clock, settings }: Pinterest, { uploadedAt }: Media): string {
  if (uploadedAt === undefined) return "registered";
  const readyAtMs = Date.parse(uploadedAt) + settings.mediaSeconds * 1000;
  return clock.now().getTime() >= readyAtMs ? "succeeded" : "processing";
}
