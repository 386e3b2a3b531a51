import { unreachable } from "#lib/core/errors.ts";
import { SECOND_MS } from "#lib/core/time.ts";
import { problemOf, type Reply, readReply, send, successOf } from "./http.ts";
import type {
  CreatePinOutcome,
  NewPinMedia,
  NewPinSlide,
  NewPinterestPin,
  PinterestBoardPin,
  PinterestPort,
  PinterestResult,
} from "./port.ts";
import { boardPinsPage, boardsPage, createdPinShape, profileShape, sectionsPage } from "./wire.ts";

/** A page of a list; `bookmark` is null on the last one. Even an empty page may have a next one. */
export interface Page<T> {
  items: T[];
  bookmark: string | null;
}

/** More than a user can have, at 250 items per page. */
const MAX_PAGES = 400;

const endlessList = <T>(): PinterestResult<T> => ({
  kind: "problem",
  problem: { kind: "unavailable", text: "Pinterest sent more pages than expected." },
});

/** Lists may change meanwhile: repeated items count once; a repeated bookmark is a problem, never a shorter list. */
export const readPages = async <T extends { id: string }>(
  readPage: (bookmark: string | null) => Promise<PinterestResult<Page<T>>>,
  isEnough: (items: readonly T[]) => boolean = () => false,
): Promise<PinterestResult<T[]>> => {
  const items = new Map<string, T>();
  const seen = new Set<string>();
  let bookmark: string | null = null;
  for (let page = 0; page < MAX_PAGES; page += 1) {
    const answer: PinterestResult<Page<T>> = await readPage(bookmark);
    if (answer.kind === "problem") return answer;
    for (const item of answer.value.items) if (!items.has(item.id)) items.set(item.id, item);
    bookmark = answer.value.bookmark;
    if (bookmark === null || isEnough(answer.value.items)) return { kind: "ok", value: [...items.values()] };
    if (seen.has(bookmark)) return endlessList();
    seen.add(bookmark);
  }
  return endlessList();
};

const DELAYED_TEXT = "The request was delayed on our end and wasn't sent again.";
const NO_LABEL_NOTE = "Pinterest didn't accept the AI label, so the pin was created without it.";

/** After a stall longer than this nothing more is sent: another worker may have checked the board and sent the pin. */
const REPEAT_WITHIN_MS = 75 * SECOND_MS;

const toBase64 = (jpeg: Uint8Array): string => Buffer.from(jpeg).toString("base64");

const toSlide = ({ jpeg, title, description, link }: NewPinSlide) => ({
  content_type: "image/jpeg",
  data: toBase64(jpeg),
  ...(title !== "" && { title }),
  ...(description !== "" && { description }),
  ...(link !== null && { link }),
});

const toMediaSource = (media: NewPinMedia): Record<string, unknown> => {
  switch (media.kind) {
    case "image":
      return { source_type: "image_base64", content_type: "image/jpeg", data: toBase64(media.jpeg) };
    case "video":
      return {
        ...{ source_type: "video_id", media_id: media.mediaId },
        ...{ cover_image_content_type: "image/jpeg", cover_image_data: toBase64(media.coverJpeg) },
      };
    case "carousel":
      return { source_type: "multiple_image_base64", items: media.slides.map(toSlide) };
    default:
      return unreachable(media);
  }
};

const toBody = (pin: NewPinterestPin, withLabel: boolean): string =>
  JSON.stringify({
    board_id: pin.boardId,
    ...(pin.boardSectionId !== null && { board_section_id: pin.boardSectionId }),
    ...(pin.title !== "" && { title: pin.title }),
    ...(pin.description !== "" && { description: pin.description }),
    ...(pin.altText !== "" && { alt_text: pin.altText }),
    ...(pin.link !== null && { link: pin.link }),
    media_source: toMediaSource(pin.media),
    ...(withLabel && { ai_disclosures: { values: ["AI_MODIFIED"] } }),
  });

const toOutcome = (reply: Reply): CreatePinOutcome => {
  const success = successOf(reply);
  const created = createdPinShape.safeParse(success?.body);
  if (success && created.success) {
    return { kind: "created", pinterestPinId: created.data.id, httpStatus: success.status };
  }
  const problem = problemOf(reply);
  if (reply.kind === "no_response" && reply.reason === "unsent") return { kind: "refused", problem };
  return problem.kind === "unavailable" ? { kind: "unknown", problem } : { kind: "refused", problem };
};

