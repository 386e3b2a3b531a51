import { inject } from "vitest";
import { type AppClient, clientOf, type SignedInUser } from "./app-client.ts";

export type { AppResponse } from "./app-client.ts";
export type ContractUser = SignedInUser;

/** A client of the app that all contract tests share. */
const client = (): AppClient => clientOf(inject("app"));

export const callApp: AppClient["callApp"] = (path, options) => client().callApp(path, options);
export const signUp: AppClient["signUp"] = () => client().signUp();
export const completeConsent: AppClient["completeConsent"] = (user, decision, query) =>
  client().completeConsent(user, decision, query);
export const connectOverHttp: AppClient["connectOverHttp"] = (user, boards) => client().connectOverHttp(user, boards);
