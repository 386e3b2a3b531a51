import NextAuth from "next-auth";
import { authOptions } from "#lib/server/auth.ts";

type Context = { params: Promise<{ nextauth: string[] }> };

// Made per request: settings are read when the server runs, not when it is built.
const answer = (request: Request, context: Context): Promise<Response> => NextAuth(authOptions())(request, context);

export { answer as GET, answer as POST };
