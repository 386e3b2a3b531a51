import "server-only";
import type { SessionUser } from "./queries.ts";
import type { UserWire } from "./schema.ts";

/** R-ENT-01: the wire form of the signed-in user. */
export const toUserWire = (user: SessionUser): UserWire => ({
  id: user.id,
  first_name: user.firstName,
  last_name: user.lastName,
  email: user.email,
  username: user.username,
  email_verified: user.emailVerified,
  plan: user.plan,
});
