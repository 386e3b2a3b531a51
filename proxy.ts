import { type NextRequest, NextResponse } from "next/server";
import { FIRST_PAINT } from "#components/site/first-paint.ts";
import { CSRF_COOKIE } from "#lib/core/browser-keys.ts";
import { loginPath } from "#lib/core/paths.ts";
import { isCheckoutPage, isSitePage } from "#lib/core/security-headers.ts";
import { isVideoPage, SAME_DOCUMENT } from "#lib/core/video-pages.ts";
import { corsHeaders, csrfCookie, preflight } from "#lib/server/actor.ts";
import { sessionCookieName } from "#lib/server/auth.ts";
import { policyOf } from "#lib/server/page-policy.ts";

const isApp = (path: string): boolean => path === "/app" || path.startsWith("/app/");

const answerApi = (request: NextRequest): Response => {
  const origin = request.headers.get("origin");
  if (request.method === "OPTIONS") return preflight(origin);
  const response = NextResponse.next();
  for (const [name, value] of Object.entries(corsHeaders(origin))) response.headers.set(name, value);
  return response;
};

const POLICY = "content-security-policy";
/** Caches must revalidate, so that new versions show immediately. */
const STATIC_CACHING = "public, max-age=0, must-revalidate";

/** Pages in the same group have the same extra sources and may share a document. */
const documentOf = (path: string): "checkout" | "videos" | "sites" | "plain" => {
  if (isCheckoutPage(path)) return "checkout";
  if (isSitePage(path)) return "sites";
  return isVideoPage(path) ? "videos" : "plain";
};

/**
 * Whether a client-side navigation leads to a page that allows more sources than the current document, whose policy was
 * fixed when it was loaded (decision 0016).
 */
const needsOwnDocument = ({ method, headers, nextUrl }: NextRequest): boolean => {
  const wanted = documentOf(nextUrl.pathname);
  if (method !== "GET" || headers.get("sec-fetch-dest") !== "empty" || wanted === "plain") return false;
  // The client claims to be in a video document. If that is wrong, images are missing, but nothing more is allowed.
  if (wanted === "videos" && nextUrl.searchParams.has(SAME_DOCUMENT)) return false;
  const from = headers.get("referer");
  return from === null || !URL.canParse(from) || documentOf(new URL(from).pathname) !== wanted;
};

/** An empty response, which makes Next's router load the page as a document. */
const requireDocument = (): NextResponse =>
  new NextResponse("", { headers: { "content-type": "text/html", "cache-control": "no-store" } });

/** A form posted without JavaScript: Next runs its action and renders the page. */
const isForm = ({ method, headers }: NextRequest): boolean =>
  method === "POST" && !headers.has("next-action") && /^multipart\/form-data\b/.test(headers.get("content-type") ?? "");

const answerPage = (request: NextRequest): NextResponse => {
  const { pathname, search } = request.nextUrl;
  if (isApp(pathname) && !request.cookies.has(sessionCookieName())) {
    return NextResponse.redirect(new URL(loginPath(pathname + search), request.url));
  }
  if (needsOwnDocument(request)) return requireDocument();
  const { policy, isStatic, headers: further } = policyOf(pathname, FIRST_PAINT, isForm(request));
  // Other posts to a static page redirect back to it.
  if (isStatic && request.method === "POST" && !request.headers.has("next-action")) {
    return NextResponse.redirect(new URL(pathname + search, request.url), 303);
  }
  const headers = new Headers(request.headers);
  headers.set("x-path", pathname + search);
  // Next reads the nonce for its scripts from here.
  headers.set(POLICY, policy);
  const response = NextResponse.next({ request: { headers } });
  response.headers.set(POLICY, policy);
  for (const [name, value] of Object.entries(further)) response.headers.set(name, value);
  if (isStatic) response.headers.set("cache-control", STATIC_CACHING);
  // Only with pages: here it would replace the cookies that a server action sets.
  const isPage = request.method === "GET" && isApp(pathname);
  if (isPage && !request.cookies.has(CSRF_COOKIE)) response.headers.append("set-cookie", csrfCookie());
  return response;
};

/** CORS for API calls, a content security policy for pages, and the login redirect and CSRF cookie for `/app`. */
export const proxy = (request: NextRequest): Response => {
  const { pathname } = request.nextUrl;
  return pathname.startsWith("/api/") ? answerApi(request) : answerPage(request);
};

/**
 * Excluded: uploads and the durable engine, whose bodies would be buffered, and static files. API calls are included with
 * an Origin (CORS) or with a body (read fully before a rejection).
 */
export const config = {
  matcher: [
    "/((?!api/|_next/static/|(?:fonts|pins|posters|screens|share|icons)/[\\w/.-]+$|(?:favicon\\.ico|icon\\.svg|apple-icon\\.png|robots\\.txt|sitemap\\.xml|manifest\\.webmanifest|blog/rss\\.xml)$).*)",
    {
      source:
        "/api/((?!inngest/?$|health/?$|images/[\\w/.-]*$|v1/uploads/?$|users/pinterest/(?:create-bulk|create-video|create-carousel|imports|brand/[^/]+/logo)/?$).*)",
      has: [{ type: "header", key: "origin" }],
    },
    {
      source:
        "/api/((?!inngest/?$|health/?$|images/[\\w/.-]*$|v1/uploads/?$|users/pinterest/(?:create-bulk|create-video|create-carousel|imports|brand/[^/]+/logo)/?$).*)",
      has: [{ type: "header", key: "content-length" }],
    },
    {
      source:
        "/api/((?!inngest/?$|health/?$|images/[\\w/.-]*$|v1/uploads/?$|users/pinterest/(?:create-bulk|create-video|create-carousel|imports|brand/[^/]+/logo)/?$).*)",
      has: [{ type: "header", key: "transfer-encoding" }],
    },
  ],
};
