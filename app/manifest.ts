import type { MetadataRoute } from "next";
import { APP_ICONS } from "#components/site/app-icons.ts";
import { wordsOf } from "#components/site/page-words.ts";
import { productFacts } from "./facts.ts";

/** What a phone or a desktop needs to keep the product like a program. */
export default async function manifest(): Promise<MetadataRoute.Manifest> {
  const { name } = await productFacts();
  return {
    id: "/app",
    name,
    short_name: name,
    description: wordsOf("/", name).description,
    start_url: "/app",
    scope: "/",
    display: "standalone",
    lang: "en",
    background_color: "#faf7f1",
    theme_color: "#faf7f1",
    icons: APP_ICONS.map((icon) => ({
      src: `/icons/${icon.name}`,
      sizes: `${icon.sizePx}x${icon.sizePx}`,
      type: "image/png",
      purpose: icon.purpose,
    })),
  };
}
