/**
 * The stand-in's Paddle.js: defines `window.PaddleBillingV1` with the calls of the real one. The checkout is a page of
 * the stand-in in a full-window frame; both exchange messages and check each other's origin.
 */
(() => {
  const STAND_IN = new URL(document.currentScript.src).origin;
  const READY_MS = 15_000;
  const NOT_READY = "[PADDLE BILLING] Call Paddle.Initialize() with a token first.";

  let options = {};
  let isInitialized = false;
  /** The open checkout: `{frame, order, theme, data, unlock}`. */
  let open = null;

  const emit = (event) => options.eventCallback?.(event);

  /** Makes the page behind the frame inert and stops it from scrolling. */
  function lockPage(frame) {
    const before = document.activeElement;
    const others = [...document.body.children].filter((item) => item !== frame && !item.inert);
    const { overflow } = document.documentElement.style;
    for (const item of others) item.inert = true;
    document.documentElement.style.overflow = "hidden";
    return () => {
      for (const item of others) item.inert = false;
      document.documentElement.style.overflow = overflow;
      if (before instanceof HTMLElement) before.focus();
    };
  }

  function makeFrame(theme) {
    const frame = document.createElement("iframe");
    frame.title = "Checkout";
    frame.name = "paddle_frame";
    frame.allow = "payment";
    frame.src = `${STAND_IN}/checkout/frame?theme=${theme}&from=${encodeURIComponent(location.origin)}`;
    Object.assign(frame.style, {
      position: "fixed",
      inset: "0",
      width: "100%",
      height: "100%",
      border: "0",
      zIndex: "2147483000",
      background: "transparent",
      colorScheme: theme,
    });
    return frame;
  }

  function openCheckout(order) {
    if (!isInitialized) return console.error(NOT_READY);
    removeFrame();
    const settings = { ...options.checkout?.settings, ...order.settings };
    const theme = settings.theme === "dark" ? "dark" : "light";
    const frame = makeFrame(theme);
    document.body.append(frame);
    const checkout = { frame, order, settings, data: undefined, unlock: lockPage(frame), isReady: false };
    open = checkout;
    setTimeout(() => {
      if (open === checkout && !checkout.isReady) fail(checkout);
    }, READY_MS);
    frame.focus();
  }

  function fail() {
    removeFrame();
    emit({
      name: "checkout.error",
      type: "front-end_error",
      code: "checkout_not_loaded",
      detail: "The checkout did not load.",
    });
  }

  function removeFrame() {
    open?.frame.remove();
    open?.unlock();
    open = null;
  }

  function closeCheckout() {
    if (open === null) return;
    const { data } = open;
    removeFrame();
    emit({ name: "checkout.closed", data });
  }

  function send(message) {
    open?.frame.contentWindow?.postMessage({ ...message, token: options.token }, STAND_IN);
  }

  function orderOf({ items, transactionId, customer, customData }) {
    const listed = items?.map(({ priceId, quantity = 1 }) => ({ price_id: priceId, quantity }));
    return { items: listed, transaction_id: transactionId, customer, custom_data: customData ?? null };
  }

  function onMessage({ origin, source, data: message }) {
    if (open === null || origin !== STAND_IN || source !== open.frame.contentWindow) return;
    if (message?.kind === "ready") {
      open.isReady = true;
      send({ kind: "open", order: orderOf(open.order) });
    }
    if (message?.kind === "close") closeCheckout();
    if (message?.kind === "event") forwardEvent(message.event);
  }

  function forwardEvent(event) {
    if (event.data !== undefined) {
      const theme = open.frame.style.colorScheme;
      event.data = { ...event.data, settings: { display_mode: "overlay", theme } };
      open.data = event.data;
    }
    const { successUrl } = open.settings;
    emit(event);
    if (event.name === "checkout.completed" && successUrl) location.assign(successUrl);
  }

  const snake = (name) => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
  const camel = (name) => name.replace(/_([a-z\d])/g, (_, letter) => letter.toUpperCase());

  /** Renames all fields; the content of custom data keeps its names. */
  function renamed(value, rename) {
    if (Array.isArray(value)) return value.map((item) => renamed(item, rename));
    if (typeof value !== "object" || value === null) return value;
    const entries = Object.entries(value).map(([name, item]) => [
      rename(name),
      /^custom_?data$/i.test(name) ? item : renamed(item, rename),
    ]);
    return Object.fromEntries(entries);
  }

  async function previewPrices(request) {
    if (!isInitialized) throw new Error(NOT_READY);
    const body = JSON.stringify({ token: options.token, request: renamed(request, snake) });
    const answer = await fetch(`${STAND_IN}/checkout/pricing-preview`, { method: "POST", body });
    const read = await answer.json();
    if (read.error) throw read;
    return renamed(read, camel);
  }

  /** The default payment link names a transaction, whose checkout opens automatically. */
  function openFromLink() {
    const transactionId = new URLSearchParams(location.search).get("_ptxn");
    if (transactionId) openCheckout({ transactionId });
  }

  function initialize(given) {
    if (!given?.token && !given?.seller) return console.error("[PADDLE BILLING] A token is required.");
    if (isInitialized) return console.warn("[PADDLE BILLING] Initialize() was called before; use Update().");
    options = { ...given };
    isInitialized = true;
    addEventListener("message", onMessage);
    openFromLink();
  }

  const notSupported = (what) => async () => {
    throw new Error(`${what} is not supported by this stand-in.`);
  };

  window.PaddleBillingV1 = {
    Version: "v1",
    Status: { libraryVersion: "2.0.0-stand-in" },
    get Initialized() {
      return isInitialized;
    },
    Initialize: initialize,
    Setup: initialize,
    Update: (changed) => {
      options = { ...options, ...changed };
    },
    Environment: { set: () => {}, get: () => "sandbox", detect: () => "sandbox" },
    Checkout: {
      open: openCheckout,
      close: closeCheckout,
      updateCheckout: notSupported("Checkout.updateCheckout"),
      updateItems: notSupported("Checkout.updateItems"),
    },
    PricePreview: previewPrices,
    TransactionPreview: notSupported("TransactionPreview"),
    Retain: { demo: () => {}, initCancellationFlow: notSupported("Retain") },
    Spinner: { show: () => {}, hide: () => {} },
  };
  window.Paddle = window.PaddleBillingV1;
})();