const isLabelRefused = (outcome: CreatePinOutcome): boolean =>
  outcome.kind === "refused" &&
  outcome.problem.httpStatus === 400 &&
  /ai_disclosures/i.test(outcome.problem.providerMessage ?? "");

/**
 * `post` sends once. Timeouts, network errors, 5xx and unreadable responses are `unknown`; without a connection nothing
 * was sent. A 400 for the AI label created nothing, so the pin is sent again without it.
 */
export const createPinWith = async (
  post: (body: string) => Promise<Reply>,
  pin: NewPinterestPin,
): Promise<CreatePinOutcome> => {
  const startedMs = performance.now();
  const outcome = toOutcome(await post(toBody(pin, pin.aiModified)));
  if (!pin.aiModified || !isLabelRefused(outcome)) return outcome;
  if (performance.now() - startedMs > REPEAT_WITHIN_MS) {
    return { kind: "refused", problem: { kind: "unavailable", text: DELAYED_TEXT } };
  }
  const unlabeled = toOutcome(await post(toBody(pin, false)));
  return unlabeled.kind === "created" ? { ...unlabeled, note: NO_LABEL_NOTE } : unlabeled;
};

const BOARDS_PER_PAGE = 250;
const SECTIONS_PER_PAGE = 250;
const PINS_PER_PAGE = 100;

const pageQuery = (pageSize: number, bookmark: string | null): string =>
  new URLSearchParams({ page_size: String(pageSize), ...(bookmark !== null && { bookmark }) }).toString();

export const createReadCalls = ({
  apiUrl,
  timeoutMs,
}: {
  apiUrl: string;
  timeoutMs: number;
}): Pick<PinterestPort, "readProfile" | "listBoards" | "listBoardSections" | "listBoardPinsSince"> => {
  const get = (accessToken: string, path: string): Promise<Reply> =>
    send({ method: "GET", url: `${apiUrl}${path}`, headers: { authorization: `Bearer ${accessToken}` }, timeoutMs });

  const listPinsSince = async (
    accessToken: string,
    path: string,
    since: Date,
  ): Promise<PinterestResult<PinterestBoardPin[]>> => {
    const answer = await readPages(
      async (bookmark) =>
        readReply(await get(accessToken, `${path}?${pageQuery(PINS_PER_PAGE, bookmark)}`), boardPinsPage),
      // A whole page of older pins, since a single one may be out of order.
      (pins) => pins.length > 0 && pins.every((pin) => pin.createdAt < since),
    );
    if (answer.kind === "problem") return answer;
    return { kind: "ok", value: answer.value.filter((pin) => pin.createdAt >= since) };
  };

  return {
    readProfile: async (accessToken) => readReply(await get(accessToken, "/user_account"), profileShape),
    listBoards: (accessToken) =>
      readPages(async (bookmark) =>
        readReply(await get(accessToken, `/boards?${pageQuery(BOARDS_PER_PAGE, bookmark)}`), boardsPage),
      ),
    listBoardSections: (accessToken, boardId) => {
      const path = `/boards/${encodeURIComponent(boardId)}/sections`;
      return readPages(async (bookmark) =>
        readReply(await get(accessToken, `${path}?${pageQuery(SECTIONS_PER_PAGE, bookmark)}`), sectionsPage),
      );
    },
    listBoardPinsSince: async (accessToken, { boardId, boardSectionId }, since) => {
      const board = `/boards/${encodeURIComponent(boardId)}`;
      const onBoard = await listPinsSince(accessToken, `${board}/pins`, since);
      if (onBoard.kind === "problem" || boardSectionId === null) return onBoard;
      // Pinterest doesn't say whether a board's list includes the pins in its sections.
      const path = `${board}/sections/${encodeURIComponent(boardSectionId)}/pins`;
      const inSection = await listPinsSince(accessToken, path, since);
      // Its pins may have moved to another section, so a section that is gone is not an empty one.
      if (inSection.kind === "problem") return inSection;
      const all = new Map([...onBoard.value, ...inSection.value].map((pin) => [pin.id, pin]));
      return { kind: "ok", value: [...all.values()] };
    },
  };
};
