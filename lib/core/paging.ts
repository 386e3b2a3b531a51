/** Where a page ended: what is listed is ordered by time, then id, newest first. */
export interface Position {
  createdAt: Date;
  id: string;
}

/** An opaque text for a position. */
export const encodeCursor = (at: Position): string => `${at.createdAt.getTime().toString(36)}.${at.id}`;

/** The position of a cursor that we gave out, else null. */
export const decodeCursor = (cursor: string): Position | null => {
  const [, time, id] = /^([0-9a-z]{1,9})\.([a-z0-9_]{1,60})$/.exec(cursor) ?? [];
  return time && id ? { createdAt: new Date(Number.parseInt(time, 36)), id } : null;
};

/** The `Link` header that leads to the next page, if there is one (DESIGN §7). */
export const nextLink = (nextCursor: string | null, request: Request): Record<string, string> => {
  if (!nextCursor) return {};
  const url = new URL(request.url);
  url.searchParams.set("cursor", nextCursor);
  return { link: `<${url.pathname}${url.search}>; rel="next"` };
};
