import "server-only";
import type { Ctx } from "#lib/context.ts";
import { SECOND_MS, toIso } from "#lib/core/time.ts";
import type { PinterestBoard, PinterestSection } from "#lib/integrations/pinterest/port.ts";
import type { ListedAccount } from "./accounts.ts";
import { CONSENT_LIFETIME_MS } from "./constants.ts";
import type { StartedConnection } from "./oauth-connection.ts";
import { connectionCookieName } from "./policy.ts";
import type { OwnedAccount } from "./queries.ts";
import type { AccountWire, BoardsWire, SectionsWire } from "./schema.ts";

export const toAccountWire = (account: ListedAccount): AccountWire => ({
  id: account.id,
  username: account.username,
  created: toIso(account.connectedAt),
  total_boards: account.profile?.boardCount ?? null,
  total_pins: account.profile?.pinCount ?? null,
  followers: account.profile?.followerCount ?? null,
  monthly_views: account.profile?.monthlyViews ?? null,
  status: account.status,
  profile_url: account.profileUrl,
});

/** For the first render. */
export const toAccountStub = (ctx: Ctx<"pinterest">, account: OwnedAccount): AccountWire =>
  toAccountWire({ ...account, profile: null, profileUrl: ctx.pinterest.profileUrl(account.username) });

export const toBoardsWire = (boards: readonly PinterestBoard[]): BoardsWire => ({
  items: boards.map(({ id, name, description, privacy }) => ({ id, name, description, privacy })),
});

export const toSectionsWire = (sections: readonly PinterestSection[]): SectionsWire => ({
  items: sections.map(({ id, name }) => ({ id, name })),
});

const cookie = (name: string, value: string, maxAgeSeconds: number, appUrl: string): string => {
  const secure = appUrl.startsWith("https:") ? "; Secure" : "";
  return `${name}=${value}; Path=/api/users/pinterest; Max-Age=${maxAgeSeconds}; HttpOnly; SameSite=Lax${secure}`;
};

/** Lax, so that it is sent with Pinterest's redirect. */
export const toConnectionCookie = ({ state, browserSecret }: StartedConnection, appUrl: string): string =>
  cookie(connectionCookieName(state), browserSecret, CONSENT_LIFETIME_MS / SECOND_MS, appUrl);

export const toExpiredConnectionCookie = (state: string, appUrl: string): string =>
  cookie(connectionCookieName(state), "", 0, appUrl);
