/** The last row of a page; lists are ordered by time and id, newest first. */
export interface Position {
  createdAt: Date;
  id: string;
}

export const encodeCursor = (at: Position): string => `${at.createdAt.getTime().toString(36)}.${at.id}`;

export const decodeCursor = (cursor: string): Position | null => {
  const [, time, id] = /^([0-9a-z]{1,9})\.([a-z0-9_]{1,60})$/.exec(cursor) ?? [];
  return time && id ? { createdAt: new Date(Number.parseInt(time, 36)), id } : null;
};

export const nextLink = (nextCursor: string | null, request: Request): Record<string, string> => {
  if (!nextCursor) return {};
  const url = new URL(request.url);
  url.searchParams.set("cursor", nextCursor);
  return { link: `<${url.pathname}${url.search}>; rel="next"` };
};
