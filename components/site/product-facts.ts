/** What the screens say about the product and its operator. Pages read it on the server and pass it down. */
export type ProductFacts = {
  name: string;
  creatorPath: string;
  creatorLabel: string;
  supportEmail: string;
  supportPhone: string;
  postalAddress: string;
  /** Services that are played by a local stand-in; empty in production. */
  sandboxServices: readonly string[];
};

export { SUPPORT_HOURS } from "#lib/core/support.ts";
