import { answersNothing } from "#lib/server/route.ts";

export {
  answersNothing as DELETE,
  answersNothing as GET,
  answersNothing as PATCH,
  answersNothing as POST,
  answersNothing as PUT,
};
