import { answerRevocation } from "#lib/server/oauth.ts";
import { routes } from "#lib/server/route.ts";

export const { DELETE, GET, PATCH, POST, PUT } = routes({
  POST: answerRevocation,
});
