import { type PolicySources, permissionsPolicy } from "./security-headers.ts";

/** Pages that open the checkout, and nobody else's: what they allow, no other page does (decision 0016). */
const PAGES: readonly string[] = ["/pricing", "/upgrade-success", "/upgrade-error", "/app/buy-credits"];

/** Whether the page at a path opens the checkout. */
export const isCheckoutPage = (path: string): boolean => PAGES.includes(path.replace(/\/+$/, ""));

/** Which checkout a page opens: the provider's own, or the one whose script stands at another address. */
export interface CheckoutOrigin {
  environment: "sandbox" | "production";
  scriptUrl: string | null;
}

/** Where the provider's script, frame and calls come from. The sandbox's script comes from the one address as well. */
const PADDLE = {
  production: {
    scripts: ["https://cdn.paddle.com"],
    assets: "https://cdn.paddle.com",
    frames: ["https://buy.paddle.com"],
    connections: ["https://checkout-service.paddle.com", "https://create-checkout.paddle.com"],
  },
  sandbox: {
    scripts: ["https://cdn.paddle.com", "https://sandbox-cdn.paddle.com"],
    assets: "https://sandbox-cdn.paddle.com",
    // Its script shows what went wrong in a page of its own.
    frames: ["https://sandbox-buy.paddle.com", "https://sandbox-cdn.paddle.com"],
    connections: ["https://sandbox-checkout-service.paddle.com", "https://sandbox-create-checkout.paddle.com"],
  },
} as const;

/** What a page that opens the checkout allows beyond its own origin. */
export const checkoutSources = ({ environment, scriptUrl }: CheckoutOrigin): Required<PolicySources> => {
  if (scriptUrl !== null) {
    const all = [new URL(scriptUrl).origin];
    return { scripts: all, styles: all, images: all, frames: all, connections: all };
  }
  const { scripts, assets, frames, connections } = PADDLE[environment];
  return { scripts, styles: [assets], images: [assets], frames, connections };
};

/**
 * The headers in which such a page differs: windows that the checkout opens, of a bank or a wallet, may answer it; and
 * its frame may ask the browser for a kept card.
 */
export const checkoutHeaders = (origin: CheckoutOrigin): Record<string, string> => {
  const [frame] = checkoutSources(origin).frames;
  return {
    "Cross-Origin-Opener-Policy": "same-origin-allow-popups",
    "Permissions-Policy": permissionsPolicy(`self "${frame}"`),
  };
};
