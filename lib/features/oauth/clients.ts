import "server-only";
import { eq } from "drizzle-orm";
import { oauthClients } from "#db/schema/api-keys.ts";
import type { Ctx } from "#lib/context.ts";
import { isId, type OauthClientId } from "#lib/core/ids.ts";
import { SECOND_MS } from "#lib/core/time.ts";
import type { Registration, RegistrationInput } from "./schema.ts";

interface OauthClient {
  id: OauthClientId;
  name: string;
  redirectUris: string[];
}

/** Anyone may register an app (RFC 7591): it can do nothing until a user consents. */
export const registerClient = async (ctx: Ctx, input: RegistrationInput): Promise<Registration> => {
  const { client_name, redirect_uris } = input;
  const [id, now] = [ctx.newId("oauthClient"), ctx.now()];
  const row = { id, name: client_name, redirectUris: redirect_uris, createdAt: now, lastUsedAt: now };
  await ctx.db.insert(oauthClients).values(row);
  return { client_id: id, client_id_issued_at: Math.floor(now.getTime() / SECOND_MS), client_name, redirect_uris };
};

export const findClient = async (ctx: Ctx, id: string): Promise<OauthClient | null> => {
  if (!isId("oauthClient", id)) return null;
  const { name, redirectUris } = oauthClients;
  const [client] = await ctx.db
    .select({ id: oauthClients.id, name, redirectUris })
    .from(oauthClients)
    .where(eq(oauthClients.id, id));
  return client ?? null;
};

/** Apps that aren't used are deleted. */
export const touchClient = async (tx: Ctx, id: OauthClientId): Promise<void> => {
  await tx.db.update(oauthClients).set({ lastUsedAt: tx.now() }).where(eq(oauthClients.id, id));
};
