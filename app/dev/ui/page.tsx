import type { Metadata } from "next";
import { notFound } from "next/navigation";
import { DesignSystem } from "#components/showcase/design-system.tsx";
import { isLocalSite } from "#lib/server/product.ts";

export const metadata: Metadata = { title: "Components", robots: { index: false, follow: false } };

/** For those who work on the product; in production there is no such page. Which it is, the running server knows. */
export const dynamic = "force-dynamic";

export default function DesignSystemPage() {
  if (!isLocalSite()) notFound();
  return <DesignSystem />;
}
