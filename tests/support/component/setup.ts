import { afterEach, beforeEach } from "vitest";
import { page } from "vitest/browser";
import "#tests/support/console.ts";
import { openAt } from "./router.ts";
import "./styles.css";

const start = location.pathname + location.search;

beforeEach(async () => {
  document.documentElement.lang = "en";
  localStorage.clear();
  sessionStorage.clear();
  openAt("/app");
});

afterEach(async () => {
  for (const cookie of document.cookie.split("; ")) {
    const [name] = cookie.split("=");
    if (name) await cookieStore.delete(name);
  }
  openAt(start);
  if (window.innerWidth !== 1024) await page.viewport(1024, 768);
});
