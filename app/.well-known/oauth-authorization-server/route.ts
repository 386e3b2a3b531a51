import { authorizationServerMetadata } from "#lib/server/oauth.ts";

export const GET = (): Response => authorizationServerMetadata();
