/** What the screens say about the product and its operator. Pages read it on the server and pass it down. */
export type ProductFacts = {
  name: string;
  creatorPath: string;
  creatorLabel: string;
  supportEmail: string;
  supportPhone: string;
  postalAddress: string;
  /** The ad pixel's id, where the operator has one. */
  adPixelId?: string | undefined;
};

export { SUPPORT_HOURS } from "#lib/core/support.ts";
