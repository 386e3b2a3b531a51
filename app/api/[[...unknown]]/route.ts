import { answersNothing } from "#lib/server/refuse.ts";

export {
  answersNothing as DELETE,
  answersNothing as GET,
  answersNothing as PATCH,
  answersNothing as POST,
  answersNothing as PUT,
};
