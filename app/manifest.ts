import type { MetadataRoute } from "next";
import { APP_ICONS } from "#components/site/app-icons.ts";
import { pageCopyOf } from "#components/site/page-copy.ts";
import { productFacts } from "./facts.ts";

/** The web app manifest, for installing the product as an app. */
export default async function manifest(): Promise<MetadataRoute.Manifest> {
  const { name } = await productFacts();
  return {
    id: "/app",
    name,
    short_name: name,
    description: pageCopyOf("/", name).description,
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
