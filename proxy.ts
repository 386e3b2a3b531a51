import { type NextRequest, NextResponse } from "next/server";
import { FIRST_PAINT } from "#components/site/first-paint.ts";
import { CSRF_COOKIE } from "#lib/core/browser-keys.ts";
import { isCheckoutPage } from "#lib/core/security-headers.ts";
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
/** Kept by any cache, which asks each time whether it still holds: a new version shows at once. */
const STATIC_CACHING = "public, max-age=0, must-revalidate";

/** Which pages may share a document: those that allow the same of others. */
const documentOf = (path: string): "checkout" | "videos" | "plain" => {
  if (isCheckoutPage(path)) return "checkout";
  return isVideoPage(path) ? "videos" : "plain";
};

/**
 * Whether a script asks for the content of a page that allows more than the page it stands on. What a document may load
 * was decided when it was loaded: such a page needs a document of its own (decision 0016).
 */
const needsOwnDocument = ({ method, headers, nextUrl }: NextRequest): boolean => {
  const wanted = documentOf(nextUrl.pathname);
  if (method !== "GET" || headers.get("sec-fetch-dest") !== "empty" || wanted === "plain") return false;
  // The page knows that its document is one of theirs. Where that is wrong, pictures are missing and nothing is allowed.
  if (wanted === "videos" && nextUrl.searchParams.has(SAME_DOCUMENT)) return false;
  const from = headers.get("referer");
  return from === null || !URL.canParse(from) || documentOf(new URL(from).pathname) !== wanted;
};

/** No content of a page: Next's navigation then loads the address as a document. */
const askForDocument = (): NextResponse =>
  new NextResponse("", { headers: { "content-type": "text/html", "cache-control": "no-store" } });

/** A form of ours that was sent without a script: Next runs its action and renders the page. */
const isForm = ({ method, headers }: NextRequest): boolean =>
  method === "POST" && !headers.has("next-action") && /^multipart\/form-data\b/.test(headers.get("content-type") ?? "");

const answerPage = (request: NextRequest): NextResponse => {
  const { pathname, search } = request.nextUrl;
  if (isApp(pathname) && !request.cookies.has(sessionCookieName())) {
    const login = new URL("/login", request.url);
    login.searchParams.set("next", pathname + search);
    return NextResponse.redirect(login);
  }
  if (needsOwnDocument(request)) return askForDocument();
  const { policy, isStatic, headers: further } = policyOf(pathname, FIRST_PAINT, isForm(request));
  // Whatever else is posted to a page leads back to it.
  if (isStatic && request.method === "POST" && !request.headers.has("next-action")) {
    return NextResponse.redirect(new URL(pathname + search, request.url), 303);
  }
  const headers = new Headers(request.headers);
  headers.set("x-path", pathname + search);
  // Next finds the nonce of its scripts here.
  headers.set(POLICY, policy);
  const response = NextResponse.next({ request: { headers } });
  response.headers.set(POLICY, policy);
  for (const [name, value] of Object.entries(further)) response.headers.set(name, value);
  if (isStatic) response.headers.set("cache-control", STATIC_CACHING);
  if (isApp(pathname) && !request.cookies.has(CSRF_COOKIE)) response.headers.append("set-cookie", csrfCookie());
  return response;
};

/** Next fails on an address whose percent signs spell no letters; this one is answered instead: not found. */
const MALFORMED = "/api/malformed";
const NO_PAGE = "/malformed";

const isMalformed = (path: string): boolean => {
  try {
    decodeURIComponent(path);
    return false;
  } catch (error) {
    if (error instanceof URIError) return true;
    throw error;
  }
};

const answerMalformed = (request: NextRequest, isApi: boolean): NextResponse => {
  const response = NextResponse.rewrite(new URL(isApi ? MALFORMED : NO_PAGE, request.url));
  if (!isApi) response.headers.set(POLICY, policyOf(NO_PAGE, FIRST_PAINT).policy);
  return response;
};

/** The gate (DESIGN §7): CORS for the calls, a policy for every page, the login and the CSRF cookie for `/app`. */
export const proxy = (request: NextRequest): Response => {
  const { pathname } = request.nextUrl;
  const isApi = pathname.startsWith("/api/");
  if (isMalformed(pathname)) return answerMalformed(request, isApi);
  return isApi ? answerApi(request) : answerPage(request);
};

/**
 * Where the gate stands. Uploads and the durable engine stay out of it: it would buffer their bodies (STACK 17). So do
 * static files, by their folders and names: by their ending alone, pages like `/verify-email/x.png` would pass it too. Of the calls it takes those with an Origin, to say who may read; those with a body, which is then here
 * whole before anybody answers, so that a refusal leaves nothing unread on the connection; and those with a percent
 * sign, which may be malformed. Plain reads, which have none of these, are spared its millisecond.
 */
export const config = {
  matcher: [
    "/((?!api/|_next/static/|(?:fonts|pins|posters|screens|share|icons)/[\\w/.-]+$|(?:favicon\\.ico|icon\\.svg|apple-icon\\.png|robots\\.txt|sitemap\\.xml|manifest\\.webmanifest|blog/rss\\.xml)$).*)",
    {
      source: "/api/((?!inngest/?$|health/?$|images/[\\w/.-]*$|users/pinterest/(?:create-bulk|brand/[^/]+/logo)/?$).*)",
      has: [{ type: "header", key: "origin" }],
    },
    {
      source: "/api/((?!inngest/?$|health/?$|images/[\\w/.-]*$|users/pinterest/(?:create-bulk|brand/[^/]+/logo)/?$).*)",
      has: [{ type: "header", key: "content-length" }],
    },
    {
      source: "/api/((?!inngest/?$|health/?$|images/[\\w/.-]*$|users/pinterest/(?:create-bulk|brand/[^/]+/logo)/?$).*)",
      has: [{ type: "header", key: "transfer-encoding" }],
    },
    "/api/(.*%.*)",
  ],
};
