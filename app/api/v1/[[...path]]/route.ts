import { preflightHandler, withCors } from "#lib/server/actor.ts";
import { answerApi } from "#lib/server/v1/dispatch.ts";

// Uploads bypass the proxy, which does this for other calls.
const answer = withCors(answerApi);

export { answer as DELETE, answer as GET, answer as PATCH, answer as POST, answer as PUT, preflightHandler as OPTIONS };
