import { type Reply, readReply, send } from "./http.ts";
import { readPages } from "./paging.ts";
import type { PinterestPort } from "./port.ts";
import { boardPinsPage, boardsPage, profileShape } from "./wire.ts";

const BOARDS_PER_PAGE = 250;
const PINS_PER_PAGE = 100;

const pageQuery = (pageSize: number, bookmark: string | null): string =>
  new URLSearchParams({ page_size: String(pageSize), ...(bookmark !== null && { bookmark }) }).toString();

/** The calls that only look (BRIEF §2). */
export const createReadCalls = ({
  apiUrl,
  timeoutMs,
}: {
  apiUrl: string;
  timeoutMs: number;
}): Pick<PinterestPort, "readProfile" | "listBoards" | "listBoardPinsSince"> => {
  const get = (accessToken: string, path: string): Promise<Reply> =>
    send({ method: "GET", url: `${apiUrl}${path}`, headers: { authorization: `Bearer ${accessToken}` }, timeoutMs });

  return {
    readProfile: async (accessToken) => readReply(await get(accessToken, "/user_account"), profileShape),
    listBoards: (accessToken) =>
      readPages(async (bookmark) =>
        readReply(await get(accessToken, `/boards?${pageQuery(BOARDS_PER_PAGE, bookmark)}`), boardsPage),
      ),
    listBoardPinsSince: async (accessToken, boardId, since) => {
      const path = `/boards/${encodeURIComponent(boardId)}/pins`;
      const answer = await readPages(
        async (bookmark) =>
          readReply(await get(accessToken, `${path}?${pageQuery(PINS_PER_PAGE, bookmark)}`), boardPinsPage),
        // A whole page of older pins: one old pin alone may stand out of order.
        (pins) => pins.length > 0 && pins.every((pin) => pin.createdAt < since),
      );
      if (answer.kind === "problem") return answer;
      return { kind: "ok", value: answer.value.filter((pin) => pin.createdAt >= since) };
    },
  };
};
