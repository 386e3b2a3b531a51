import { answerAuth } from "#lib/server/answer-auth.ts";

export { answerAuth as GET, answerAuth as POST };
