import { inject } from "vitest";
import { type AppClient, clientOf, type SignedInUser } from "./app-client.ts";

export type { Answered } from "./app-client.ts";
export type ContractUser = SignedInUser;

/** The client of the one app that runs for all contract tests. */
const client = (): AppClient => clientOf(inject("app"));

export const callApp: AppClient["callApp"] = (path, options) => client().callApp(path, options);
export const signUp: AppClient["signUp"] = () => client().signUp();
export const walkConsent: AppClient["walkConsent"] = (user, decision, query) =>
  client().walkConsent(user, decision, query);
export const connectOverHttp: AppClient["connectOverHttp"] = (user, boards) => client().connectOverHttp(user, boards);
