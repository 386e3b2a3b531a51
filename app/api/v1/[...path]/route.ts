import { answerApi } from "#lib/server/v1/dispatch.ts";

export { answerApi as DELETE, answerApi as GET, answerApi as PATCH, answerApi as POST, answerApi as PUT };
