import { readdirSync } from "node:fs";
import { SITE_PAGES } from "#components/site/pages.ts";
import { inRepository } from "#scripts/root.ts";

/** Landing pages that no menu lists. */
const BEYOND_MENUS = ["/login", "/register", "/forgot-password"] as const;

/** The first article represents all. */
const anArticle = (): string => {
  const [first] = readdirSync(inRepository("content", "blog")).sort();
  if (!first) throw new Error("There is no article to measure.");
  return `/blog/${first.replace(/\.md$/, "")}`;
};

/** Every public page by its path; one article represents all. */
export const publicPages = (): string[] => [...SITE_PAGES.map(({ path }) => path), ...BEYOND_MENUS, anArticle()];
