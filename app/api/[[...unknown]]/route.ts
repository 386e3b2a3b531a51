import { notFoundHandler } from "#lib/server/route.ts";

export {
  notFoundHandler as DELETE,
  notFoundHandler as GET,
  notFoundHandler as PATCH,
  notFoundHandler as POST,
  notFoundHandler as PUT,
};
