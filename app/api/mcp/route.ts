import { answerMcp } from "#lib/server/mcp/handler.ts";

export { answerMcp as DELETE, answerMcp as GET, answerMcp as POST };
