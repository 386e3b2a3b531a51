import { mkdirSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Caller } from "./authorize.ts";
import type { Pinterest } from "./context.ts";
import type { Board, Pin } from "./model.ts";
import { newId } from "./new-id.ts";
import { type PictureFacts, readPicture } from "./picture.ts";
import { invalidRequest, REFUSALS, RefusedError } from "./refusals.ts";

const LEAST_WIDTH_PX = 200;
const LEAST_HEIGHT_PX = 300;
const MOST_PICTURE_BYTES = 20 * 1024 * 1024;

/** The fields of `PinCreate` that the stand-in keeps. */
interface PinCreate {
  board_id?: string;
  board_section_id?: string | null;
  title?: string | null;
  description?: string | null;
  link?: string | null;
  alt_text?: string | null;
  dominant_color?: string | null;
  media_source?: { source_type: string; content_type?: string; data?: string };
  ai_disclosures?: { values: string[] } | null;
}

/**
 * Publishes a pin: checks the request as Pinterest would, stores the picture, then writes the pin down.
 * @throws RefusedError with the documented code for each thing that can be wrong.
 */
export function createPin(pinterest: Pinterest, caller: Caller, query: Record<string, string>, body: unknown): Pin {
  const { access, environment } = pinterest.settings;
  if (access === "trial" && environment === "production") throw new RefusedError(REFUSALS.trialAccess);
  const request = checkShape(pinterest, query, body);
  const board = writableBoard(pinterest, caller, request.board_id);
  const section = request.board_section_id ?? null;
  if (section !== null && pinterest.store.state.sections.get(section)?.boardId !== board.id) {
    throw new RefusedError(REFUSALS.sectionGone);
  }
  if (request.link !== undefined && request.link !== null && !isWebAddress(request.link)) {
    throw new RefusedError(REFUSALS.linkInvalid);
  }
  const { bytes, facts } = readUpload(request.media_source);
  const id = newId((taken) => pinterest.store.state.pins.has(taken));
  const file = `${id}.${facts.contentType === "image/png" ? "png" : "jpg"}`;
  storePicture(pinterest.mediaFolder, file, bytes);
  const pin: Pin = {
    id,
    accountId: caller.account.id,
    boardId: board.id,
    sectionId: section,
    title: request.title ?? null,
    description: request.description ?? null,
    link: request.link ?? null,
    altText: request.alt_text ?? null,
    dominantColor: request.dominant_color ?? null,
    aiDisclosures: request.ai_disclosures ?? null,
    picture: { file, ...facts },
    createdAt: pinterest.clock.now().toISOString(),
  };
  pinterest.store.commit({ kind: "pin", pin });
  return pin;
}

function checkShape({ spec }: Pinterest, query: Record<string, string>, body: unknown): PinCreate {
  const result = spec.check("POST", "/pins", { query, body });
  if (!result.ok) throw new RefusedError(invalidRequest(result.errors[0] ?? "body"));
  return checkedBody(body);
}

function writableBoard({ store }: Pinterest, { account, scopes }: Caller, boardId: string | undefined): Board {
  if (boardId === undefined) throw new RefusedError(invalidRequest("body must have required property 'board_id'"));
  const board = store.state.boards.get(boardId);
  if (board === undefined) throw new RefusedError(REFUSALS.boardGone);
  const isSecretToCaller = board.privacy === "SECRET" && !scopes.has("boards:write_secret");
  if (board.accountId !== account.id || isSecretToCaller) throw new RefusedError(REFUSALS.notPermitted);
  return board;
}

function readUpload(source: PinCreate["media_source"]): { bytes: Buffer; facts: PictureFacts } {
  if (source === undefined) throw new RefusedError(invalidRequest("body must have required property 'media_source'"));
  if (source.source_type !== "image_base64" || source.data === undefined) {
    throw new RefusedError(invalidRequest(`media_source '${source.source_type}' is not played by this stand-in`));
  }
  const bytes = Buffer.from(source.data, "base64");
  if (bytes.length > MOST_PICTURE_BYTES) throw new RefusedError(invalidRequest("media_source.data is too large"));
  const facts = readPicture(bytes);
  if (facts === undefined || facts.contentType !== source.content_type) throw new RefusedError(REFUSALS.imageBroken);
  if (facts.widthPx < LEAST_WIDTH_PX || facts.heightPx < LEAST_HEIGHT_PX) {
    throw new RefusedError(REFUSALS.imageTooSmall);
  }
  return { bytes, facts };
}

function isWebAddress(text: string): boolean {
  const url = URL.parse(text);
  return url !== null && (url.protocol === "https:" || url.protocol === "http:");
}

/** Written aside first: after a crash a picture is there whole or not at all. */
function storePicture(folder: string, file: string, bytes: Buffer): void {
  mkdirSync(folder, { recursive: true });
  const path = join(folder, file);
  writeFileSync(`${path}.part`, bytes);
  renameSync(`${path}.part`, path);
}

/** The description has just been checked. */
function checkedBody(body: unknown): PinCreate {
  return body as PinCreate;
}
