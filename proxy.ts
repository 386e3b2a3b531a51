import { type NextRequest, NextResponse } from "next/server";
import { randomToken } from "#lib/core/digest.ts";
import { CSRF_COOKIE } from "#lib/features/identity/constants.ts";
import { isSecureSite, sessionCookieName } from "#lib/server/auth.ts";
import { corsHeaders, preflight } from "#lib/server/gate.ts";

const isApp = (path: string): boolean => path === "/app" || path.startsWith("/app/");

const answerApi = (request: NextRequest): Response => {
  const origin = request.headers.get("origin");
  if (request.method === "OPTIONS") return preflight(origin);
  const response = NextResponse.next();
  for (const [name, value] of Object.entries(corsHeaders(origin))) response.headers.set(name, value);
  return response;
};

const answerPage = (request: NextRequest): NextResponse => {
  const { pathname, search } = request.nextUrl;
  if (isApp(pathname) && !request.cookies.has(sessionCookieName())) {
    const login = new URL("/login", request.url);
    login.searchParams.set("next", pathname + search);
    return NextResponse.redirect(login);
  }
  const headers = new Headers(request.headers);
  headers.set("x-path", pathname + search);
  return NextResponse.next({ request: { headers } });
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

/** The gate (DESIGN §7): CORS for the calls, the login for `/app`, the CSRF cookie for every browser. */
export const proxy = (request: NextRequest): Response => {
  const isApi = request.nextUrl.pathname.startsWith("/api/");
  if (isMalformed(request.nextUrl.pathname)) {
    return NextResponse.rewrite(new URL(isApi ? MALFORMED : NO_PAGE, request.url));
  }
  if (isApi) return answerApi(request);
  const response = answerPage(request);
  if (!request.cookies.has(CSRF_COOKIE)) {
    // Readable by our scripts on purpose: they send it back as a header, which no other site can.
    response.cookies.set(CSRF_COOKIE, randomToken(), {
      sameSite: "lax",
      secure: isSecureSite(),
      path: "/",
      maxAge: 31_536_000,
    });
  }
  return response;
};

/**
 * Where the gate stands. Uploads, the durable engine and static files stay out of it: it would buffer their bodies
 * (STACK 17). Of the calls it takes those with an Origin, to say who may read; those with a body, which is then here
 * whole before anybody answers, so that a refusal leaves nothing unread on the connection; and those with a percent
 * sign, which may be malformed. Plain reads, which have none of these, are spared its millisecond.
 */
export const config = {
  matcher: [
    "/((?!api/|_next/|[\\w/.-]*\\.(?:svg|png|ico|woff2|jpg)$).*)",
    { source: "/api/((?!inngest/?$|health/?$|images/[\\w/.-]*$).*)", has: [{ type: "header", key: "origin" }] },
    { source: "/api/((?!inngest/?$|health/?$|images/[\\w/.-]*$).*)", has: [{ type: "header", key: "content-length" }] },
    {
      source: "/api/((?!inngest/?$|health/?$|images/[\\w/.-]*$).*)",
      has: [{ type: "header", key: "transfer-encoding" }],
    },
    "/api/(.*%.*)",
  ],
};
