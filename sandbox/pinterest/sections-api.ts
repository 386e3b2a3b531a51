import type { Hono } from "hono";
import { createApp, type StandInEnv } from "../kit/serve.ts";
import { authorize } from "./authorize.ts";
import { checkQuery, listedPins, readableBoard } from "./boards-api.ts";
import { BOARD_WRITE, ownBoard, readBody } from "./boards-write-api.ts";
import { originOf, type Pinterest } from "./context.ts";
import type { Board, Section } from "./model.ts";
import { newId } from "./new-id.ts";
import { paginate } from "./paging.ts";
import { REFUSALS, RefusedError } from "./refusals.ts";
import { toWirePin } from "./wire.ts";

const ALL = "/boards/{board_id}/sections";
const ONE = `${ALL}/{section_id}`;

/** `GET|POST /boards/:id/sections`, `PATCH|DELETE /boards/:id/sections/:section` and that section's `GET …/pins`. */
export function sectionsApi(pinterest: Pinterest): Hono<StandInEnv> {
  const { store } = pinterest;
  const app = createApp();
  app.get("/boards/:id/sections", (c) => {
    const caller = authorize(pinterest, c, { scopes: ["boards:read"], category: "org_read" });
    const query = checkQuery(pinterest, c, ALL);
    const { items, bookmark } = paginate(
      sectionsOf(pinterest, readableBoard(pinterest, caller, c.req.param("id"))),
      query,
    );
    return c.json({ items: items.map(toWireSection), bookmark });
  });
  app.post("/boards/:id/sections", async (c) => {
    const caller = authorize(pinterest, c, BOARD_WRITE);
    const { name } = await readBody<{ name: string }>(pinterest, c, ALL);
    const board = ownBoard(pinterest, caller, c.req.param("id"));
    const id = newId((taken) => store.state.sections.has(taken));
    const section = { id, boardId: board.id, name: freeName(pinterest, board, name) };
    store.commit({ kind: "section", section });
    c.set("created", id);
    return c.json(toWireSection(section), 201);
  });
  app.patch("/boards/:id/sections/:section", async (c) => {
    const caller = authorize(pinterest, c, BOARD_WRITE);
    const { name } = await readBody<{ name: string }>(pinterest, c, ONE);
    const board = ownBoard(pinterest, caller, c.req.param("id"));
    const old = sectionOf(pinterest, board, c.req.param("section"));
    const section = { ...old, name: old.name === name ? name : freeName(pinterest, board, name) };
    store.commit({ kind: "section", section });
    return c.json(toWireSection(section));
  });
  app.delete("/boards/:id/sections/:section", (c) => {
    const caller = authorize(pinterest, c, BOARD_WRITE);
    const board = ownBoard(pinterest, caller, c.req.param("id"));
    store.commit({ kind: "sectionRemoved", sectionId: sectionOf(pinterest, board, c.req.param("section")).id });
    return c.body(null, 204);
  });
  app.get("/boards/:id/sections/:section/pins", (c) => {
    const caller = authorize(pinterest, c, { scopes: ["boards:read", "pins:read"], category: "org_read" });
    const query = checkQuery(pinterest, c, `${ONE}/pins`);
    const board = readableBoard(pinterest, caller, c.req.param("id"));
    const section = sectionOf(pinterest, board, c.req.param("section"));
    const inSection = (store.state.pinsByBoard.get(board.id) ?? []).filter(({ sectionId }) => sectionId === section.id);
    const { items, bookmark } = paginate(listedPins(pinterest, inSection), query);
    const origin = originOf(pinterest, c);
    return c.json({ items: items.map((pin) => toWirePin(pin, store.state, origin)), bookmark });
  });
  return app;
}

function sectionsOf({ store }: Pinterest, board: Board): Section[] {
  return [...store.state.sections.values()].filter(({ boardId }) => boardId === board.id);
}

function sectionOf({ store }: Pinterest, board: Board, id: string): Section {
  const section = store.state.sections.get(id);
  if (section?.boardId !== board.id) throw new RefusedError(REFUSALS.sectionGone);
  return section;
}

function freeName(pinterest: Pinterest, board: Board, name: string): string {
  const isTaken = sectionsOf(pinterest, board).some((section) => section.name === name);
  if (name.trim() === "" || isTaken) throw new RefusedError(REFUSALS.sectionInvalid);
  return name;
}

function toWireSection({ id, name }: Section): Record<string, string> {
  return { id, name };
}
