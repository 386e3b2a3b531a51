import { answerAuth } from "#lib/server/auth-handler.ts";

export { answerAuth as GET, answerAuth as POST };
